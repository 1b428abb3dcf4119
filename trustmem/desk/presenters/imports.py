"""Imports as pages show them: what a file would become, and what became of it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from trustmem.actions.undo import Undone
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations import imports as explained
from trustmem.formats.interchange import STATUSES
from trustmem.store.models import Import, Job
from trustmem.store.receipts import Receipt

#: So many lines that are amiss stand on a page, so much of a fact, and of a line that was not understood.
MOST_AMISS, LONGEST_TEXT, LONGEST_LINE = 200, 400, 200
#: So much of a line that was not understood stands in a report that is to be kept.
_LONGEST_KEPT = 1000

_ANSWERS = {
    "new": pgettext_lazy("answer", "new"),
    "known": pgettext_lazy("answer", "known"),
    "refused": pgettext_lazy("answer", "refused"),
    "waiting": pgettext_lazy("answer", "waiting"),
    "rejected": pgettext_lazy("answer", "rejected"),
}
_MEANINGS = {
    "new": _("the space does not have it yet"),
    "known": _("the space or the file has it already; nothing changes"),
    "refused": _("understood, and not allowed here; it stays on record and does not count"),
    "waiting": _("it names what is not there yet, and counts as soon as that comes"),
    "rejected": _("not understood; it stays on record word by word and does not count"),
}


class Answered(NamedTuple):
    """An answer, how many records got it, their share of all as a width of 100, and what it means."""

    word: str
    records: str
    share: str
    meaning: str


class Amiss(NamedTuple):
    """A record that does not count (yet), and why; `text` is what was not understood ('': it was understood).

    What was erased has neither.
    """

    number: str
    word: str
    field: str
    reason: str
    text: str
    is_erased: bool


class Balance(NamedTuple):
    """The answers to the records of a file, with their sum as a sentence; what is amiss, and how much more of it."""

    answers: list[Answered]
    says: str
    amiss: list[Amiss]
    more: str


class Sampled(NamedTuple):
    """A fact that a file would bring."""

    text: str
    source: str
    at: When | None


class Judged(NamedTuple):
    """What a file would become, as the `act` that an import of it is; `takes_back` says what it would take back or
    decide of what people decided ('': nothing)."""

    act: str
    balance: Balance
    brings: str
    takes_back: str
    sample: list[Sampled]
    notices: list[str]


class Listed(NamedTuple):
    """An import in the list of all; `source` is who tells a file that does not say so itself."""

    name: str
    file: str
    source: str
    by: str
    at: When
    brought: str
    says: str
    is_undone: bool


def balance(counts: Mapping[str, int], amiss: Sequence[Mapping[str, Any]], of: int) -> Balance:
    """The answers, and what is amiss: some of it, `of` so much in all."""
    shown = [_amiss(each) for each in amiss[:MOST_AMISS]]
    more = of - len(shown)
    says = ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more else ""
    return Balance(_answers(counts), _sum(counts), shown, says)


def _answers(counts: Mapping[str, int]) -> list[Answered]:
    most = max(sum(counts.values()), 1)
    return [
        Answered(str(_ANSWERS[each]), whole(counts[each]), f"{100 * counts[each] / most:.2f}", str(_MEANINGS[each]))
        for each in STATUSES
    ]


def _sum(counts: Mapping[str, int]) -> str:
    parts = " + ".join(f"{whole(counts[each])} {_ANSWERS[each]}" for each in STATUSES)
    records = sum(counts.values())
    told = ngettext("{parts} = {count} record", "{parts} = {count} records", records)
    return told.format(parts=parts, count=whole(records))


def _amiss(each: Mapping[str, Any]) -> Amiss:
    return Amiss(
        whole(each["number"]),
        str(_ANSWERS[each["status"]]),
        each["field"] or "",
        each["reason"] or "",
        beginning(each["text"] or "", LONGEST_LINE),
        each["text"] is None,
    )


def judged(job: Job, now: int) -> Judged:
    """What a job that judged a file found."""
    found = json.loads(job.result)
    amiss, facts = found["amiss"], found["facts"]
    sample = [
        Sampled(beginning(each["text"], LONGEST_TEXT), each["source"], _born(each, now)) for each in facts["sample"]
    ]
    counted = balance(found["counts"], amiss["lines"], amiss["of"])
    brings, takes_back = _would_bring(found["brought"]), explained.takes_back(found.get("takes_back", {}))
    return Judged(found["import"], counted, brings, takes_back, sample, found["notices"])


def _born(fact: Mapping[str, Any], now: int) -> When | None:
    return when(fact["at"], now) if fact["at_known"] else None


def _would_bring(brought: Mapping[str, int]) -> str:
    told = gettext("It would bring {what}.") if brought else gettext("It would bring nothing new.")
    return told.format(what=what_was_brought(brought))


def has_brought(brought: Mapping[str, int]) -> str:
    told = gettext("It brought {what}.") if brought else gettext("It brought nothing new.")
    return told.format(what=what_was_brought(brought))


def what_was_brought(brought: Mapping[str, int]) -> str:
    """Records by type, in words: 5 facts, 3 entities."""
    return ", ".join(_counted(brought))


def _counted(brought: Mapping[str, int]) -> Iterator[str]:
    words = {
        "fact": ngettext("{count} fact", "{count} facts", brought.get("fact", 0)),
        "entity": ngettext("{count} entity", "{count} entities", brought.get("entity", 0)),
        "link": ngettext("{count} link", "{count} links", brought.get("link", 0)),
        "edge": ngettext("{count} edge", "{count} edges", brought.get("edge", 0)),
        "event": ngettext("{count} event", "{count} events", brought.get("event", 0)),
        "feedback": ngettext("{count} feedback", "{count} feedbacks", brought.get("feedback", 0)),
    }
    for type, said in words.items():
        if brought.get(type):
            yield said.format(count=whole(brought[type]))
    others = sum(count for type, count in brought.items() if type not in words)
    if others:
        yield ngettext("{count} other record", "{count} other records", others).format(count=whole(others))


class TakenBack(NamedTuple):
    """Who undid an import, when and why; undoing the `act` brings it back."""

    act: str
    by: str
    at: When
    reason: str


def taken_back(undone: Undone | None, now: int) -> TakenBack | None:
    return TakenBack(undone.act, undone.by, when(undone.at, now), undone.reason) if undone else None


def undoing(brought: Mapping[str, int]) -> str:
    """What undoing an import comes to, all that it ever brought."""
    facts = brought.get("fact", 0)
    if not facts:
        return gettext("All that it brought is taken out of all counts. It can be brought back.")
    told = ngettext(
        "The {count} fact that it brought, and all else, is taken out of all counts. It can be brought back.",
        "The {count} facts that it brought, and all else, are taken out of all counts. They can be brought back.",
        facts,
    )
    return told.format(count=whole(facts))


def listed(
    imports: Iterable[Import], said: Mapping[str, Mapping[str, Any]], undone: frozenset[str], now: int
) -> list[Listed]:
    """Imports in their order; `said` is what the line of each says, by its name."""
    return [_listed(each, said[each.name], undone, now) for each in imports]


def _listed(imported: Import, said: Mapping[str, Any], undone: frozenset[str], now: int) -> Listed:
    return Listed(
        imported.name,
        imported.file,
        said.get("source", ""),
        imported.by,
        when(imported.at, now),
        what_was_brought(said.get("brought", {})) or gettext("nothing new"),
        _brief(imported),
        act_of(imported) in undone,
    )


def act_of(imported: Import) -> str:
    """The id by which an import is undone: several of one file share it."""
    return imported.name.rpartition(":")[0]


def _brief(imported: Import) -> str:
    records = sum(counts_of(imported).values())
    told = ngettext("{new} of {count} record is new", "{new} of {count} records are new", records)
    return told.format(new=whole(imported.new), count=whole(records))


def counts_of(imported: Import) -> dict[str, int]:
    return {each: getattr(imported, each) for each in STATUSES}


def rejects(found: Iterable[Receipt]) -> list[dict[str, Any]]:
    """Receipts as a report holds them: with the beginning of what was not understood, and null where it was erased."""
    return [each._asdict() | {"text": each.text and beginning(each.text, _LONGEST_KEPT)} for each in found]
