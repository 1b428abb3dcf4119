"""Fits to verdicts on their page: what can be ticked, what was found, and that nothing comes into force by it."""

import re
from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qs, urlparse

import pytest
from django.urls import reverse

from tests.actions.world import space_of
from tests.core import simulated
from tests.desk.judged import judged
from tests.desk.test_truth import read
from tests.makers import fact
from trustmem.actions import constants, facts, fitting, jobs, kinds
from trustmem.core import fitting as core
from trustmem.core.constants import Constants, fingerprint
from trustmem.core.fitting import FITTABLE
from trustmem.desk import clock
from trustmem.desk.numbers import short, two
from trustmem.store import queries
from trustmem.store.models import ConstantsVersion, Job, Outcome, Role, Space

pytestmark = pytest.mark.django_db

SOUGHT = ["activation_midpoint", "activation_scale"]


@pytest.fixture
def space() -> Space:
    return space_of(fact("a", source="crm"))


@pytest.fixture
def client(owner, client_of):
    return client_of(owner)


def address(space: Space) -> str:
    return reverse("fit", args=[space.name])


def shown(client, space: Space) -> str:
    return read(client.get(address(space)).text.split("<main")[1])


def fitted(space: Space, found: core.FitToVerdicts) -> Job:
    """A job that came to a fit of simulated outcomes."""
    now, names = clock.now(), [each.name for each in found.estimates]
    job = jobs.claim(fitting.ask(space, names, by="ana", now=now).pk, now=now)
    told: dict[str, Any] = {"names": names, "outcomes": 2000, "right": 1000, "refused": ""}
    told |= {"in_force": fingerprint(queries.constants(space)), "offered": found.is_offered}
    jobs.finish(job, told | asdict(found), now=now)
    return job


@pytest.fixture(scope="module")
def better() -> core.FitToVerdicts:
    """A fit to a reviewer who finds what other constants say."""
    outcomes = simulated.reviewed(2000, Constants(activation_midpoint=-3.0))
    return core.fit(outcomes, SOUGHT, Constants())


@pytest.fixture(scope="module")
def no_better() -> core.FitToVerdicts:
    """A fit to a reviewer who finds what the constants in force say."""
    outcomes = simulated.reviewed(300, Constants())
    return core.fit(outcomes, SOUGHT, Constants())


def test_every_number_that_trust_depends_on_can_be_ticked(client, space):
    page = client.get(address(space)).text
    assert re.findall(r'name="names" value="([^"]+)"', page) == list(FITTABLE)
    assert re.findall(r'name="names" value="([^"]+)" checked', page) == SOUGHT
    assert "No fit yet" in page


def test_reviewers_ask_for_a_fit_once_and_readers_do_not(client, space, client_of, member):
    judged(space, 60)
    reader, reviewer = (client_of(member(space, role)) for role in (Role.READER, Role.REVIEWER))
    assert reader.post(address(space), {"names": SOUGHT}).status_code == 403
    assert "Fit what is ticked" not in reader.get(address(space)).text
    sent = {"names": SOUGHT, "click": "a click"}
    for _ in range(2):
        assert reviewer.post(address(space), sent).headers["Location"] == address(space)
    job = Job.objects.get(kind=jobs.FIT)
    assert job.asked["names"] == SOUGHT
    assert "Fitting constants to verdicts" in shown(client, space)
    now = clock.now()
    kinds.do(jobs.claim(job.pk, now=now), lambda: now)
    told = shown(client, space)
    assert "not possible" in told and "A fit needs 50 outcomes; there are 0" in told


def test_to_tick_nothing_or_what_cannot_be_fitted_is_told(client, space):
    client.post(address(space), {})
    assert "Not done: Tick one constant or more." in shown(client, space)
    judged(space, 60)
    client.post(address(space), {"names": "prune_threshold"})
    assert "prune_threshold&quot; cannot be fitted" in shown(client, space)
    assert Job.objects.count() == 0


def test_how_many_outcomes_are_missing_is_said_before_anything_is_asked_for(client, space):
    told = shown(client, space)
    says = "50 more outcomes are needed: a fit takes 50, 10 of them right and 10 wrong"
    says += "; there are 0 right and 0 wrong ones."
    assert f"Fit what is ticked {says}" in told
    assert re.search(r'<button class="btn main" disabled aria-describedby="missing">', client.get(address(space)).text)
    client.post(address(space), {"names": SOUGHT})
    assert f"Not done: {says}" in shown(client, space)
    facts.accept(space, "a", by="ana", now=clock.now())
    assert "49 more outcomes are needed" in shown(client, space)
    judged(space, 60)
    Outcome.objects.update(right=True)
    assert "wrong; there are 1 right and 0 wrong" in shown(client, space)
    Outcome.objects.filter(position__lt=10**6 + 10).update(right=False)
    assert "needed" not in shown(client, space) and Job.objects.count() == 0


def test_what_is_better_is_shown_beside_what_is_in_force_and_leads_to_the_lab(client, space, better):
    assert better.is_offered
    fitted(space, better)
    told = shown(client, space)
    for each in better.estimates:
        interval = f"{short(each.low)} – {short(each.high)}"
        assert f"{each.name} {short(each.in_force)} {short(each.value)} {interval}" in told
    for gain in (better.over_in_force, better.over_share):
        numbers = " ".join(two(each) for each in (gain.before, gain.after, gain.gain, gain.error))
        assert numbers in told
    assert f"held out: {better.held_out.n} outcomes, {better.held_out.right} of them right" in told
    (href,) = re.findall(r'class="btn main" href="([^"]+)"', client.get(address(space)).text)
    asked = parse_qs(urlparse(href.replace("&amp;", "&")).query)
    assert {name: float(values[0]) for name, values in asked.items()} == {
        f"c.{each.name}": pytest.approx(each.value, abs=5e-5) for each in better.estimates
    }
    assert client.get(href.replace("&amp;", "&")).status_code == 200
    assert ConstantsVersion.objects.count() == 1


def test_what_is_no_better_is_shown_and_not_offered(client, space, no_better):
    assert not no_better.is_offered
    fitted(space, no_better)
    told = shown(client, space)
    assert "no better" in told and "They are not offered." in told
    assert "See what they would do" not in told


def test_what_was_found_against_other_constants_is_not_offered_any_more(client, space, better):
    fitted(space, better)
    constants.adopt(space, {"activation_midpoint": -2.5}, by="ana", now=clock.now(), reason="x")
    told = shown(client, space)
    assert "See what they would do" not in told
    assert "Other constants are in force by now" in told


def test_earlier_fits_are_listed_below_the_last_one(client, space, better, no_better):
    fitted(space, better)
    constants.adopt(space, {"activation_midpoint": -2.5}, by="ana", now=clock.now(), reason="x")
    fitted(space, no_better)
    last, earlier = shown(client, space).split("Earlier fits")
    assert "no better" in last and "better · " in earlier and "by ana" in earlier


def test_no_more_than_two_decimals_are_shown_but_of_constants_which_they_would_not_tell_apart(client, space, better):
    fitted(space, better)
    assert set(re.findall(r"\d\.\d{3,}", shown(client, space))) <= {"0.525"}
