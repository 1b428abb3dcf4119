"""What trial constants would make of a space is what is stored once they are adopted, fact by fact; nothing is written
to find that out."""

import gzip
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.actions.world import LATER, as_file, space_of, taken
from tests.core.test_scenarios import SCENARIOS, VECTORS
from tests.makers import daily, day, edge, event, fact, histories, schedules
from trustmem.actions import consolidation, constants, facts, imports, jobs, passes, spaces, undo, what_if
from trustmem.actions import schedules as schedules_of_spaces
from trustmem.actions.refresh import refresh
from trustmem.actions.schedules import HOUR, Rhythm
from trustmem.actions.what_if import WhatIf
from trustmem.core.constants import REGISTRY, Constants, differences
from trustmem.core.instants import span, to_text
from trustmem.core.nested import ByProducer, ByRule, ByTier
from trustmem.core.vocabulary import FLAGS, LIVE
from trustmem.store import kept, queries
from trustmem.store.models import DEEDS, Change, Fact, Score, Space
from trustmem.store.scores import packed

pytestmark = pytest.mark.django_db
in_a_database = settings(
    max_examples=settings.default.max_examples // 4, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

NOW = day(130)
#: For each constant that can be tuned, a value that is not its default.
TRIED = {
    "prior_weight": 6.0,
    "base_rate": ByTier(0.3, 0.6, 0.7),
    "dispute_threshold": 0.1,
    "uncertainty_threshold": 0.3,
    "runs_per_source": 3,
    "activation_decay": 0.3,
    "activation_midpoint": -2.6,
    "activation_scale": 1.4,
    "use_activation": 0.0,
    "stale_threshold": 0.6,
    "supersession_factor": 0.9,
    "provenance_gate": ByTier(0.5, 0.7, 0.9),
    "band_edges": (0.05, 0.1, 0.3, 0.5),
    "birth_weight": ByProducer(0.9, 0.7, 0.6, 0.5, 0.3),
    "reconfirm_cap": 0.4,
    "session_half_life_days": 90.0,
    "global_half_life_days": 1.0,
    "global_floor": 0.0,
    "max_pass_gap_days": 50.0,
    "min_weight": 0.6,
    "prune_threshold": 0.5,
    "promote_threshold": 0.5,
    "promote_evidence": 0,
    "promote_stable_days": 0.0,
    "restatement_jaccard": 0.9,
    "candidate_overlap": ByRule(0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1),
    "hebbian_count_bonus": 0.1,
    "hebbian_prior_weight": 0.1,
    "suppress_threshold": 0.8,
    "neighbours": 3,
}
ALONE = [{name: value} for name, value in TRIED.items()]
TOGETHER = [
    {name: TRIED[name] for name in ("runs_per_source", "activation_decay", "max_pass_gap_days", "prune_threshold")},
    {name: TRIED[name] for name in ("base_rate", "band_edges", "birth_weight", "promote_threshold")},
    TRIED,
]


def test_every_constant_that_can_be_tuned_is_tried():
    assert set(TRIED) == {name for name, meta in REGISTRY.items() if meta.tunable}
    for name, value in TRIED.items():
        assert differences(Constants(), replace(Constants(), **{name: value})).keys() == {name}


@contextmanager
def taken_back() -> Iterator[None]:
    """What is written here is as if it had not been."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def check(space: Space, now: int, *tries: Mapping[str, Any]) -> list[WhatIf]:
    """See that each what-if comes to what is stored after these values are adopted and the space is scored at the same
    instant, and that the next pass does what it says; what they came to."""
    in_force, instant = queries.constants(space), what_if.next_pass(space, now)
    before = stored_scores(space, now)
    with taken_back():
        does_before = done_by_a_pass(space, instant)
    found = list[WhatIf]()
    for values in tries:
        trial = replace(in_force, **values)
        shown, (was, would) = what_if.what_if(space, trial, now), what_if.tried(space, trial, now)
        with taken_back():
            if trial != in_force:
                constants.adopt(space, differences(in_force, trial), by="ana", now=now, reason="")
            after = stored_scores(space, now)
            does_after = done_by_a_pass(space, instant)
        space.refresh_from_db()
        assert_scores(was, before)
        assert_scores(would, after)
        assert_counts(shown, before, after)
        assert shown.instant == instant
        for deed, (count_before, count_after, names) in (("pruned", shown.pruned), ("promoted", shown.promoted)):
            assert (count_before, count_after) == (len(does_before[deed]), len(does_after[deed]))
            assert len(names) == min(count_after, what_if.NAMED)
            assert set(names) <= set(does_after[deed])
        found.append(shown)
    return found


def stored_scores(space: Space, now: int) -> dict[str, tuple]:
    """What is stored of each fact once it is scored at an instant."""
    with taken_back():
        # Whatever is stored is far off, so that each is written anew.
        Score.objects.filter(space=space).update(trust=-1.0)
        refresh(space, now=now)
        rows = Score.objects.filter(space=space)
        return {name: rest for name, *rest in rows.values_list("fact__name", "trust", "band", "flags", "state")}


def assert_scores(found, right) -> None:
    flags = packed(found.flags, found.notices).tolist()
    columns = (found.trust.tolist(), found.band.tolist(), flags, found.state.tolist())
    assert dict(zip(found.ids, map(list, zip(*columns, strict=True)), strict=True)) == right


def assert_counts(found: WhatIf, before, after) -> None:
    live = [name for name, (*_, state) in before.items() if state == LIVE]
    matrix = np.zeros((5, 5), int)
    for name in live:
        matrix[before[name][1], after[name][1]] += 1
    assert found.matrix == matrix.tolist()
    assert (found.n, found.of, found.is_sample) == (len(live), len(live), False)
    for place, flag in enumerate(FLAGS):
        counts = [sum(rows[name][2] >> place & 1 for name in live) for rows in (before, after)]
        assert found.flags[flag] == tuple(counts)
    moved = sorted(name for name in live if before[name][1] != after[name][1])
    assert found.changed.names == moved
    rows = [found.changed.row(place) for place in range(len(moved))]
    assert rows == [(name, before[name][0], after[name][0], before[name][1], after[name][1]) for name in moved]


def done_by_a_pass(space: Space, instant: int) -> dict[str, list[str]]:
    """Whom a pass prunes and promotes."""
    done = consolidation.consolidate(space, at=instant, by="ana", now=instant)
    rows = list(Change.objects.filter(of_pass=done).values_list("fact__name", "did"))
    found = {deed: sorted(name for name, did in rows if did >> DEEDS.index(deed) & 1) for deed in DEEDS}
    assert (len(found["pruned"]), len(found["promoted"])) == (done.pruned, done.promoted)
    return found


def lively() -> Space:
    """A space in which every constant has something to do."""
    return space_of(
        fact("often"),
        *(event("restated", "often", on, source="crm", run=f"r{on}") for on in range(2, 9)),
        fact("read"),
        *(event("recalled", "read", on, source="bot", run=f"r{on}") for on in range(90, 99)),
        fact("old", 80, producer="user"),
        *(event("corroborated", "old", 98, source=source) for source in ("crm", "mail", "bot")),
        fact("new", 90),
        edge("new", "updates", "old", 90),
        fact("one", 97, producer="document"),
        fact("other", 97),
        edge("one", "contradicts", "other", 98),
        fact("doubted", 96, tier="human"),
        event("contradicted", "doubted", 97, source="crm", run="x", tier="human"),
        fact("backed", 96),
        *(event("corroborated", "backed", 97, source=source) for source in ("crm", "mail", "bot", "ana")),
        event("contradicted", "backed", 97, source="x", run="x"),
        fact("well told", 96, prior=0.72),
        *(event("corroborated", "well told", 98, source=source) for source in ("crm", "mail", "bot")),
        fact("well told since", 96, prior=0.72),
        *(event("corroborated", "well told since", 98.5, source=source) for source in ("crm", "mail", "bot")),
        fact("told once", 96, prior=0.75),
        event("corroborated", "told once", 97, source="crm"),
        fact("faint", 98, prior=0.09),
        fact("low", 40, scope="global", prior=0.051),
        fact("mine", 98.5, producer="user", prior=0.6),
        fact("accepted", 96, prior=0.2),
        event("accepted", "accepted", 99, tier="human"),
        fact("young", 98.5, prior=0.6),
        fact("unknown", at_known=False),
        passes=daily(90, 98),
    )


def test_each_constant_and_some_together_in_a_lively_space():
    found = check(lively(), NOW, *ALONE, *TOGETHER)
    # By these no score goes, nor the next pass; but what is served, linked and retrieved, and how facts fade after it.
    idle = {name for (name,), each in zip(ALONE, found, strict=False) if not does_something(each)}
    assert idle == {
        "min_weight",
        "restatement_jaccard",
        "candidate_overlap",
        "hebbian_count_bonus",
        "hebbian_prior_weight",
        "suppress_threshold",
        "neighbours",
        "session_half_life_days",
        "global_half_life_days",
    }


def does_something(found: WhatIf) -> bool:
    pairs = [*found.flags.values(), found.pruned[:2], found.promoted[:2]]
    return bool(found.changed.names) or any(before != after for before, after in pairs)


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios(name, pytestconfig: pytest.Config):
    raw = (VECTORS / "scenarios" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    space = taken(spaces.create("scenario"), raw)
    now = max(LATER, space.written_at, space.arrived_to) + span(0.3)
    some = ALONE if pytestconfig.getoption("thorough") else ALONE[SCENARIOS.index(name) :: len(SCENARIOS)]
    check(space, now, *some, *TOGETHER)


@in_a_database
@given(histories(), schedules(), st.sampled_from([day(40), day(40) + 1, day(41)]), st.sampled_from(ALONE))
def test_whatever_came(lines, passes, now, values):
    space = spaces.create(f"space {Space.objects.count()}")
    imports.import_lines(space, as_file(lines, passes), file="all", by="ana", now=day(40))
    check(space, now, values, TRIED)


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["public-apis", "factbook"])
def test_real_histories(realdata: Path, name):
    raw = gzip.decompress((realdata / "interchange" / f"{name}.jsonl.gz").read_bytes()).splitlines(keepends=True)
    space = taken(spaces.create(name), raw, now=day(600))
    check(space, day(601), {"runs_per_source": 2}, TRIED)


def test_facts_that_came_as_the_constants_do_are_born_under_them():
    space = space_of(fact("a", 100), fact("b", 100, producer="user"), passes=daily(90, 98))
    [found] = check(space, LATER, {"birth_weight": ByProducer(0.9, 0.7, 0.6, 0.5, 0.02)})
    assert found.pruned == (0, 1, ["a"])


def test_facts_that_were_born_since_the_last_pass_are_dated_by_the_clock_that_runs_now():
    space = space_of(fact("a", 0, prior=0.07), fact("b", 20, arrived=21, prior=0.07), passes=daily(1, 2))
    [found] = check(space, day(60), {"max_pass_gap_days": 19.0})
    assert found.pruned == (1, 1, ["a"])
    undo.undo(space, to_text(daily(2, 2)[0].at), by="ana", now=LATER)
    check(space, LATER + 1, {"max_pass_gap_days": 19.0}, {"max_pass_gap_days": 2.0})


def test_what_is_dated_ahead_of_now_is_taken_as_it_is():
    space = space_of(fact("a", prior=0.04), fact("b", 150, prior=0.04), passes=daily(90, 98))
    check(space, day(101), TRIED)


def test_while_a_pass_is_under_way_the_next_is_foreseen_by_way_of_all_lines():
    space = space_of(*(fact(name, prior=0.3) for name in "abc"))
    consolidation._begin(space, day(101), day(101))
    found = what_if.what_if(space, Constants(prune_threshold=0.9), day(102))
    assert (found.pruned.before, found.pruned.after) == (0, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(what_if, "MOST_FOLDED", 2)
        assert what_if.what_if(space, Constants(prune_threshold=0.9), day(102)).pruned is None


def test_the_next_pass_is_when_it_is_due_and_now_where_none_is():
    space = space_of(fact("a"), passes=daily(90, 98))
    assert what_if.next_pass(space, NOW) == NOW - NOW % span(1) + span(1) + 3 * HOUR
    schedules_of_spaces.change(space, jobs.CONSOLIDATION, Rhythm(0), by="ana", now=NOW)
    assert what_if.next_pass(space, NOW) == NOW
    check(space, NOW, TRIED)


def tables() -> dict[str, list[dict]]:
    return {model.__name__: list(model._default_manager.order_by("pk").values()) for model in apps.get_models()}


def test_nothing_is_written():
    space = lively()
    before = tables()
    with CaptureQueriesContext(connection) as captured:
        for values in (*ALONE, TRIED):
            what_if.what_if(space, replace(Constants(), **values), NOW)
    assert [each["sql"] for each in captured if not each["sql"].startswith("SELECT")] == []
    assert tables() == before


def test_columns_stay_in_memory_for_as_long_as_the_space_is_as_it_was():
    space, trial = lively(), Constants(runs_per_source=2, session_half_life_days=9.0)
    first = what_if.what_if(space, trial, NOW)
    with CaptureQueriesContext(connection) as captured:
        again = what_if.what_if(space, trial, NOW + 1)
    assert not [each for each in captured if '"store_touch"' in each["sql"] or '"store_fact"."times"' in each["sql"]]
    assert again.matrix == first.matrix
    facts.forget(space, "often", by="ana", now=NOW, reason="")
    assert what_if.what_if(space, trial, NOW).n == first.n - 1
    consolidation.consolidate(space, by="ana", now=NOW)
    check(space, NOW + 1, TRIED)


def test_a_step_of_a_pass_is_seen_though_no_line_comes_of_it(monkeypatch):
    monkeypatch.setattr(passes, "_READ", 1)
    space = space_of(*(fact(name, prior=0.01) for name in "abc"))
    consolidation._begin(space, day(101), day(101))
    for left in (2, 1, 0):
        passes._take_turns(space, passes.under_way(space))
        assert what_if.what_if(space, Constants(), day(102)).n == left


def test_no_more_than_two_spaces_are_kept():
    many = [space_of(fact("a"), name=f"space {number}") for number in range(3)]
    for space in [*many, many[0], many[0]]:
        what_if.what_if(space, Constants(), NOW)
    assert [each.stand.space for each in kept._kept] == [many[0].pk, many[2].pk]


def test_of_a_large_space_every_kth_fact_is_scored_and_that_is_said(monkeypatch):
    monkeypatch.setattr(what_if, "MOST_FACTS", 4)
    born = [fact(f"f{number}", 96, prior=0.81) for number in range(10)]
    backed = [event("corroborated", f"f{number}", 96, source=source) for number in range(10) for source in ("a", "b")]
    space = space_of(*born, *backed, edge("f0", "contradicts", "f1", 96), passes=daily(96, 96))
    found = what_if.what_if(space, Constants(activation_midpoint=-9.0, promote_stable_days=0.0), NOW)
    assert (found.n, found.of, found.is_sample) == (4, 10, True)
    by_key = list(Fact.objects.order_by("pk").values_list("name", flat=True))[::3]
    assert found.changed.names == sorted(by_key)
    # What contradicts one of them holds it back though it is not of the sample.
    assert found.promoted.names == sorted(set(by_key) - {"f0", "f1"})
    assert sum(map(sum, found.matrix)) == 4


def test_facts_that_change_band_come_page_by_page_in_the_order_that_is_asked_for():
    found = what_if.what_if(lively(), Constants(activation_midpoint=-9.0), NOW)
    assert len(found.changed) > 5
    for sort in ("name", "before", "after", "move"):
        for sign in ("", "-"):
            whole = found.changed_page(sign + sort, size=100)
            keys = [{"name": each.name, "before": each.trust_before, "after": each.trust_after,
                     "move": abs(each.trust_after - each.trust_before)}[sort] for each in whole]  # fmt: skip
            assert keys == sorted(keys, reverse=bool(sign))
            paged, after = [], ""
            while page := found.changed_page(sign + sort, after, 3):
                paged, after = [*paged, *page], page[-1].name
            assert paged == whole


def test_an_empty_space_comes_to_nothing():
    found = what_if.what_if(spaces.create("empty"), Constants(prior_weight=3.0), NOW)
    assert (found.n, found.of, sum(map(sum, found.matrix)), found.changed_page()) == (0, 0, 0, [])
