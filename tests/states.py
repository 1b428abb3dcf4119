"""A memory with a fact in each state, each of which says a word of its own, and all that stands between them. The fact
that is forgotten a person has still to forget."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.makers import daily, day
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import STATES

#: What is live and what faded; and all that there is a text of.
STAND, KEPT = "live pruned", "live pruned forgotten"
#: An instant at which the fact that is forgotten was not yet.
BEFORE = to_text(day(50))
_SAYS = "A sentinel that is"


def told(text: str) -> str:
    """The states of the facts whose words a text tells, in their order."""
    found = set(re.findall(rf"{_SAYS} (\w+)", text))
    return " ".join(state for state in STATES if state in found)


def as_file() -> list[bytes]:
    return [json.dumps(each).encode() + b"\n" for each in _lines()]


def _lines() -> Iterator[dict[str, Any]]:
    """The ids of the facts are their states; `hub` is one that has to do with all."""
    yield _line("fact", "hub", text="A hub.", core=True, source="ana")
    for state in STATES:
        text = f"{_SAYS} {state}, says Ana."
        yield _line("fact", state, text=text, core=state != "pruned", source="ana", entities=["sentinels"])
        for relation in ("updates", "derives", "extends", "contradicts"):
            yield _line("edge", f"{relation}-{state}", 0.5, **{"from": "hub"}, relation=relation, to=state)
    yield _line("case", "orphan", 1, kind="orphan", facts=["hub", "live", "pruned", "forgotten"])
    yield _line("case", "of-a-file", 1, kind="made up by a file", facts=["forgotten", "pruned"])
    yield _line("case", "of-what-is-erased", 1, kind="orphan", facts=["hub", "erased"])
    yield from ({"type": "pass", "at": to_text(each.at)} for each in daily(1, 90))
    yield _line("event", "erasing", 95, kind="erased", fact="erased", source="ana", tier="human")


def _line(type: str, id: str, on: float = 0, **values: Any) -> dict[str, Any]:
    return {"type": type, "id": id, "at": to_text(day(on)), **values}
