"""What is of one database alone is looked at there alone."""

from django.db import connection

collect_ignore = [] if connection.vendor == "sqlite" else ["test_turns.py"]
