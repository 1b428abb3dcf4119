"""Fits to verdicts: what people found in a space says which constants would have told it best, and changes nothing."""

import json
from collections.abc import Callable
from itertools import count

import pytest

from tests.actions.world import space_of
from tests.makers import day, event, fact
from trustmem.actions import facts, fitting, jobs, kinds
from trustmem.actions.errors import Refusal
from trustmem.core import fitting as core
from trustmem.core.constants import Constants, changed, fingerprint
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.store import outcomes as kept
from trustmem.store import queries
from trustmem.store.models import ConstantsVersion, Job, JobState, Line, Outcome, Space

pytestmark = pytest.mark.django_db

NOW = day(120)
NAMES = ["activation_midpoint", "base_rate"]


def reviewed(right: int, wrong: int) -> Space:
    """Right is what others say as well; each found in turn, a minute apart."""
    known = [fact(f"f{number:02}", number, source="bot") for number in range(right + wrong)]
    said = [event("corroborated", f"f{number:02}", 90, source=f"s{number}") for number in range(right)]
    space = space_of(*known, *said)
    for minute, number in enumerate(sorted(range(right + wrong), key=lambda number: (number * 7) % (right + wrong))):
        when = {"by": "ana", "now": day(101) + minute * 60 * MICROSECONDS_PER_SECOND}
        if number < right:
            facts.accept(space, f"f{number:02}", **when)
        else:
            facts.correct(space, f"f{number:02}", f"Something else, {number}.", **when)
    return space


def worked(job: Job, clock: Callable[[], int] = lambda: NOW) -> Job:
    held = jobs.claim(job.pk, now=NOW)
    assert held
    kinds.do(held, clock)
    return Job.objects.get(pk=job.pk)


def test_a_job_collects_outcomes_and_leaves_what_was_found_and_how_it_did_with_what_it_had_not_seen() -> None:
    space = reviewed(34, 26)
    assert not Outcome.objects.exists()
    job = worked(fitting.ask(space, NAMES, by="ana", now=NOW))
    assert job.state == JobState.DONE
    result = json.loads(job.result)
    found = core.fit(kept.columns(space), NAMES, Constants())
    assert result["names"] == ["base_rate.auto", "base_rate.human", "base_rate.signed", "activation_midpoint"]
    assert (result["outcomes"], result["right"], result["refused"]) == (60, 34, "")
    assert (result["training"]["n"], result["held_out"]["n"]) == (42, 18)
    assert result["training"]["right"] + result["held_out"]["right"] == 34
    assert result["in_force"] == fingerprint(Constants())
    assert result["offered"] == found.is_offered
    for which in ("over_in_force", "over_share"):
        gain = result[which]
        assert gain["gain"] == pytest.approx(gain["before"] - gain["after"])
        assert gain["error"] > 0
    midpoint = result["estimates"][-1]
    assert midpoint["low"] < midpoint["value"] < midpoint["high"]
    assert [each["note"] for each in result["estimates"][1:3]] == [core.IDLE] * 2
    assert changed(Constants(), result["values"]).activation_midpoint == midpoint["value"]


def test_nothing_is_put_in_force() -> None:
    space = reviewed(34, 26)
    before = queries.constants(space), list(ConstantsVersion.objects.values()), Line.objects.count()
    assert json.loads(worked(fitting.ask(space, NAMES, by="ana", now=NOW)).result)["values"]
    assert (queries.constants(space), list(ConstantsVersion.objects.values()), Line.objects.count()) == before


def test_of_too_few_outcomes_it_is_said_how_many_are_missing_and_nothing_is_offered() -> None:
    job = worked(fitting.ask(reviewed(2, 1), NAMES, by="ana", now=NOW))
    result = json.loads(job.result)
    assert job.state == JobState.DONE
    assert result["refused"] == "a fit needs 50 outcomes; there are 3, so 47 are missing"
    assert (result["offered"], result["outcomes"], result["right"]) == (False, 3, 2)
    assert "estimates" not in result


@pytest.mark.parametrize("names", [[], ["neighbours"], ["nonsense"]])
def test_what_cannot_be_fitted_is_refused_before_anything_is_done(names: list[str]) -> None:
    space = space_of(fact("a", 0))
    with pytest.raises(Refusal, match=r"cannot be fitted|is not a constant|choose one"):
        fitting.ask(space, names, by="ana", now=NOW)
    with pytest.raises(Refusal, match=r"cannot be fitted|is not a constant|choose one"):
        fitting.fit(space, names, now=NOW)
    assert not Job.objects.filter(kind=jobs.FIT).exists()


def test_asked_for_twice_while_nothing_came_it_is_fitted_once() -> None:
    space = reviewed(2, 1)
    first, again = (fitting.ask(space, names, by="ana", now=NOW) for names in (NAMES, NAMES[::-1]))
    assert first == again
    assert fitting.ask(space, NAMES[:1], by="ana", now=NOW) != first
    facts.accept(space, "f00", by="ana", now=NOW)
    assert fitting.ask(space, NAMES, by="ana", now=NOW) != first


def test_whoever_fits_says_now_and_then_that_they_are_still_at_it() -> None:
    ticks = count(NOW, MICROSECONDS_PER_SECOND)
    job = worked(fitting.ask(reviewed(34, 26), NAMES, by="ana", now=NOW), lambda: next(ticks))
    assert job.state == JobState.DONE
    assert job.done > 20


def test_a_version_keeps_the_fit_that_offered_just_these_constants_and_none_that_did_not() -> None:
    space, after = space_of(fact("f")), changed(Constants(), {"activation_midpoint": -3.0})
    told = {"training": {"n": 7}, "held_out": {"n": 3}, "over_in_force": {"gain": 0.1}, "over_share": {"gain": 0.2}}
    told |= {"outcomes": 10, "right": 5, "values": {"activation_midpoint": -3.0}, "in_force": fingerprint(Constants())}

    def ended(at: int, **more: object) -> None:
        asked = jobs.ask(space, jobs.FIT, by="ana", now=at, names=NAMES)
        held = jobs.claim(asked.pk, now=at)
        assert held
        jobs.finish(held, {**told, "offered": True, **more}, now=at)

    ended(NOW, offered=False)
    ended(NOW + 1, in_force=fingerprint(after))
    ended(NOW + 2, values={"activation_midpoint": -4.0})
    assert fitting.behind(space, Constants(), after) == {}
    ended(NOW + 3)
    kept_of_it = {name: told[name] for name in ("outcomes", "right", *list(told)[:4])}
    assert fitting.behind(space, Constants(), after) == {
        "fit": "verdicts",
        "fitted_at": NOW + 3,
        "fitted": kept_of_it,
    }
    assert fitting.behind(space_of(fact("f"), name="another"), Constants(), after) == {}
