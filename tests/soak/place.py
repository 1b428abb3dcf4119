"""Where scripts run for long: a home that goes again, a database, and a Redis."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@contextmanager
def opened() -> Iterator[Any]:
    """A Redis that runs, and the tables made; the database is that of DATABASE_URL, or a new file."""
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory(prefix="trustmem-soak-") as home:
        from tests.redis.broker import Broker

        broker = Broker(Path(home))
        os.environ.setdefault("DATABASE_URL", f"sqlite:///{home}/soak.sqlite3")
        os.environ |= {"TRUSTMEM_HOME": home, "BROKER_URL": broker.url, "DJANGO_SETTINGS_MODULE": "trustmem.settings"}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        broker.start()
        try:
            yield broker
        finally:
            broker.stop()
