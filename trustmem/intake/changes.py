"""What changed in a space since an instant, for agents that come back."""

from typing import Any

from trustmem.actions import purging
from trustmem.core.instants import to_text
from trustmem.formats import rfc3339
from trustmem.store.models import Fact, Line, Space
from trustmem.store.states import STANDING

#: What is said about facts; who may look at what, constants and passes are none of it.
_TAGS = ("fact", "edge.", "event.", "feedback.")
#: Digits of a position that every database holds.
_LONGEST = 18


def since(space: Space, asked: str, limit: int) -> dict[str, Any]:
    """Lines that arrived after an instant, oldest first, `limit` at most, each with the facts that it is about, as far
    as agents are told of them; and from when on to ask again: the instant and the position of the last line, since many
    arrive at once. Raises ValueError for what is neither an instant nor such a place."""
    lines = Line.objects.filter(space=space, **_after(asked)).order_by("arrived", "position")
    rows = list(lines.values_list("position", "tag", "arrived")[: limit + 1])
    told, more = rows[:limit], len(rows) > limit
    about = dict(zip(sorted(position for position, *_ in told), _facts(space, told), strict=True))
    names = {name for each in about.values() for name in each}
    states = dict(Fact.objects.filter(space=space, name__in=names).values_list("name", "state"))
    found = [
        {"at": to_text(arrived), "what": tag, "facts": facts}
        for position, tag, arrived in told
        if tag.startswith(_TAGS)
        and (facts := sorted(name for name in about[position] if states.get(name) in STANDING.to_readers))
    ]
    return {"changes": found, "until": f"{to_text(told[-1][2])}/{told[-1][0]}" if told else asked, "more": more}


def _after(asked: str) -> dict[str, int]:
    instant, slash, position = asked.partition("/")
    arrived = rfc3339.parse(instant)
    if not slash:
        return {"arrived__gt": arrived}
    if not (position.isascii() and position.isdecimal() and len(position) <= _LONGEST):
        raise ValueError("is no place at which an answer ended")
    return {"arrived__gte": arrived, "position__gt": int(position)}


def _facts(space: Space, rows: list[tuple[int, str, int]]) -> list[set[str]]:
    return list(purging.facts_of(space, sorted(position for position, *_ in rows)))
