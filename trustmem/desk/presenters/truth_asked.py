"""Which outcomes somebody looks at, and what they hold against them: all of it in the address."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.utils.translation import gettext, pgettext

from trustmem.core.instants import from_datetime
from trustmem.core.vocabulary import PRODUCERS
from trustmem.desk.presenters.lab import Choice
from trustmem.desk.words import word
from trustmem.explanations.explanation import FACTORS

#: What was stated of a fact: its trust, or one factor of that.
MEASURES = ("trust", *FACTORS)
#: Which outcomes: all, or those that were drawn at random.
_WHICH = ("all", "sample")
#: So many sources are offered to choose from.
_OFFERED = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """Which outcomes, held against which measure, all of it in the address; '': any. `since` is a day in UTC."""

    of: str = "trust"
    drawn: str = "all"
    source: str = ""
    producer: str = ""
    since: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> "Asked":
        """What an address asks for, whatever stands beside. Raises BadRequest for what it cannot mean."""
        given = {name: asked[name] for name in _ANY if asked.get(name)}
        found = cls(**given)
        known = (("of", MEASURES), ("drawn", _WHICH), ("producer", ("", *PRODUCERS)))
        if any(getattr(found, name) not in words for name, words in known) or "\0" in found.source:
            raise BadRequest(gettext("There are no such outcomes."))
        try:
            found.instant  # noqa: B018 (whether there is one)
        except ValueError:
            raise BadRequest(gettext("A day is written as 2026-06-01.")) from None
        return found

    @property
    def instant(self) -> int | None:
        """From when on; None: from the beginning. Raises ValueError where the day is none."""
        if not self.since:
            return None
        return from_datetime(datetime.combine(date.fromisoformat(self.since), time(), UTC))

    @property
    def is_narrowed(self) -> bool:
        """Whether some outcomes may be left out."""
        return replace(self, of="trust") != Asked()

    @property
    def is_of_some(self) -> bool:
        """Whether it asks for facts of some kind, or for what was found lately, alone."""
        return replace(self, of="trust", drawn="all") != Asked()

    def query(self, **changes: str) -> str:
        """What stands in an address for this, with changes and more beside."""
        said = {name: getattr(self, name) for name in _ANY} | changes
        return urlencode({name: value for name, value in said.items() if value != _ANY.get(name, "")})


#: What an address need not say.
_ANY = {each.name: str(each.default) for each in fields(Asked)}


def title(measure: str) -> str:
    """What a measure is called."""
    return pgettext("measure", "trust") if measure == "trust" else word(measure)


class Choices(NamedTuple):
    """By what outcomes can be looked at."""

    of: list[Choice]
    drawn: list[Choice]
    source: list[Choice]
    producer: list[Choice]


def choices(asked: Asked, sources: Iterable[tuple[str, int, int]]) -> Choices:
    """`sources` are those of which something was found, right and wrong; the chosen one is always offered."""
    most = sorted(sources, key=lambda each: (-each[1] - each[2], each[0]))[:_OFFERED]
    names = dict.fromkeys(["", *(name for name, _, _ in most), asked.source])
    drawn = {"all": gettext("all"), "sample": gettext("the calibration sample alone")}
    return Choices(
        [Choice(each, title(each), each == asked.of) for each in MEASURES],
        [Choice(each, says, each == asked.drawn) for each, says in drawn.items()],
        [Choice(each, each or pgettext("sources", "all"), each == asked.source) for each in names],
        [
            Choice(each, word(each) if each else pgettext("producers", "all"), each == asked.producer)
            for each in ("", *PRODUCERS)
        ],
    )
