"""Bytes to candidates and back, one file a format. Nothing here opens a file or knows a clock."""
