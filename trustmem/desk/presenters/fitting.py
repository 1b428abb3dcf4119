"""Fits to verdicts as their page shows them: what can be ticked, what each fit found, and whether that is offered."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from trustmem.actions import jobs, kinds, outcomes
from trustmem.core import fitting as core
from trustmem.core.constants import Constants, fingerprint
from trustmem.core.fitting import AT_LOWER, AT_UPPER, FITTABLE, IDLE, UNTOLD
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import plain, short, two, whole
from trustmem.desk.presenters import constants
from trustmem.desk.presenters.trials import PREFIX
from trustmem.store.models import OPEN, Job, JobState, Space

RUNNING: Mapping[str, object] = {jobs.FIT: _("Fitting constants to verdicts")}
#: So many earlier fits are listed.
_MOST = 20
_NOTES = {
    AT_LOWER: _("at its lower bound"),
    AT_UPPER: _("at its upper bound"),
    IDLE: _("no outcome depends on it"),
    UNTOLD: _("the outcomes do not tell"),
}


class Number(NamedTuple):
    """A number that can be fitted: which one of its constant it is ('': the only one), and what is in force."""

    name: str
    of: str
    value: str
    is_ticked: bool


class Fittable(NamedTuple):
    """A constant that trust depends on, with its numbers."""

    name: str
    meaning: str
    numbers: list[Number]


def fittable(in_force: Constants, ticked: list[str]) -> list[Fittable]:
    """What can be ticked."""
    abouts = {about.name: about for group in constants.groups(in_force) for about in group.constants}
    names: dict[str, list[str]] = {}
    for name in FITTABLE:
        names.setdefault(name.partition(".")[0], []).append(name)
    return [
        Fittable(
            name,
            abouts[name].meaning,
            [
                Number(flat, part.of, part.value, flat in ticked)
                for flat, part in zip(parts, abouts[name].value, strict=True)
            ],
        )
        for name, parts in names.items()
    ]


def missing(space: Space, now: int) -> str:
    """How many outcomes a fit takes beyond what people have decided by now ('': there are enough)."""
    there = outcomes.counted(space, lambda n, right: not any(core.missing(n, right)), now=now)
    found = core.missing(*there)
    if not any(found):
        return ""
    says = ngettext(
        "{count} more outcome is needed: a fit takes {fewest}, {kind} of them right and {kind} wrong; there are"
        " {right} right and {wrong} wrong ones.",
        "{count} more outcomes are needed: a fit takes {fewest}, {kind} of them right and {kind} wrong; there are"
        " {right} right and {wrong} wrong ones.",
        found.outcomes,
    )
    n, right = there
    kind, fewest = whole(core.FEWEST_OF_A_KIND), whole(core.FEWEST)
    return says.format(
        count=whole(found.outcomes), fewest=fewest, kind=kind, right=whole(right), wrong=whole(n - right)
    )


class Estimate(NamedTuple):
    """What a fit found for a number, beside what was in force; numbers in full stand behind those shown."""

    name: str
    in_force: str
    in_force_exact: str
    value: str
    value_exact: str
    interval: str
    note: str


class Gain(NamedTuple):
    """Mean log loss of the outcomes held out before and after, the gain with its standard error, how many of these it
    is, and whether it is clear."""

    title: str
    before: str
    after: str
    gain: str
    error: str
    times: str
    is_clear: bool


class Fit(NamedTuple):
    """A fit: by whom and when it was asked for, what was sought, of how many outcomes; how it ended, in a word (`end`)
    of an English list; what it found, if it did. `trial` is the address of the lab with these as trial constants ('':
    they are not offered, or others are in force by now: `is_past`)."""

    pk: int
    by: str
    at: When
    names: list[str]
    end: str
    n: str
    right: str
    refused: str
    training: str
    held_out: str
    estimates: list[Estimate]
    gains: list[Gain]
    trial: str
    is_past: bool


def fits(space: Space, in_force: Constants, now: int) -> list[Fit]:
    """The last fits, newest first; those that are still to be done are left out."""
    found = Job.objects.filter(space=space, kind=jobs.FIT).exclude(state__in=OPEN).order_by("-asked_at", "-pk")
    return [_fit(space, job, in_force, now) for job in found[:_MOST]]


def _fit(space: Space, job: Job, in_force: Constants, now: int) -> Fit:
    result: Mapping[str, Any] = kinds.result(job) or {}
    estimates, is_past = result.get("estimates", ()), result.get("in_force") != fingerprint(in_force)
    is_offered = bool(result.get("offered"))
    return Fit(
        job.pk,
        job.by,
        when(job.asked_at, now),
        list(job.asked.get("names", ())),
        "failed" if job.state != JobState.DONE else _end(result),
        whole(result.get("outcomes", 0)),
        whole(result.get("right", 0)),
        job.error or result.get("refused", ""),
        _part(result.get("training")),
        _part(result.get("held_out")),
        [_estimate(each) for each in estimates],
        list(_gains(result)),
        _trial(space, estimates) if is_offered and not is_past else "",
        is_past,
    )


def _end(result: Mapping[str, Any]) -> str:
    if result.get("refused"):
        return "refused"
    return "offered" if result.get("offered") else "no better"


def _part(told: Mapping[str, int] | None) -> str:
    if told is None:
        return ""
    return gettext("{n} outcomes, {right} of them right").format(n=whole(told["n"]), right=whole(told["right"]))


def _estimate(each: Mapping[str, Any]) -> Estimate:
    low, high = each["low"], each["high"]
    return Estimate(
        each["name"],
        short(each["in_force"]),
        f"{each['in_force']:.15g}",
        short(each["value"]),
        f"{each['value']:.15g}",
        "" if low is None or high is None else f"{short(low)} – {short(high)}",
        str(_NOTES.get(each["note"], "")),
    )


def _gains(result: Mapping[str, Any]) -> list[Gain]:
    titles = {
        "over_in_force": gettext("against the constants in force"),
        "over_share": gettext("against stating the same of every fact"),
    }
    return [_gain(title, result[name]) for name, title in titles.items() if name in result]


def _gain(title: str, each: Mapping[str, float]) -> Gain:
    times = two(each["gain"] / each["error"]) if each["error"] else ""
    before, after, gain, error = (two(each[name]) for name in ("before", "after", "gain", "error"))
    return Gain(title, before, after, gain, error, times, each["gain"] > each["error"])


def _trial(space: Space, estimates: list[Mapping[str, Any]]) -> str:
    """The lab with what was found as trial constants."""
    said = {f"{PREFIX}{each['name']}": plain(each["value"]) for each in estimates if each["value"] != each["in_force"]}
    return f"{reverse('calibration', args=[space.name])}?{urlencode(said)}"
