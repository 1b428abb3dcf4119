"""Fits to verdicts: what people found says which constants would have told it best. Nothing is put in force by it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from trustmem.actions import jobs, outcomes
from trustmem.actions.errors import Refusal
from trustmem.actions.passes import Progress, nobody
from trustmem.core import fitting as core
from trustmem.core.constants import Constants, changed, fingerprint, flat
from trustmem.core.fitting import FittingError, FitToVerdicts
from trustmem.store import outcomes as kept
from trustmem.store import queries
from trustmem.store.models import Job, JobState, Space

#: What a version keeps of the fit that it came from, whose job does not stay.
_KEPT = ("outcomes", "right", "training", "held_out", "over_in_force", "over_share")
#: Two numbers no further apart are one to whoever reads two decimals.
SHOWN = 0.005


def ask(space: Space, names: Iterable[str], *, by: str, now: int) -> Job:
    """The job that fits constants of a space; asked for twice while nothing came, they are fitted once. Raises
    Refusal where one cannot be fitted, or none is named."""
    sought = _sought(names)
    slot = f"{space.head_position}:{','.join(sought)}"
    return jobs.ask(space, jobs.FIT, by=by, now=now, slot=slot, names=sought)


def fit(
    space: Space,
    names: Iterable[str],
    *,
    now: int,
    progress: Progress = nobody,
    watch: Callable[[int], None] = lambda tried: None,
) -> dict[str, Any]:
    """Fit constants of a space to what people have found by `now`, as JSON values.

    Always: the `names` of the numbers that were sought, how many `outcomes` there are and how many of them `right`, the
    fingerprint of the constants `in_force`, whether the fit is `offered`, and why it was `refused` ('': it was not).
    Unless it was: what a FitToVerdicts has. `progress` is told how far the collection of outcomes is, `watch` how often
    trust has been computed. Raises Refusal where a constant cannot be fitted, or none is named.
    """
    sought = _sought(names)
    outcomes.collect(space, now=now, progress=progress)
    found, constants = kept.columns(space), queries.constants(space)
    told = {
        "names": sought,
        "outcomes": len(found),
        "right": int(found.right.sum()),
        "in_force": fingerprint(constants),
    }
    try:
        return told | _as_json(core.fit(found, sought, constants, watch))
    except FittingError as refusal:
        return told | {"offered": False, "refused": str(refusal)}


def behind(space: Space, before: Constants, after: Constants) -> dict[str, Any]:
    """What is kept with constants that are put in force in place of others where a fit offered just these, as far as
    pages show them: that fit, and how it did. Nothing: they come from none."""
    for job in Job.objects.filter(space=space, kind=jobs.FIT, state=JobState.DONE).order_by("-asked_at", "-pk"):
        told = json.loads(job.result)
        if told["offered"] and told["in_force"] == fingerprint(before) and _are_these(told, before, after):
            return {"fit": "verdicts", "fitted_at": job.asked_at, "fitted": {name: told[name] for name in _KEPT}}
    return {}


def _are_these(told: Mapping[str, Any], before: Constants, after: Constants) -> bool:
    was, these = flat(before), flat(after)
    fitted = flat(changed(before, told["values"])).items()
    return all(abs(number - these[name]) <= (SHOWN if number != was[name] else 0) for name, number in fitted)


def _as_json(fitted: FitToVerdicts) -> dict[str, Any]:
    return asdict(fitted) | {"offered": fitted.is_offered, "refused": ""}


def _sought(names: Iterable[str]) -> Sequence[str]:
    try:
        return core.chosen(names)
    except FittingError as error:
        raise Refusal(str(error)) from None
