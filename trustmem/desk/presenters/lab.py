"""The calibration lab around its fields: which version is in force, how old the histograms are and what is being
counted, the freshness bench, and histograms by group."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from trustmem.actions import jobs
from trustmem.core.constants import Constants, fingerprint
from trustmem.core.histograms import BY, MEASURES, SPANS
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import bench, constants
from trustmem.desk.presenters.bench import Told
from trustmem.desk.presenters.constants import Back
from trustmem.desk.presenters.jobs import lasting
from trustmem.desk.presenters.needs import follows_defaults
from trustmem.desk.presenters.trials import Trial
from trustmem.store import histograms
from trustmem.store.models import OPEN, ConstantsVersion, Histogram, Job, JobState, Space

#: Of a fingerprint so much is shown.
_BEGINNING = 12
_KINDS = {jobs.HISTOGRAMS: _("Counting histograms"), jobs.ADOPTION: _("Putting a version in force")}
#: What failed longer ago is of no interest any more.
_RECENT = MICROSECONDS_PER_DAY
#: So many groups of facts are drawn at most.
_MOST = 24
_BY = {
    "": pgettext_lazy("by", "all together"),
    "scope": pgettext_lazy("by", "by scope"),
    "producer": pgettext_lazy("by", "by producer"),
    "source": pgettext_lazy("by", "by source"),
    "tier": pgettext_lazy("by", "by tier"),
}
_BINS = {"linear": pgettext_lazy("bins", "linear"), "log": pgettext_lazy("bins", "logarithmic")}


class Version(NamedTuple):
    """The version in force, and how it is taken back."""

    about: constants.Version | None
    fingerprint: str
    is_calibrated: bool
    back: Back


def version(space: Space, in_force: Constants, now: int) -> Version:
    newest = ConstantsVersion.objects.filter(space=space).order_by("since", "pk").last()
    about = constants.version(newest, now) if newest else None
    back = constants.back(space, newest) if newest else Back("", "")
    return Version(about, fingerprint(in_force)[:_BEGINNING], not follows_defaults(in_force), back)


class Working(NamedTuple):
    """A job of the lab that is to be done, or has just failed."""

    title: str
    says: str
    percent: str
    is_open: bool
    is_unclaimed: bool
    error: str


def working(space: Space, now: int, kinds: Mapping[str, object] = _KINDS) -> list[Working]:
    """The last job of each kind, by what it is called, unless it is done."""
    found = ((last(space, kind), title) for kind, title in kinds.items())
    return [_working(job, str(title), now) for job, title in found if job is not None and _is_shown(job, now)]


def last(space: Space, kind: str) -> Job | None:
    """The job of a kind that was asked for last."""
    return Job.objects.filter(space=space, kind=kind).defer("result").order_by("asked_at", "pk").last()


def _is_shown(job: Job, now: int) -> bool:
    return job.state in OPEN or (job.state == JobState.FAILED and now - job.ended_at < _RECENT)


def _working(job: Job, title: str, now: int) -> Working:
    since = job.started_at if job.state == JobState.RUNNING else job.asked_at
    waits = job.state == JobState.QUEUED
    return Working(
        title,
        gettext("It waits for a worker.") if waits else lasting(now - since),
        f"{100 * job.done / job.of:.0f}" if 0 < job.done < job.of else "0",
        job.state in OPEN,
        jobs.lacks_a_worker(job, now),
        job.error,
    )


class Counted(NamedTuple):
    """When histograms were counted, under which version, and whether others hold by now."""

    at: When
    version: str
    is_of_another: bool
    is_behind: bool


def counted(space: Space, now: int) -> Counted | None:
    """None: they were not counted yet."""
    row = next(iter(histograms.found(space, MEASURES[0])), None)
    if row is None:
        return None
    version = ConstantsVersion.objects.filter(space=space).order_by("since", "pk").last()
    is_of_another = version is not None and version.number != row.constants_version
    return Counted(when(row.at, now), str(row.constants_version), is_of_another, space.written_at > row.at)


class Figure(NamedTuple):
    """A histogram with the addresses of its figure and of its table for machines."""

    id: str
    title: str
    told: Told | None
    src: str
    csv: str


def benches(space: Space, trial: Trial) -> dict[str, Figure]:
    """Ages, and activation, each with the squash over it."""
    bins = {"age": "log", "activation": "linear"}
    return {measure: _bench(space, measure, of_it, trial) for measure, of_it in bins.items()}


def _bench(space: Space, measure: str, bins: str, trial: Trial) -> Figure:
    row = next(iter(histograms.found(space, measure, "", bins)), None)
    told = bench.told(row, trial.constants, _ahead(space, measure, "").get("", 0)) if row else None
    return _figure(space, measure, told, {"measure": measure, "bins": bins}, squash="1")


def _ahead(space: Space, measure: str, by: str) -> dict[str, int]:
    """How many facts of each group are dated in the future, where their activation is shown."""
    rows = histograms.found(space, "age", by) if measure == "activation" else []
    return {row.of: row.below for row in rows}


def _figure(space: Space, id: str, told: Told | None, asked: dict[str, str], **more: str) -> Figure:
    query = urlencode({name: value for name, value in asked.items() if value})
    src = f"{reverse('histogram-figure', args=[space.name])}?{'&'.join(filter(None, (query, urlencode(more))))}"
    csv = reverse("histogram-csv", args=[space.name]) + "?" + query
    return Figure(id, bench.title(asked["measure"]), told, src, csv if told else "")


class Spread(NamedTuple):
    """The histograms of a measure, group by group; `more` says that not all are shown."""

    title: str
    figures: list[Figure]
    more: str


def spread(space: Space, measure: str, by: str, bins: str) -> Spread:
    rows = histograms.found(space, measure, by, bins)
    ahead = _ahead(space, measure, by)
    figures = [_of_group(space, place, row, ahead.get(row.of, 0)) for place, row in enumerate(rows[:_MOST])]
    more = gettext("The first {count} of {all} groups are shown.") if len(rows) > _MOST else ""
    return Spread(bench.title(measure), figures, more.format(count=_MOST, all=whole(len(rows))))


def _of_group(space: Space, place: int, row: Histogram, ahead: int) -> Figure:
    asked = {"measure": row.measure, "by": row.by, "of": row.of, "bins": row.bins}
    return _figure(space, f"of-{place}", bench.told(row, ahead=ahead), asked)


class Choice(NamedTuple):
    """Something to choose, and whether it is chosen."""

    value: str
    title: str
    is_chosen: bool


class Choices(NamedTuple):
    """By what histograms can be looked at."""

    measure: list[Choice]
    by: list[Choice]
    bins: list[Choice]


def choices(measure: str, by: str, bins: str) -> Choices:
    """Only spans of time have logarithmic bins."""
    return Choices(
        _choices(((each, bench.title(each)) for each in MEASURES), measure),
        _choices(((each, str(_BY[each])) for each in BY), by),
        _choices(((each, str(says)) for each, says in _BINS.items() if each == "linear" or measure in SPANS), bins),
    )


def _choices(offered: Iterable[tuple[str, str]], chosen: str) -> list[Choice]:
    return [Choice(value, title, value == chosen) for value, title in offered]
