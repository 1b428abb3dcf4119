"""On SQLite, who wants to write waits for a turn, in vain for as long as is set."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection, transaction

from trustmem.store.models import Space

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def writing() -> Iterator[threading.Event]:
    """Somebody else writes until the event is set."""
    begun, end = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            Space.objects.create(name="theirs", digest_key="0f" * 32)
            begun.set()
            end.wait(60)
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    begun.wait(60)
    try:
        yield end
    finally:
        end.set()
        thread.join()


def busy_timeout() -> int:
    with connection.cursor() as cursor:
        return cursor.execute("PRAGMA busy_timeout").fetchone()[0]


def test_a_turn_comes_once_the_other_has_ended() -> None:
    with writing() as end:
        threading.Timer(0.3, end.set).start()
        with transaction.atomic():
            Space.objects.create(name="ours", digest_key="0f" * 32)
    assert sorted(Space.objects.values_list("name", flat=True)) == ["ours", "theirs"]


def test_who_has_waited_for_as_long_as_is_set_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.2)
    with writing(), pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
        pass
    assert busy_timeout() == 200  # what SQLite itself waits for, of which a statement by itself makes use
    with transaction.atomic():
        Space.objects.create(name="ours", digest_key="0f" * 32)


def test_what_sqlite_itself_waits_for_is_as_before() -> None:
    with transaction.atomic():
        assert busy_timeout() == 20_000
