"""Django's database backend for SQLite, with turns that are fair among those who want to write."""
