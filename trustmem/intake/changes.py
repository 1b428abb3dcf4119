"""What changed in a space since an instant, for agents that come back."""

from typing import Any

from trustmem.actions import purging
from trustmem.core.instants import to_text
from trustmem.store.models import Fact, Line, Space
from trustmem.store.states import STANDING

#: What is said about facts; who may look at what, constants and passes are none of it.
_TAGS = ("fact", "edge.", "event.", "feedback.")


def since(space: Space, instant: int, limit: int) -> dict[str, Any]:
    """Lines that arrived after an instant, oldest first, `limit` at most, each with the facts that it is about, as far
    as agents are told of them; and from when on to ask again."""
    lines = Line.objects.filter(space=space, arrived__gt=instant).order_by("arrived", "position")
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
    return {"changes": found, "until": to_text(told[-1][2]) if told else to_text(instant), "more": more}


def _facts(space: Space, rows: list[tuple[int, str, int]]) -> list[set[str]]:
    return list(purging.facts_of(space, sorted(position for position, *_ in rows)))
