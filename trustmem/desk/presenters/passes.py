"""The passes of a space as their page shows them: what waits for a person, what is worked on, what is due, and what
was."""

from collections.abc import Iterable
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.actions import breaker, folding, jobs, passes, schedules, undo
from trustmem.actions.consolidation import BREAKER
from trustmem.actions.undo import Undone
from trustmem.core.instants import EVER, MICROSECONDS_PER_SECOND, NEVER, span, to_text
from trustmem.desk.instants import When, ahead, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.jobs import lasting
from trustmem.desk.presenters.paging import Place, page
from trustmem.explanations.passes import reasons
from trustmem.store import pairs, queries
from trustmem.store.models import OPEN, Job, JobState, Pass, Schedule, Space
from trustmem.store.passes import COUNTS

#: So many passes stand on a page.
SIZE = 25
#: What failed longer ago is shown no more, but for passes.
_LATELY = span(7)
#: What was due longer ago (µs) and was not asked for tells that nothing wakes the workers.
_LATE = 300 * MICROSECONDS_PER_SECOND

_COUNTED = {
    "weighed": gettext_lazy("Weighed"),
    "changed": gettext_lazy("Changed"),
    "revived": gettext_lazy("Came back"),
    "pruned": gettext_lazy("Pruned"),
    "promoted": gettext_lazy("Promoted"),
    "deferred": gettext_lazy("Promotion waits"),
}
_KINDS = {
    jobs.CONSOLIDATION: gettext_lazy("A pass"),
    jobs.PREVIEW: gettext_lazy("A preview of a pass"),
    jobs.UNDO: gettext_lazy("An undo"),
    jobs.REFRESH: gettext_lazy("A refresh of stored trust"),
    jobs.DETECTION: gettext_lazy("A check by the detector"),
}


class Counted(NamedTuple):
    """How many facts a pass weighed, changed and so on."""

    name: str
    title: str
    many: str


def counted(counts: dict[str, int]) -> list[Counted]:
    """Counts of a pass, in the order in which a pass does its work."""
    return [Counted(name, str(_COUNTED[name]), whole(counts[name])) for name in COUNTS]


def counts_of(taken: Pass) -> list[Counted]:
    """What a pass did."""
    return counted({name: getattr(taken, name) for name in COUNTS})


def titles() -> list[str]:
    """The names of these counts."""
    return [str(_COUNTED[name]) for name in COUNTS]


class Waits(NamedTuple):
    """A pass that waits for a person: its job, for which reasons, `since` when, and what it would do as of the line at
    `head`, as it was `looked` at last; `is_again`: it was approved, and would do more by now."""

    pk: int
    head: int
    reasons: list[str]
    counts: list[Counted]
    since: When
    looked: When
    is_again: bool


def waiting(space: Space, now: int) -> Waits | None:
    """The pass that waits for a person; None where none does."""
    job = Job.objects.filter(space=space, kind=jobs.CONSOLIDATION, state=JobState.NEEDS_A_PERSON).first()
    return None if job is None else waits(job, now)


def waits(job: Job, now: int) -> Waits:
    """A job as one that waits for a person."""
    verdict = breaker.of_job(job)
    return Waits(
        job.pk,
        verdict.preview.head,
        reasons(verdict, whole),
        counted(dict(verdict.preview.counts)),
        when(_held_since(job.space) or job.ended_at, now),
        when(job.ended_at, now),
        is_approved(job),
    )


def is_approved(job: Job) -> bool:
    """Whether a person approved a pass, be it that it would do more by now."""
    return "allowed" in job.asked


def _held_since(space: Space) -> int | None:
    """When the first pass was held back of those since the last that counts: each slot looks at it anew."""
    last = Pass.objects.filter(space=space, void=False).order_by("instant").last()
    since = Pass.objects.filter(space=space, void=True, instant__gt=last.instant if last else NEVER)
    instants = {to_text(each): each for each in since.values_list("instant", flat=True)}
    undone = undo.all_undone(space, instants, folding.void(space, space.folded_to)) if instants else {}
    return min((instants[name] for name, each in undone.items() if each.by == BREAKER), default=None)


class Work(NamedTuple):
    """A job that is to be done, or failed, which somebody asked for or approved; `percent` is '' where nobody can say
    how far it is."""

    pk: int
    kind: str
    title: str
    says: str
    percent: str
    lasts: str
    by: str
    is_approved: bool
    at: When
    is_open: bool
    is_unclaimed: bool
    error: str


def working(space: Space, now: int) -> list[Work]:
    """What is worked on, or waits for a worker, oldest first; and of each kind what failed, if it was the last."""
    kept = Job.objects.filter(space=space, kind__in=_KINDS).defer("result").order_by("asked_at", "pk")
    failed = kept.filter(state=JobState.FAILED)
    last = {kind: kept.filter(kind=kind).values("pk").last() for kind in _KINDS}
    shown = [*kept.filter(state__in=OPEN), *failed.filter(pk__in=[each["pk"] for each in last.values() if each])]
    return [work(job, now) for job in shown if job.state in OPEN or _is_recent(job, now)]


def _is_recent(job: Job, now: int) -> bool:
    return job.kind == jobs.CONSOLIDATION or now - job.ended_at < _LATELY


def work(job: Job, now: int) -> Work:
    """How far a job is."""
    return Work(
        job.pk,
        job.kind,
        str(_KINDS[job.kind]),
        _at(job),
        f"{100 * job.done / job.of:.0f}" if 0 < job.done < job.of else "",
        lasting(now - (job.started_at if job.state == JobState.RUNNING else job.asked_at)),
        by(job.by),
        is_approved(job),
        when(job.asked_at, now),
        job.state in OPEN,
        jobs.lacks_a_worker(job, now),
        job.error,
    )


def _at(job: Job) -> str:
    """What a job is at."""
    if job.state == JobState.QUEUED:
        return gettext("It waits for a worker.")
    if job.of:
        told = ngettext("{done} of {of} fact is done.", "{done} of {of} facts are done.", job.of)
        return told.format(done=whole(job.done), of=whole(job.of))
    if job.kind == jobs.UNDO:
        return gettext("Everything is reckoned anew, as if it had never been.")
    if job.kind == jobs.DETECTION:
        return gettext("Facts are compared with those before them.")
    return gettext("It is worked out what a pass would do, fact by fact.")


def by(name: str) -> str:
    """Who asked for a job ('': the schedule)."""
    return "" if name == schedules.SCHEDULE else name


class Due(NamedTuple):
    """When the next pass is due by the schedule (None: never), in how long, and when the `last` was taken, by its name
    in addresses; `late`: what was due and was not asked for."""

    next: When | None
    last: When | None
    last_name: str
    late: When | None
    is_under_way: bool


def due(space: Space, now: int) -> Due:
    """When passes are taken."""
    rhythm = schedules.of(space)[jobs.CONSOLIDATION]
    following, last = schedules.next_due(rhythm, now), queries.last_pass(space)
    return Due(
        ahead(following, now) if following > NEVER else None,
        when(last.instant, now) if last else None,
        to_text(last.instant) if last else "",
        _late(space, now),
        passes.under_way(space) is not None,
    )


def _late(space: Space, now: int) -> When | None:
    """The slot that has passed without anybody looking at the schedule."""
    kept = Schedule.objects.filter(space=space, kind=jobs.CONSOLIDATION).first()
    slot = schedules.latest(schedules.Rhythm(kept.every, kept.offset), now) if kept else NEVER
    return when(slot, now) if kept and slot > kept.last_slot and now - slot > _LATE else None


class Checked(NamedTuple):
    """How far the detector is: `says` in a sentence, and when it checked last (None: never)."""

    says: str
    at: When | None


def checked(space: Space, now: int) -> Checked:
    """How many facts the detector has compared with those before them."""
    standing = pairs.standing(space)
    if not standing.detector:
        return Checked(gettext("No fact is checked yet."), None)
    told = {"done": whole(standing.done), "of": whole(standing.of), "detector": standing.detector}
    says = ngettext(
        "Checked up to {done} of {of} fact, by detector {detector}.",
        "Checked up to {done} of {of} facts, by detector {detector}.",
        standing.of,
    )
    return Checked(says.format(**told), when(standing.at, now))


class Taken(NamedTuple):
    """A pass in the list of all, by its name in addresses; `note` where it does not count, or not yet all of it."""

    name: str
    at: When
    is_asked: bool
    by: str
    counts: list[Counted]
    note: str
    note_by: str
    note_at: When | None


class History(NamedTuple):
    """Passes, the newest first, and the addresses of the pages after and before ('': there is none)."""

    rows: list[Taken]
    next: str
    previous: str


def history(space: Space, place: Place, now: int) -> History:
    """A page of all passes."""
    found = page(Pass.objects.filter(space=space), "-instant", place, SIZE)
    undone = undone_passes(space, found.rows)
    asked = Job.objects.filter(space=space, kind=jobs.CONSOLIDATION, instant__in=[each.instant for each in found.rows])
    who = dict(asked.values_list("instant", "by"))
    base = reverse("passes", args=[space.name])
    return History(
        [_taken(each, undone, who.get(each.instant), now) for each in found.rows],
        found.next and f"{base}?{found.next}",
        found.previous and f"{base}?{found.previous}",
    )


def undone_passes(space: Space, found: Iterable[Pass]) -> dict[str, Undone]:
    """Who undid passes, by their names, those left out that count."""
    names = [to_text(each.instant) for each in found if each.void]
    return undo.all_undone(space, names, folding.void(space, space.folded_to)) if names else {}


def _taken(taken: Pass, undone: dict[str, Undone], who: str | None, now: int) -> Taken:
    name = to_text(taken.instant)
    note, note_by, note_at = _note(taken, undone.get(name))
    return Taken(
        name,
        when(taken.instant, now),
        who is not None,
        by(who or ""),
        [] if taken.void else counts_of(taken),
        note,
        note_by,
        when(note_at, now) if note_at is not None else None,
    )


def _note(taken: Pass, undone: Undone | None) -> tuple[str, str, int | None]:
    """What is to be said of a pass beside what it did; who undid it, and when."""
    if undone and undone.by == BREAKER:
        return gettext("held back: it needed a person's word"), "", None
    if taken.void:
        return gettext("rolled back"), undone.by if undone else "", undone.at if undone else None
    if is_under_way(taken):
        return gettext("still under way"), "", None
    return "", "", None


def is_under_way(taken: Pass) -> bool:
    """Whether there are facts that have not gone through a pass yet."""
    return taken.through < EVER
