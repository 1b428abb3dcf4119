"""What the frame around every page shows."""

from functools import partial
from typing import Any

from django.http import HttpRequest

from trustmem.desk import clock
from trustmem.desk.access import may
from trustmem.desk.numbers import capped
from trustmem.desk.presenters.tiles import tile
from trustmem.store import queue
from trustmem.store.models import Role, Space

#: More open cases are not counted for a frame.
_CAP = 999


def frame(request: HttpRequest) -> dict[str, Any]:
    """The space that a page is of, what one may do in it, and how many cases are open. Who looks and where is not asked
    of the database again; the cases are, by what draws a frame alone."""
    role, space = getattr(request, "role", None), getattr(request, "space", None)
    return {
        "space": space,
        "may_review": role is not None and may(role, Role.REVIEWER),
        "may_import": role is not None and may(role, Role.CURATOR),
        "may_administer": role is not None and may(role, Role.ADMIN),
        "open_cases": partial(_open_cases, space),
    }


def _open_cases(space: Space | None) -> str:
    """How many cases are open; '': none, or nobody can tell now, which keeps no page from being shown."""
    if space is None:
        return ""
    now = clock.now()
    counted = tile(now, lambda: queue.in_all(space, _CAP, now)).shown
    return capped(*counted) if counted and counted[0] else ""
