"""Imports as pages show them: what a file would become, how far that is, and what became of it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from trustmem.actions import uploads
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.texts import beginning
from trustmem.formats.interchange import STATUSES
from trustmem.store.models import OPEN, Import, Job, JobState, Reject

#: So many lines that are amiss stand on a page, and so much of a text.
MOST_AMISS, LONGEST_TEXT = 200, 400
#: Longer than that (µs) a job waits only where no worker runs.
_SOON = 10 * MICROSECONDS_PER_SECOND

_ANSWERS = {
    "new": pgettext_lazy("answer", "new"),
    "known": pgettext_lazy("answer", "known"),
    "refused": pgettext_lazy("answer", "refused"),
    "waiting": pgettext_lazy("answer", "waiting"),
    "rejected": pgettext_lazy("answer", "rejected"),
}
_MEANINGS = {
    "new": _("the space does not have it yet"),
    "known": _("the space has it already; nothing changes"),
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
    """A record that does not count (yet), and why."""

    number: str
    word: str
    field: str
    reason: str


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
    """What a file would become."""

    balance: Balance
    facts: str
    sample: list[Sampled]
    notices: list[str]


class Doing(NamedTuple):
    """A job on a file: at which `stage` it is, in words (`says`) and in percent; `is_open` while it goes on."""

    pk: int
    stage: str
    file: str
    source: str
    by: str
    at: When
    says: str
    percent: str
    is_open: bool
    is_taking: bool
    is_unclaimed: bool
    error: str


class Listed(NamedTuple):
    """An import in the list of all."""

    name: str
    file: str
    by: str
    at: When
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
    return Amiss(whole(each["number"]), str(_ANSWERS[each["status"]]), each["field"] or "", each["reason"] or "")


def judged(job: Job, now: int) -> Judged:
    """What a job that judged a file found."""
    found = json.loads(job.result)
    amiss, facts = found["amiss"], found["facts"]
    sample = [
        Sampled(beginning(each["text"], LONGEST_TEXT), each["source"], _born(each, now)) for each in facts["sample"]
    ]
    return Judged(
        balance(found["counts"], amiss["lines"], amiss["of"]), new_facts(facts["new"]), sample, found["notices"]
    )


def _born(fact: Mapping[str, Any], now: int) -> When | None:
    return when(fact["at"], now) if fact["at_known"] else None


def new_facts(count: int) -> str:
    if not count:
        return gettext("None of its facts is new.")
    return ngettext("{count} fact is new.", "{count} facts are new.", count).format(count=whole(count))


def doing(job: Job, file: str, source: str, now: int) -> Doing:
    """How far a job on a file is."""
    stage = _stage(job)
    return Doing(
        job.pk,
        stage,
        file,
        source,
        job.by,
        when(job.asked_at, now),
        _says(job, stage),
        f"{100 * job.done / job.of:.0f}" if job.of else "0",
        job.state in OPEN,
        job.kind == uploads.TAKE_IN,
        _is_unclaimed(job, now),
        job.error,
    )


def _stage(job: Job) -> str:
    if job.state == JobState.FAILED:
        return "failed"
    if job.kind == uploads.TAKE_IN:
        return "taken" if job.state == JobState.DONE else "taking"
    return "judged" if job.state == JobState.DONE else "judging"


def _says(job: Job, stage: str) -> str:
    if stage == "failed":
        return gettext("Failed: {error}").format(error=job.error)
    if stage == "judged":
        return gettext("It is judged, and waits for you.")
    if stage == "judging":
        return gettext("It is being judged.")
    if not job.of:
        return gettext("It is being taken in.")
    if job.done == job.of:
        told = ngettext(
            "{of} line is written; now its facts are scored.",
            "{of} lines are written; now their facts are scored.",
            job.of,
        )
    else:
        told = ngettext("{done} of {of} line", "{done} of {of} lines", job.of)
    return told.format(done=whole(job.done), of=whole(job.of))


def _is_unclaimed(job: Job, now: int) -> bool:
    waits = job.state == JobState.QUEUED and now - job.asked_at > _SOON
    return waits or (job.state == JobState.RUNNING and now - job.lease_until > _SOON)


def listed(imports: Iterable[Import], undone: frozenset[str], now: int) -> list[Listed]:
    return [
        Listed(each.name, each.file, each.by, when(each.at, now), _brief(each), act_of(each) in undone)
        for each in imports
    ]


def act_of(imported: Import) -> str:
    """The id by which an import is undone: several of one file share it."""
    return imported.name.rpartition(":")[0]


def _brief(imported: Import) -> str:
    records = sum(counts_of(imported).values())
    told = ngettext("{new} new of {count} record", "{new} new of {count} records", records)
    return told.format(new=whole(imported.new), count=whole(records))


def counts_of(imported: Import) -> dict[str, int]:
    return {each: getattr(imported, each) for each in STATUSES}


def rejects(found: Iterable[Reject]) -> list[dict[str, Any]]:
    """Receipts as a report holds them."""
    names = ("number", "status", "field", "reason")
    return [{name: getattr(each, name) for name in names} for each in found]
