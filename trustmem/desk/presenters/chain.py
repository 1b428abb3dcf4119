"""The chain of a fact as a timeline, newest claim first."""

from typing import NamedTuple

from django.utils.translation import ngettext

from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations.memory import Memory
from trustmem.formats import rfc3339

#: Of a long chain a page shows so many, those next to the fact.
_MOST_SHOWN = 20
_BEGINNING = 160


class Claim(NamedTuple):
    """A claim of a chain, with its state by now. `is_head`: nothing stands above it; `waits`: it would,
    if a person upheld that."""

    name: str
    text: str | None
    state: str
    source: str
    at: When
    is_here: bool
    is_head: bool
    waits: bool


class Chain(NamedTuple):
    """The claims around a fact, and how many more there are ('': none)."""

    claims: list[Claim]
    more: str


def chain(asked: Memory, found: Found) -> Chain:
    """What would update the fact, if a person upheld it, then all that stands in its chain."""
    waiting = [each for each in found["challenges"] if each["kind"] == "edge.updates" and _is_told(each["other"])]
    links = list(found["chain"])
    if waiting and not links:
        links = [{"id": found["id"], "text": found["text"], "at": found["provenance"]["born"], "step": 0}]
        links[0]["state"] = asked.untold.get(found["id"], found["scores"]["state"])
    nearest = sorted(range(len(links)), key=lambda place: abs(links[place]["step"]))[:_MOST_SHOWN]
    shown = [_linked(asked, links[place], links[0]["step"]) for place in sorted(nearest)]
    more = len(links) - len(shown)
    told = ngettext("and {count} more claim, further away", "and {count} more claims, further away", more)
    return Chain([_waiting(asked, each) for each in waiting] + shown, told.format(count=whole(more)) if more else "")


def _is_told(claim: Found | None) -> bool:
    return claim is not None and claim["state"] != "forgotten"


def _waiting(asked: Memory, challenge: Found) -> Claim:
    return _claim(asked, challenge["other"], challenge["at"], by=challenge["by"])._replace(waits=True)


def _linked(asked: Memory, link: Found, top: int) -> Claim:
    by = asked.reading.records.get(link["id"], {}).get("source", "")
    claim = _claim(asked, link, link["at"], by)
    return claim._replace(is_here=link["step"] == 0, is_head=link["step"] == top)


def _claim(asked: Memory, named: Found, at: str, by: str) -> Claim:
    text = named["text"]
    return Claim(
        name=named["id"],
        text=None if text is None else beginning(text, _BEGINNING),
        state=named["state"],
        source=by,
        at=when(rfc3339.parse(at), asked.now),
        is_here=False,
        is_head=False,
        waits=False,
    )
