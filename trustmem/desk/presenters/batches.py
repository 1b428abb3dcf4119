"""What is shown before many cases are decided alike, or many facts forgotten: how many, ten of them, and what that
comes to; and what it came to."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from trustmem.actions import batches, facts, folding, jobs, kinds, undo, verdicts
from trustmem.actions.batches import Batch
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.facts import View, chips, rows, table
from trustmem.desk.presenters.imports import TakenBack, taken_back
from trustmem.desk.presenters.jobs import lasting
from trustmem.desk.presenters.queue import Asked
from trustmem.desk.presenters.review import Row, listed
from trustmem.explanations import cases
from trustmem.store import at_stake, lists, queue
from trustmem.store.duplicates import MERGE
from trustmem.store.lists import Filter
from trustmem.store.models import OPEN, Job, JobState, Space

#: So many of them are shown, from all over the list.
SAMPLE = 10
_T = TypeVar("_T")


class Verdict(NamedTuple):
    """What can be decided: its word in forms, in the reader's language, what it comes to, and how many facts it would
    forget ('': none)."""

    name: str
    title: str
    means: str
    forgets: str


def of_cases(space: Space, asked: Asked, by: str, now: int) -> dict[str, Any]:
    """What is shown before the cases of a filter are decided; a kind is asked for."""
    kind, seen = asked.filter.kind or "", space.head_position
    keys = queue.keys(space, asked.filter.upto_at_most(seen))
    sides = at_stake.sides(keys[: batches.MOST])
    sample: list[Row] = listed(space, queue.at(_spread(keys)), asked, by, now)
    return {
        "count": len(keys),
        "seen": seen,
        "says": cases.kinds(kind, len(keys), whole),
        "asks": cases.asks(kind),
        "source": asked.filter.source or "",
        "sample": sample,
        "sample_says": _sample_says(len(sample), len(keys)),
        "most": _most(len(keys)),
        "verdicts": [_verdict(space, name, sides) for name in verdicts.of_many(kind)],
        "fields": asked.fields(),
        "back": reverse("review", args=[space.name]) + asked.query(),
    }


def _spread(values: Sequence[_T]) -> list[_T]:
    """Some of them, from all over, the first among them."""
    places = sorted({place * len(values) // SAMPLE for place in range(SAMPLE)}) if values else []
    return [values[place] for place in places]


def _sample_says(shown: int, of: int) -> str:
    if shown >= of:
        return gettext("All of them")
    return gettext("{shown} of them, from all over the list").format(shown=whole(shown))


def _most(count: int) -> str:
    """What is said where they are too many for one act."""
    if count <= batches.MOST:
        return ""
    return gettext("They are too many for one act: it takes the first {most}, and can be done again.").format(
        most=whole(batches.MOST)
    )


def _verdict(space: Space, name: str, sides: tuple[set[str], set[str]]) -> Verdict:
    first, second = sides
    lost = {"keep left": second, "keep right": first, "neither": first | second, "forget it": first, MERGE: second}
    count = at_stake.in_use(space, lost.get(name, set()))
    forgets = ngettext("{count} fact would be forgotten", "{count} facts would be forgotten", count)
    return Verdict(name, cases.verdict(name), cases.means(name), forgets.format(count=whole(count)) if count else "")


def is_narrowed(view: View) -> bool:
    """Whether a list is of some facts, as of now, of which any can be forgotten."""
    asked = set(view.asked()) - {"sort", "order", "state"}
    return bool(asked) and "as_of" not in asked and view.filter.state in (None, "live", "pruned")


def forget_href(space: Space, view: View) -> str:
    """Where all facts of a list are forgotten; '': they are not."""
    return reverse("forget-all", args=[space.name]) + view.address() if is_narrowed(view) else ""


def of_facts(space: Space, view: View, filter: Filter, now: int) -> dict[str, Any]:
    """What is shown before the facts of a list are forgotten; `filter` is that of the view, with names meant."""
    keys = facts.forgettable(space, filter)
    sample = lists.rows(_spread(keys))
    listing = reverse("facts", args=[space.name])
    shown = [row._replace(source_query=listing + row.source_query) for row in rows(sample, view, now, untold={})]
    return {
        "count": len(keys),
        "seen": space.head_position,
        "says": ngettext("{count} fact", "{count} facts", len(keys)).format(count=whole(len(keys))),
        "chips": chips(view),
        "rows": table(shown, space.name),
        "sample_says": _sample_says(len(sample), len(keys)),
        "most": _most(len(keys)),
        "fields": view.asked(),
        "back": listing + view.address(),
    }


def decided(count: int) -> str:
    """That so many cases are decided."""
    return ngettext("{count} case is decided.", "{count} cases are decided.", count).format(count=whole(count))


def forgotten(count: int) -> str:
    """That so many facts are forgotten."""
    said = ngettext(
        "{count} fact is forgotten: it is served to nobody any more.",
        "{count} facts are forgotten: they are served to nobody any more.",
        count,
    )
    return said.format(count=whole(count))


def left_out(batch: Batch) -> str:
    """What was left out of a batch ('': nothing)."""
    told: list[tuple[int, Callable[[int], str]]] = [
        (batch.gone, lambda n: ngettext("{count} waited no more", "{count} waited no more", n)),
        (batch.changed, lambda n: ngettext("{count} had changed", "{count} had changed", n)),
        (batch.refused, lambda n: ngettext("{count} could not be decided so", "{count} could not be decided so", n)),
    ]
    found = [says(count).format(count=whole(count)) for count, says in told if count]
    return gettext("Left out: {what}.").format(what=", ".join(found)) if found else ""


class Doing(NamedTuple):
    """A batch that a worker does: how far it is; and once it is done, what it came to, by which act it is undone, and
    who did that already (None: nobody)."""

    pk: int
    by: str
    at: When
    is_open: bool
    is_unclaimed: bool
    lasts: str
    says: str
    left_out: str
    act: str
    undone: TakenBack | None
    error: str
    back: str


def doing(job: Job, now: int) -> Doing:
    """A job of this kind."""
    batch = Batch(**kinds.result(job)) if job.state == JobState.DONE else None
    of_facts, undone = job.asked["of"] == "facts", _undone(job.space, batch.act) if batch else None
    return Doing(
        job.pk,
        job.by,
        when(job.asked_at, now),
        job.state in OPEN,
        jobs.lacks_a_worker(job, now),
        lasting(now - (job.started_at if job.state == JobState.RUNNING else job.asked_at)),
        _says(job, batch, of_facts),
        left_out(batch) if batch else "",
        batch.act if batch else "",
        taken_back(undone, now),
        job.error,
        job.asked["back"],
    )


def _undone(space: Space, act: str) -> undo.Undone | None:
    return undo.undone(space, act, folding.void(space, space.folded_to))


def _says(job: Job, batch: Batch | None, of_facts: bool) -> str:
    if batch:
        return (forgotten if of_facts else decided)(batch.done)
    if job.state == JobState.QUEUED:
        return gettext("It waits for a worker.")
    if of_facts:
        return gettext("The facts are being forgotten, all at once.")
    return gettext("The cases are being decided, all at once.")
