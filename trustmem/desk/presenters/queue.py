"""What of the queue somebody looks at, all of it in the address: the filter, since when they work on it, whether it is
what is put aside, where a page begins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.translation import gettext

from trustmem.store.cases import KINDS
from trustmem.store.queue import Filter, Place

#: The words that an address may hold.
NAMES = ("kind", "source", "upto", "aside", "after")
#: How an address calls the kind of those that a file brought, which is ''.
_OF_A_FILE = "file"
#: How it says that what is put aside is looked at.
ASIDE = "yes"
#: Digits of a number that every database holds.
_LONGEST = 18


@dataclass(frozen=True, slots=True)
class Asked:
    """A filter of the queue, and where a page of it begins."""

    filter: Filter
    after: Place | None = None

    @classmethod
    def of(cls, asked: Mapping[str, str], others: Iterable[str] = ()) -> "Asked":
        """What an address asks for, which may hold `others` beside. Raises ValueError for what it cannot mean: nothing
        is left out."""
        given = {name: value for name, value in asked.items() if value.strip() and name not in others}
        unknown = [name for name in given if name not in NAMES]
        if unknown:
            raise ValueError(gettext("The queue knows nothing of “{name}”.").format(name=unknown[0]))
        kind = given.get("kind")
        upto, after = given.get("upto", ""), given.get("after", "")
        if upto and not (upto.isascii() and upto.isdecimal() and len(upto) <= _LONGEST):
            raise ValueError(gettext("That is no place in the log."))
        if kind not in (None, _OF_A_FILE, *KINDS):
            raise ValueError(gettext("There is no kind of case “{name}”.").format(name=kind))
        if given.get("aside", ASIDE) != ASIDE:
            raise ValueError(gettext("The queue knows nothing of “{name}”.").format(name=given["aside"]))
        filter = Filter(
            kind="" if kind == _OF_A_FILE else kind,
            source=given.get("source"),
            upto=int(upto) if upto else None,
            aside="aside" in given,
        )
        return cls(filter, Place.of(after) if after else None)

    def fields(self, **changes: str | int | None) -> dict[str, str]:
        """What stands in the address but for the place, with changes, of which None takes something out; as the fields
        of a form, too."""
        kind = _OF_A_FILE if self.filter.kind == "" else self.filter.kind
        given = {"kind": kind, "source": self.filter.source, "upto": self.filter.upto}
        given |= {"aside": ASIDE if self.filter.aside else None} | changes
        return {
            name: _OF_A_FILE if (name, value) == ("kind", "") else str(value)
            for name, value in given.items()
            if value is not None
        }

    def query(self, **changes: str | int | None) -> str:
        """The query of the address of what differs from this; '': it asks for all."""
        fields = self.fields(**changes)
        return "?" + urlencode(fields) if fields else ""
