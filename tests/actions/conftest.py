"""What is of one database alone is looked at there alone."""

from django.db import connection

collect_ignore = [] if connection.vendor == "postgresql" else ["test_side_by_side.py"]
