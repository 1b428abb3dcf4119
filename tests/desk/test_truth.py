"""Whether trust predicts truth, as its page tells it: by the figures of the core, over the outcomes that there are."""

import csv
import json
import re
from collections.abc import Callable
from io import StringIO

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.actions.world import space_of
from tests.desk.judged import judged
from tests.makers import day, fact
from trustmem.actions import facts, jobs, kinds, refresh, sampling, verdicts
from trustmem.actions import outcomes as collecting
from trustmem.core import reliability
from trustmem.core.constants import Constants
from trustmem.desk import clock
from trustmem.desk.numbers import two
from trustmem.desk.presenters import truth
from trustmem.desk.presenters.truth_asked import MEASURES
from trustmem.store import outcomes
from trustmem.store.cases import SAMPLE
from trustmem.store.models import Case, Job, JobState, Outcome, Role, Space

pytestmark = pytest.mark.django_db

FEW = (0, 1, 19, 20, 21)


@pytest.fixture
def space() -> Space:
    return space_of(*(fact(f"f{place}", source="crm") for place in range(30)))


@pytest.fixture
def client(owner, client_of):
    return client_of(owner)


def address(space: Space, name: str = "truth", *given: str) -> str:
    return reverse(name, args=[space.name, *given])


def shown(client, space: Space, query: str = "") -> str:
    return read(client.get(address(space) + query).text.split("<main")[1])


def read(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def table(client, space: Space, name: str, query: str = "") -> list[dict[str, str]]:
    answer = client.get(f"{address(space, 'truth-csv')}?table={name}{query}")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(StringIO(answer.content.decode("utf-8-sig"))))


def test_the_figures_are_those_of_the_core_over_the_outcomes_in_the_table(client, space):
    judged(space, 60)
    rows = Outcome.objects.order_by("at", "position")
    right = [each.right for each in rows]
    for row, measure in zip(table(client, space, "figures"), MEASURES, strict=True):
        stated = [getattr(each, measure) for each in rows]
        parts = reliability.decomposition(stated, right)
        assert row["measure"] == measure
        assert float(row["brier"]) == reliability.brier(stated, right)
        assert float(row["log_loss"]) == reliability.log_loss(stated, right)
        assert float(row["auc"]) == reliability.auc(stated, right)
        assert float(row["ece"]) == reliability.expected_calibration_error(stated, right)
        summed = sum(float(row[name]) for name in ("reliability", "uncertainty", "within")) - float(row["resolution"])
        assert summed == pytest.approx(float(row["brier"]), abs=1e-12)
        assert float(row["resolution"]) == parts.resolution
    told = shown(client, space)
    assert f"Brier score {two(reliability.brier([each.trust for each in rows], right))} How far" in told


@pytest.mark.parametrize("measure", MEASURES)
def test_the_diagrams_are_those_of_the_core(client, space, measure):
    judged(space, 60)
    rows = Outcome.objects.order_by("at", "position")
    stated, right = [getattr(each, measure) for each in rows], [each.right for each in rows]
    edges = {"bands": [0, *Constants().band_edges, 1], "tenths": reliability.quantile_edges(stated, 10)}
    for name, between in edges.items():
        told = table(client, space, name, f"&of={measure}")
        expected = reliability.diagram(stated, right, between)
        assert [(int(row["outcomes"]), int(row["right"])) for row in told] == [(e.n, e.right) for e in expected]
        assert [row["interval_low"] for row in told] == [str(e.interval.low) if e.interval else "" for e in expected]
        figure = client.get(f"{address(space, 'truth-figure', name)}?of={measure}").json()
        points = next(each for each in figure["data"] if each["name"] == "as found")
        assert points["text"] == [str(each.n) for each in expected if each.n]
        assert len(figure["layout"]["meta"]["rows"]) == len(expected)


@pytest.mark.parametrize("count", FEW)
def test_the_counts_of_every_table_sum_to_the_outcomes(client, space, count):
    judged(space, count)
    right = Outcome.objects.filter(right=True).count()
    for name in ("bands", "tenths", "months", "sources", "producers"):
        told = table(client, space, name)
        assert sum(int(row["outcomes"]) for row in told) == count, name
        assert sum(int(row["right"]) for row in told) == right, name
    found = truth.of_columns(outcomes.columns(space))
    for each in (truth.by_month, truth.by_source, truth.by_producer):
        rows = truth.groups_table("", each(found, "trust")).rows
        assert sum(int(row[1]) for row in rows) == sum(int(row[2]) + int(row[3]) for row in rows) == count


def test_more_sources_than_are_told_apart_are_summed_up_in_one(client, space):
    for place in range(25):
        judged(space, 1 + place % 2, source=f"source {place:02}")
    told = table(client, space, "sources")
    assert len(told) == truth.SOURCES + 1
    assert told[-1]["sources"] == "(others)"
    assert sum(int(row["outcomes"]) for row in told) == Outcome.objects.count()
    assert "all other sources" in shown(client, space)


@pytest.mark.parametrize("count", FEW)
def test_too_few_outcomes_are_said_to_be_too_few_and_how_many_more_it_takes(client, space, count):
    judged(space, count)
    told = shown(client, space)
    if not count:
        assert "No outcome yet" in told and "n =" not in told
        return
    assert ("too few" in told) == (count < 20)
    assert ("Brier score 0." in told.split("Over time")[0]) == (count >= 20)
    for width in (0.2, 0.1):
        needed = reliability.needed(width)
        assert f"interval {two(width)} wide, whatever is found, takes {needed} outcomes: {needed - count} more." in told


def test_nobody_is_told_that_more_are_needed_once_there_are_enough(client, space):
    judged(space, reliability.needed(0.2))
    told = shown(client, space)
    assert "interval 0.20 wide" not in told and "interval 0.10 wide" in told


def test_outcomes_can_be_narrowed_to_some_and_what_is_asked_for_is_kept(client, space):
    judged(space, 60)
    rows = Outcome.objects.all()
    for query, some in {
        "drawn=sample": rows.filter(sampled=True),
        "source=mail": rows.filter(source="mail"),
        "producer=user": rows.filter(producer=3),
        "since=2026-01-20": rows.filter(at__gte=day(19)),
        "source=mail&producer=user": rows.filter(source="mail", producer=3),
    }.items():
        assert f"n = {some.count()} :" in shown(client, space, f"?{query}"), query
        assert sum(int(row["outcomes"]) for row in table(client, space, "bands", f"&{query}")) == some.count()
    page = client.get(address(space) + "?source=mail&of=freshness").text
    assert '<option value="freshness" selected>' in page
    assert "of=freshness&amp;source=mail" in page
    assert "No outcome is like this" in shown(client, space, "?source=nobody")


def test_what_no_outcome_can_be_is_refused(client, space):
    for query in ("of=weight", "drawn=some", "producer=core", "since=soon", "source=%00"):
        assert client.get(f"{address(space)}?{query}").status_code == 400, query
    assert client.get(f"{address(space, 'truth-csv')}?table=secrets").status_code == 404
    assert client.get(address(space, "truth-figure", "secrets")).status_code == 404


def test_that_reviewed_facts_are_no_random_sample_is_said_unless_they_are(client, space):
    judged(space, 30)
    said = "Reviewed facts are no random sample of this memory"
    assert said in shown(client, space)
    assert said not in shown(client, space, "?drawn=sample")
    Outcome.objects.filter(sampled=False).delete()
    assert said not in shown(client, space)
    assert "no random sample" not in shown(client, space).split("Which outcomes")[1]


def sampled(size: int, right: Callable[[str], bool], of: Callable[[str], bool] = lambda band: True) -> Space:
    """A space of 40 old facts and 20 of late, of which so many were drawn and decided, by band, where `of` says."""
    told = [fact(f"old{place:02}", place / 100) for place in range(40)]
    told += [fact(f"new{place:02}", 80 + place / 100) for place in range(20)]
    space = space_of(*told)
    refresh.refresh(space, now=day(100.5))
    sampling.draw(space, size, by="ana", now=day(101), seed="oak")
    for case in Case.objects.filter(space=space, kind=SAMPLE):
        band = json.loads(case.factors)["sample"]["band"]
        if of(band):
            verdict = "it holds" if right(band) else "forget it"
            verdicts.decide(space, [case.name], verdict, by="ana", now=day(102))
    collecting.collect(space, now=day(103))
    return space


def test_of_a_sample_the_share_of_the_whole_is_told_each_band_by_how_many_facts_it_had(client):
    space = sampled(20, lambda band: band == "low")
    assert {(each.band, each.of, each.n, each.right) for each in outcomes.strata(space)} == {
        ("very low", 40, 10, 0),
        ("low", 20, 10, 10),
    }
    found = reliability.stratified([0, 10], [10, 10], [40, 20])
    told = f"the share that is right is 0.33; it lies from {two(found.interval.low)} to {two(found.interval.high)}"
    for query in ("", "?drawn=sample"):
        assert f"Of the whole memory, each band weighed by how many facts it had when they were drawn, {told}" in shown(
            client, space, query
        )
    assert "Of the whole memory" not in shown(client, space, "?drawn=sample&source=x")
    facts.accept(space, "old00", by="ana", now=day(104))
    collecting.collect(space, now=day(105))
    assert "Of the whole memory" not in shown(client, space)
    assert "Of the whole memory" in shown(client, space, "?drawn=sample")


def test_where_nothing_was_found_of_a_band_nothing_is_said_of_the_whole(client):
    space = sampled(50, lambda band: True, of=lambda band: band == "very low")
    told = shown(client, space)
    assert "right cannot be said yet: nothing was found of low." in told and "weighed" not in told.split("n =")[1]


def test_what_is_fair_within_each_band_is_not_called_fair_of_the_whole(client, space):
    told = shown(client, space)
    assert "tells how trust does within each band" in told and "once each band is weighed" in told
    assert "tell how trust does for the memory as a whole" not in told
    judged(space, 5)
    assert "about as many outcomes in each; those of the same value stay together" in shown(client, space)


def test_outcomes_are_collected_by_a_job_that_is_asked_for_once(client, space, client_of, member):
    now = clock.now()
    facts.accept(space, "f1", by="ana", now=now)
    assert "0 right 0 wrong" in shown(client, space)
    reader = client_of(member(space, Role.READER))
    for _ in range(2):
        assert reader.post(address(space)).status_code == 302
    job = Job.objects.get(kind=jobs.OUTCOMES)
    assert "Collecting outcomes" in shown(client, space)
    part = client.get(address(space), headers={"HX-Request": "true"})
    assert "hx-trigger" in part.text and "<main" not in part.text
    kinds.do(jobs.claim(job.pk, now=now), lambda: now)
    assert client.get(address(space), headers={"HX-Request": "true"}).headers["HX-Refresh"] == "true"
    assert "1 right 0 wrong 0 of these drawn at random Collected" in shown(client, space)
    assert Job.objects.get(kind=jobs.OUTCOMES).state == JobState.DONE


def test_a_sample_is_drawn_once_by_reviewers_and_can_be_undone_by_name(client, space, client_of, member):
    reader, reviewer = (client_of(member(space, role)) for role in (Role.READER, Role.REVIEWER))
    assert "Draw a calibration sample" not in reader.get(address(space)).text
    assert reader.post(address(space, "sample-draw"), {"size": "20"}).status_code == 403
    sent = {"size": "20", "click": "a click"}
    answer = reviewer.post(address(space, "sample-draw"), sent)
    assert answer.headers["Location"] == address(space, "review") + "?kind=calibration+sample"
    reviewer.post(address(space, "sample-draw"), sent)
    drawn = Case.objects.filter(space=space, kind=SAMPLE)
    assert drawn.count() == 20
    page = reviewer.get(answer.headers["Location"]).text
    assert "A calibration sample is drawn" in page
    act = re.search(r'name="act" value="(act:[^"]+)"', page)[1]
    reviewer.post(address(space, "undo"), {"act": act, "next": "/"})
    assert "All done" in reviewer.get(address(space, "review")).text or not _is_open(space)
    assert reviewer.post(address(space, "sample-draw"), {"size": "7"}).status_code == 400


def _is_open(space: Space) -> bool:
    return Case.objects.filter(space=space, kind=SAMPLE, closed_at__lt=0).exclude(key="").exists()


def test_the_page_asks_as_much_of_the_database_for_many_outcomes_as_for_few(client, space):
    asked = []
    for count in (10, 200):
        judged(space, count)
        with CaptureQueriesContext(connection) as queries:
            client.get(address(space))
        asked.append(len(queries))
    assert asked[0] == asked[1]


def test_names_of_sources_are_shown_as_they_stand(client, space):
    judged(space, 3, source="<script>alert(1)</script>")
    judged(space, 3, source="\u202eevil")
    page = client.get(address(space)).text
    assert "<script>alert(1)" not in page and "&lt;script&gt;alert(1)" in page
    assert "\u202eevil" not in page.split("By source")[1]


def test_no_more_than_two_decimals_are_shown(client, space):
    judged(space, 60)
    assert re.findall(r"\d\.\d{3,}", shown(client, space)) == []


def test_months_follow_each_other_and_tell_how_it_went(client, space):
    judged(space, 60)
    months = table(client, space, "months")
    assert [row["months"] for row in months] == ["2026-01", "2026-02", "2026-03"]
    rows = Outcome.objects.filter(at__lt=day(31)).order_by("at")
    stated, right = np.array([each.trust for each in rows]), np.array([each.right for each in rows])
    assert float(months[0]["brier"]) == reliability.brier(stated, right)
