"""Where a fact comes from, who spoke for and against it, and who was served it."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.texts import beginning
from trustmem.desk.words import word
from trustmem.formats import rfc3339
from trustmem.store.mentions import known_as

#: Of those who were served a fact a page shows so many.
_MOST_SERVED = 20
_BEGINNING = 80


class Mentioned(NamedTuple):
    """An entity, a subject or an object, and the question for all facts that name it."""

    title: str
    query: str


class Provenance(NamedTuple):
    """Where a fact comes from; '' where nothing was said."""

    source: str
    source_query: str
    run: str
    producer: str
    is_core: bool
    born: When
    is_born_known: bool
    tier: str
    tier_because: str
    key: str
    signature: str
    imported: str
    subject: Mentioned | None
    predicate: str
    object: Mentioned | None
    entities: list[Mentioned]
    tags: list[str]


def provenance(found: Found, titles: Mapping[str, str], now: int) -> Provenance:
    """`titles` is what entities are called, by id; those that are missing go by that."""
    given = found["provenance"]
    because = next(each["because"] for each in found["why"] if each["factor"] == "provenance")
    signature = given["signature"]
    return Provenance(
        source=given["source"],
        source_query="?" + urlencode({"source": given["source"]}),
        run=given["run"],
        producer=word(given["producer"]),
        is_core=given["core"],
        born=when(rfc3339.parse(given["born"]), now),
        is_born_known=given["at_known"],
        tier=word(given["tier"]),
        tier_because=because,
        key=signature["key"] if signature else "",
        signature=_signature(signature),
        imported=given["imported"] or "",
        subject=_mentioned(given["subject"], given["subject"]) if given["subject"] else None,
        predicate=given["predicate"] or "",
        object=_mentioned(given["object"], given["object"]) if given["object"] else None,
        entities=[_mentioned(each, titles.get(each, each)) for each in given["entities"]],
        tags=given["tags"],
    )


def _mentioned(name: str, title: str) -> Mentioned:
    return Mentioned(beginning(title, _BEGINNING), "?" + urlencode({"entity": known_as(name)}))


def _signature(signature: Mapping[str, Any] | None) -> str:
    if signature is None:
        return gettext("not signed")
    return gettext("it counts") if signature["counts"] else gettext("it does not count")


class Voice(NamedTuple):
    """What a source did, in how many runs; `side` is for, against or used."""

    source: str
    side: str
    kind: str
    runs: str
    last: When


#: What each kind of touch is, in the order of the table: for, against, used.
_KINDS = {
    "corroborated": (gettext_lazy("for"), gettext_lazy("says that it is so")),
    "restated": (gettext_lazy("for"), gettext_lazy("says it again")),
    "linked": (gettext_lazy("for"), gettext_lazy("builds on it")),
    "contradicted": (gettext_lazy("against"), gettext_lazy("says that it is wrong")),
    "recalled": (gettext_lazy("used"), gettext_lazy("read it")),
    "injected": (gettext_lazy("used"), gettext_lazy("put it in a prompt")),
}
#: What speaks for or against trust, where it is no echo and not said at birth.
_TELLING = ("corroborated", "restated", "contradicted")


def voices(found: Found, now: int) -> list[Voice]:
    """Support and opposition by source: those for it first, then those against it, then those who used it."""
    order = list(_KINDS)
    ordered = sorted(found["touches"], key=lambda each: (order.index(each["kind"]), each["source"]))
    return [_voice(each, now) for each in ordered]


def _voice(touch: Found, now: int) -> Voice:
    side, kind = _KINDS[touch["kind"]]
    return Voice(touch["source"], str(side), str(kind), _runs(touch), when(rfc3339.parse(touch["last"]), now))


def _runs(touch: Found) -> str:
    runs, speaking = touch["runs"], touch["speaking"]
    if touch["kind"] not in _TELLING or speaking == runs:
        return whole(runs)
    told = ngettext("{runs}, of which {count} counts", "{runs}, of which {count} count", speaking)
    return told.format(runs=whole(runs), count=whole(speaking))


class Served(NamedTuple):
    """Who was served a fact, and how."""

    source: str
    run: str
    kind: str
    at: When


class AllServed(NamedTuple):
    """The newest of those who were served a fact, and how many more there are ('': none)."""

    newest: list[Served]
    more: str


def served(found: Found, now: int) -> AllServed:
    """Those who were served a fact, newest first."""
    newest = [
        Served(each["source"], each["run"], str(_KINDS[each["kind"]][1]), when(rfc3339.parse(each["at"]), now))
        for each in found["served"][:_MOST_SERVED]
    ]
    more = len(found["served"]) - len(newest)
    told = ngettext("and {count} time more before that", "and {count} times more before that", more)
    return AllServed(newest, told.format(count=whole(more)) if more else "")
