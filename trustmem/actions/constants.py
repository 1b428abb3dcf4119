"""Constants: a person adopts new values, as a new version that undo takes back."""

import json
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from trustmem.actions import acts
from trustmem.actions.errors import Refusal
from trustmem.core.constants import RETIRED, ConstantError, Constants, changed
from trustmem.core.instants import to_text
from trustmem.store import queries
from trustmem.store.models import ConstantsVersion, Line, Space


@transaction.atomic
def adopt(space: Space, values: Mapping[str, Any], *, by: str, now: int, reason: str) -> str:
    """Put new values in force from `now` on. The id of the act.

    Raises Refusal for what is unknown, fixed or out of bounds, and where nothing would change.
    """
    act = acts.begin(space)
    before = queries.constants(space)
    after = _changed(before, values)
    news = {name: value for name, value in values.items() if name not in RETIRED}
    news = {name: value for name, value in news.items() if getattr(before, name) != getattr(after, name)}
    if not news:
        raise Refusal("these values are in force already")
    if _later(space, now).exists():
        raise Refusal(f"other values were adopted later than {to_text(now)}, and stand")
    line = {"type": "constants", "version": _next_version(space), "values": news, "author": by, "reason": reason}
    return acts.write(space, [line], act=act, now=now)


def _changed(before: Constants, values: Mapping[str, Any]) -> Constants:
    try:
        return changed(before, values)
    except ConstantError as error:
        raise Refusal(str(error)) from None


def _later(space: Space, now: int) -> QuerySet[Line]:
    """Versions that would still come after one that is adopted now: by arrival, then `at` (core.columns)."""
    standing = ConstantsVersion.objects.filter(space=space).values("name")
    lines = Line.objects.filter(space=space, tag="constants", name__in=standing)
    return lines.filter(arrived__gte=acts.stamp(space, now), at__gt=now)


def _next_version(space: Space) -> int:
    """Numbers of undone versions are not given again; the first is what a space begins with."""
    bodies = Line.objects.filter(space=space, tag="constants").values_list("body", flat=True)
    return max((json.loads(body)["version"] for body in bodies), default=1) + 1
