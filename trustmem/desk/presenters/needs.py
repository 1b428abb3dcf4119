"""What in a space needs a person now, the most consequential first: a count, what it means, and where to go."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions import alarms, folding, jobs, uploads
from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY, NEVER, span
from trustmem.desk.numbers import capped, whole
from trustmem.desk.presenters.alarms import told
from trustmem.desk.presenters.facts import View
from trustmem.desk.presenters.imports import act_of
from trustmem.desk.presenters.tiles import Tile, tile
from trustmem.explanations import cases
from trustmem.store import queries, queue
from trustmem.store.cases import BULK_CHANGE
from trustmem.store.lists import Filter, Sort
from trustmem.store.models import Case, Import, Job, JobState, Space, Waiting

#: How many facts have each flag, up to a cap, and whether there are more.
Counts = Mapping[str, tuple[int, bool]]

#: What failed or was not taken in longer ago is told by the page of imports alone.
_LATELY_DAYS = 7
_CAP = 1000
_ON_FILES = (uploads.JUDGE, uploads.TAKE_IN)
#: What failed of these is told where what they count is shown.
_TOLD_ELSEWHERE = (jobs.TRENDS, jobs.HISTOGRAMS, jobs.GRAPH)
#: So many kinds of cases are named.
_KINDS = 3


class Need(NamedTuple):
    """A line: how many of what, one sentence about them, and where to go ('': nowhere yet)."""

    many: str
    title: str
    says: SafeString | str
    href: str = ""


class Group(NamedTuple):
    """Lines that are read together, so that they can fail alone."""

    title: str
    lines: Tile[list[Need]]


class Needs(NamedTuple):
    """Every line, and all of it in a few words."""

    headline: str
    groups: list[Group]


def needs(space: Space, flags: Tile[Counts], now: int) -> Needs:
    """What needs a person in a space whose flags are counted already."""
    first = Tile(list(_facts(space, flags.shown)) if flags.shown else [], flags.unread)
    others = {
        gettext("Lines that wait"): _lines_that_wait,
        gettext("Imports"): _lines_not_taken_in,
        gettext("Jobs"): _jobs_that_failed,
        gettext("Passes"): _passes_that_lack,
    }
    waiting = _group(gettext("A pass that waits"), _passes_that_wait, space, now)
    of_cases, of_facts = _group(gettext("Cases"), _cases, space, now), Group(gettext("Facts"), first)
    groups = [waiting, of_cases, of_facts, *(_group(*each, space, now) for each in others.items())]
    return Needs(_headline(groups), groups)


def _group(title: str, find: Callable[[Space, int], Iterator[Need]], space: Space, now: int) -> Group:
    return Group(title, tile(now, lambda: list(find(space, now))))


def facts_with(space: Space, **filter: Any) -> str:
    """The address of a list of facts, the most trusted first: those do most harm if they are wrong."""
    return reverse("facts", args=[space.name]) + View(Filter(**filter), Sort()).address()


def follows_defaults(constants: Constants) -> bool:
    """Whether nobody has fitted freshness to this memory yet."""
    names = ("activation_midpoint", "activation_scale", "activation_decay")
    return all(getattr(constants, name) == getattr(Constants(), name) for name in names)


def _headline(groups: list[Group]) -> str:
    if any(group.lines.unread for group in groups):
        return gettext("Not all of this desk can be read now")
    if not any(group.lines.shown for group in groups):
        return gettext("Nothing needs you now")
    return gettext("What needs you now")


def _facts(space: Space, counts: Counts) -> Iterator[Need]:
    for flag, (title, says) in _told({flag: count for flag, (count, _) in counts.items()}).items():
        if counts[flag][0]:
            yield Need(capped(*counts[flag]), title, says, facts_with(space, flag=flag))


def _told(count: Mapping[str, int]) -> dict[str, tuple[str, str]]:
    """What such facts are called, and why they need somebody, by flag."""
    return {
        "challenged": (
            ngettext("challenged fact", "challenged facts", count["challenged"]),
            gettext("Somebody objects to what a person stands for, which has no effect until you rule on it."),
        ),
        "disputed": (
            ngettext("disputed fact", "disputed facts", count["disputed"]),
            gettext("Other claims speak against it, and agents may be served both until you decide which holds."),
        ),
        "use-only": (
            ngettext("fact kept fresh by use alone", "facts kept fresh by use alone", count["use-only"]),
            gettext("Read often by agents, and confirmed by nobody for long: see whether it still holds."),
        ),
        "stale": (
            ngettext("stale fact", "stale facts", count["stale"]),
            gettext("Long not confirmed and hardly used: say that it still holds, or let it go."),
        ),
    }


def _cases(space: Space, now: int) -> Iterator[Need]:
    """All open cases in a line, which leads to the queue."""
    left = queue.count(space, queue.Filter(now=now))
    if left[0]:
        title = ngettext("case waits", "cases wait", left[0])
        yield Need(capped(*left), title, _what_waits(space, now), reverse("review", args=[space.name]))


def _what_waits(space: Space, now: int) -> SafeString:
    """The kinds of the cases, bulk changes first and then the most consequential; and the newest bulk change."""
    filter = queue.Filter(now=now)
    counted = queue.kinds(space, filter)
    top = [row.kind for row in queue.page(space, filter).rows]
    kinds = [kind for kind in dict.fromkeys([BULK_CHANGE, *top, *counted]) if kind in counted]
    named = [cases.kinds(kind, counted[kind][0], partial(capped, is_more=counted[kind][1])) for kind in kinds]
    more = [gettext("and others")] if named[_KINDS:] else []
    says = ", ".join([*named[:_KINDS], *more])
    open_ones = Case.objects.filter(space=space, name__startswith=alarms.PREFIX, closed_at=NEVER)
    newest = alarms.ours(space, open_ones)[:1] if BULK_CHANGE in counted else []
    return format_html_join(" ", "{}", [(f"{says}.",), *((told(space, case),) for case in newest)])


def _lines_that_wait(space: Space, now: int) -> Iterator[Need]:
    found = Waiting.objects.filter(space=space).values("position").distinct()[: _CAP + 1].count()
    if found:
        yield Need(
            capped(min(found, _CAP), found > _CAP),
            ngettext("line that waits", "lines that wait", found),
            gettext("Something is named there that has not come; until it does, that has no effect."),
            _imports(space),
        )


def _lines_not_taken_in(space: Space, now: int) -> Iterator[Need]:
    lately = Import.objects.filter(space=space, at__gt=now - span(_LATELY_DAYS))
    amiss = list(lately.exclude(refused=0, rejected=0).order_by("pk"))
    undone = folding.void(space, space.head_position) if amiss else frozenset()
    standing = [each for each in amiss if act_of(each) not in undone]
    if standing:
        count = sum(each.refused + each.rejected for each in standing)
        yield Need(
            whole(count),
            ngettext("line that was not taken in", "lines that were not taken in", count),
            gettext("Refused or not understood in the last seven days; the report of the import says why."),
            _report(space, standing[0]) if len(standing) == 1 else _imports(space),
        )


def _report(space: Space, imported: Import) -> str:
    return reverse("import-report", args=[space.name, act_of(imported)])


def _imports(space: Space) -> str:
    return reverse("imports", args=[space.name])


def _jobs_that_failed(space: Space, now: int) -> Iterator[Need]:
    lately = Job.objects.filter(space=space, asked_at__gt=now - span(_LATELY_DAYS), state=JobState.FAILED)
    told = lately.exclude(kind__in=_TOLD_ELSEWHERE).values_list("kind", flat=True)
    failed = Counter(kind in _ON_FILES for kind in told)
    for is_on_files, found in sorted(failed.items()):
        yield Need(
            whole(found),
            ngettext("job that failed", "jobs that failed", found),
            gettext("What was asked for in the last seven days was not done; it can be tried again."),
            _imports(space) if is_on_files else reverse("passes", args=[space.name]),
        )


def _passes_that_wait(space: Space, now: int) -> Iterator[Need]:
    waits = Job.objects.filter(space=space, state=JobState.NEEDS_A_PERSON)
    for job in waits.values_list("pk", flat=True):
        yield Need(
            "1",
            gettext("pass that needs a person's word"),
            gettext("It would do more than a pass may by itself: see what, and say whether it is to be taken."),
            reverse("pass-job", args=[space.name, job]),
        )


def _passes_that_lack(space: Space, now: int) -> Iterator[Need]:
    most, last = queries.constants(space).max_pass_gap_days, queries.last_pass(space)
    says = gettext("Until a pass is taken nothing fades, comes back or is promoted: run one now.")
    href = reverse("passes", args=[space.name])
    if last is None:
        yield Need("–", gettext("no pass yet"), says, href)
    elif now - last.instant > span(most):
        days = (now - last.instant) // MICROSECONDS_PER_DAY
        yield Need(whole(days), ngettext("day without a pass", "days without a pass", days), says, href)
