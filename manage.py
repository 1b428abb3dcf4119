"""Django's own commands: `.venv/bin/python manage.py help`."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trustmem.settings")
    try:
        settings.DATABASES  # noqa: B018 (loads them)
    except ImproperlyConfigured as error:
        print(f"manage.py: {error}", file=sys.stderr)
        sys.exit(2)
    execute_from_command_line(sys.argv)
