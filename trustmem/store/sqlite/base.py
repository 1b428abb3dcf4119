"""Of many who wait to write, whoever has waited longest looks most often whether the lock is free.

SQLite has no queue for its one writer. By itself who waits looks more and more seldom, at last each 100 ms; who has
just come looks at once, and so passes those by: under load some waited for seconds.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from django.db import OperationalError
from django.db.backends.sqlite3 import base

#: Seconds between two looks of somebody who has just come, and of somebody who has waited for `_LONG` seconds.
_SELDOM, _OFTEN, _LONG = 0.02, 0.0005, 0.2


class DatabaseWrapper(base.DatabaseWrapper):
    def _start_transaction_under_autocommit(self) -> None:
        """Begin a transaction as a writer, within `timeout` seconds. Raises OperationalError if that is too short."""
        patience, begun = float(self.settings_dict["OPTIONS"].get("timeout", 5.0)), monotonic()
        with self._at_once(patience):
            while True:
                try:
                    super()._start_transaction_under_autocommit()  # type: ignore[misc] # its stubs leave it out
                    return
                except OperationalError as error:
                    waited = monotonic() - begun
                    if "locked" not in str(error) or waited > patience:
                        raise
                sleep(max(_OFTEN, _SELDOM * (1 - waited / _LONG)))

    @contextmanager
    def _at_once(self, patience: float) -> Iterator[None]:
        """The lock is asked for once, and not waited for by SQLite itself."""
        self.connection.execute("PRAGMA busy_timeout = 0")
        try:
            yield
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {round(patience * 1000)}")
