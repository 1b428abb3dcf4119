"""Parts of a page that stand or fall alone: what cannot be read says so, and is never shown as none."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import DatabaseError

from trustmem.desk.instants import When, when

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Tile(Generic[_T]):
    """What a part shows; or, where it could not be read, when that was tried."""

    shown: _T | None
    unread: When | None = None


def tile(now: int, read: Callable[[], _T]) -> Tile[_T]:
    """What a function reads. It must have read all of it when it returns."""
    try:
        return Tile(read())
    except DatabaseError:
        _log.exception("a part of a page cannot be read")
        return Tile(None, when(now, now))
