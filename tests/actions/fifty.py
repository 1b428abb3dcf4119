"""A space of fifty facts in which there is something of everything, as it stands when somebody does the next thing."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from tests.actions.test_erase import SECRET
from tests.intake.terminal import edge, event, fact
from tests.makers import day
from trustmem.actions import access, acts, consolidation, facts, imports, spaces, undo
from trustmem.core.instants import to_text
from trustmem.store.models import Role, Space

NAME = "diary"
#: When the next thing is done, after passes at noon of some days.
NOW = day(20.5)
PASSES = (3, 6, 9, 12, 15, 18, 19)
PUBLIC = base64.b64encode(bytes(range(32))).decode()
FILE = [
    {"type": "fact", "id": f"new{number}", "text": f"News {number}.", "at": to_text(day(19))} for number in range(4)
]


def _on(number: float) -> str:
    return to_text(day(number))


def told() -> Iterator[dict[str, Any]]:
    """What a file brings."""
    for number in range(16):  # of one session each: they fade, these and those by now
        yield fact(f"plan{number:02}", f"Plan {number}.", at=_on(number + 0.4), prior=0.3, producer="inference")
    for number in range(12):  # heard of again and again, the last of them of late: they are about to be global
        said = {"producer": "user"} if number < 8 else {"prior": 0.79}
        yield fact(f"habit{number:02}", f"Habit {number}.", at=_on(2 + number), source="ana", **said)
        first = 3 + number if number < 8 else 18.4
        for again in range(3):
            told = {"source": f"s{again}", "run": f"r{again}"}
            yield event("restated", f"habit{number:02}", f"again{number:02}-{again}", at=_on(first + again / 4), **told)
    for number in range(14):
        entities = {"entities": [f"name{number % 3}"], "subject": f"name{number % 3}"}
        yield fact(f"rule{number:02}", f"Rule {number}.", at=_on(1 + number / 2), scope="global", **entities)
    for number in range(6):
        yield fact(
            f"place{number}", f"The office is at {number}.", at=_on(1 + number), producer="document", tier="human"
        )
    yield fact("code", f"The alarm code is {SECRET}.", at=_on(4), object=SECRET)
    yield fact("core", "Her name is Ana.", at=_on(0), core=True, baseline={"evidence": 2, "uses": 3})
    yield from _between()
    yield from _around()


def _between() -> Iterator[dict[str, Any]]:
    """What facts have to do with each other, and what befell them."""
    for number in range(3):
        yield edge(
            "updates", f"place{number + 1}", f"place{number}", f"moved{number}", at=_on(6 + number), tier="human"
        )
        yield edge("contradicts", f"rule{number:02}", f"rule{number + 3:02}", f"not{number}", at=_on(7 + number))
        yield edge("contradicts", f"habit{number + 9:02}", f"rule{number + 6:02}", f"never{number}", at=_on(19))
        yield edge("extends", f"habit{number:02}", f"rule{number:02}", f"more{number}", at=_on(8 + number))
    yield edge("updates", "plan15", "place4", "doubt", at=_on(19.2), by="crm")
    yield event("contradicted", "rule09", "against", at=_on(12), source="crm")
    yield event("contradicted", "code", "against-code", at=_on(12), source="crm", note=f"It is not {SECRET}.")
    yield event("contradicted", "place5", "against-place", at=_on(19), source="crm")
    yield event("accepted", "rule00", "yes", at=_on(11), source="ana", tier="human")
    yield event("forgotten", "rule11", "no", at=_on(12), source="ana", tier="human")
    yield event("erased", "rule12", "gone", at=_on(12), source="ana", tier="human")
    for number in range(4):
        yield event("recalled", f"rule{number:02}", f"seen{number}", at=_on(10 + number), run=f"r{number}")
        yield {
            "type": "feedback",
            "id": f"felt{number}",
            "fact": f"rule{number:02}",
            "outcome": "helpful",
            "at": _on(13),
        }


def _around() -> Iterator[dict[str, Any]]:
    for number in range(3):
        yield {"type": "entity", "id": f"name{number}", "name": f"Name {number}", "at": _on(1)}
    yield {"type": "link", "id": "knows", "from": "name0", "to": "name1", "relation": "knows", "at": _on(1)}
    yield {"type": "key", "id": "k0", "source": "ana", "public": PUBLIC, "at": _on(1)}
    yield {"type": "tombstone", "id": "buried", "digest": "3" * 64, "by": "ana", "at": _on(2)}
    yield {"type": "case", "id": "which", "kind": "cycle", "facts": ["rule00", "rule03"], "at": _on(9)}
    yield event("restated", "elsewhere", "waits", at=_on(9))
    yield {"type": "fact", "id": "no-text", "at": _on(8)}
    yield {"type": "constants", "id": "c2", "version": 2, "values": {"max_pass_gap_days": 5}, "at": _on(5)}


def as_lines(*records: Any) -> list[bytes]:
    return [json.dumps(each).encode() + b"\n" for each in records]


def live() -> None:
    """The space comes to be."""
    space = spaces.create(NAME)
    last = [{"type": "pass", "at": to_text(day(each + 0.125))} for each in PASSES]
    imports.import_lines(space, as_lines(*told(), *last), file="all", by="ana", now=day(19.4))
    facts.accept(space, "habit00", by="ana", now=day(19.5), reason="Seen it.")
    wrong = facts.forget(space, "rule13", by="ben", now=day(19.6))
    undo.undo(space, wrong, by="ana", now=day(19.7))
    facts.correct(space, "rule10", "Rule ten holds.", by="ana", now=day(19.7))
    consolidation.consolidate(space, by="clock", now=day(19.8))
    _happen(space)
    access.owner()
    access.add_member(space, "ben", Role.REVIEWER)


def _happen(space: Space) -> None:
    """One that has faded is told anew: the next pass brings it back."""
    told = {"type": "event", "kind": "restated", "fact": "plan00", "source": "crm", "run": "r8"}
    acts.write(space, [told], now=day(20))
