"""A preview says what a pass would do, and the pass does just that; nothing is written for it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.actions.world import as_file, space_of
from tests.makers import daily, day, edge, fact, histories
from trustmem.actions import acts, consolidation, facts, imports, passes, previews, spaces
from trustmem.actions.consolidation import consolidate
from trustmem.actions.previews import Preview, as_json, of_json, preview
from trustmem.store.models import DEEDS, Change, Fact, Pass, Space
from trustmem.store.passes import COUNTS
from trustmem.store.state_hash import state_hash

pytestmark = pytest.mark.django_db
in_a_database = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])

NOW = day(101)


def seen(shown: Preview) -> list[tuple]:
    """What a preview says of each fact that the pass would change."""
    return sorted((each.fact, each.did, each.before, each.after) for each in shown.fates if each.did or each.after)


def done(space: Space, instant: int) -> list[tuple]:
    rows = Change.objects.filter(space=space, of_pass__instant=instant)
    return sorted(rows.values_list("fact", "did", "before", "after"), key=lambda row: row[0])


def plain(rows: list[tuple]) -> list[tuple]:
    """As rows keep it: JSON, in which the columns of a Change stand."""
    return [tuple(json.loads(each) if isinstance(each, str) else each for each in row) for row in rows]


def check(space: Space, instant: int) -> Preview:
    """See that a pass does what its preview said; the preview."""
    before = state_hash(space), list(Fact.objects.values()), list(Change.objects.values()), Pass.objects.count()
    shown = preview(space, instant, most=10_000)
    assert before == (
        state_hash(space),
        list(Fact.objects.values()),
        list(Change.objects.values()),
        Pass.objects.count(),
    )
    taken = consolidate(space, at=instant, by="ana", now=max(instant, day(200)))
    assert shown.counts == {name: getattr(taken, name) for name in COUNTS}
    assert plain(seen(shown)) == plain(done(space, instant))
    return shown


def test_a_preview_equals_the_pass_fact_by_fact():
    space = space_of(
        fact("faded", prior=0.01),
        fact("said", producer="user"),
        fact("one", producer="user"),
        fact("other", producer="user"),
        edge("one", "contradicts", "other"),
        fact("old", producer="user"),
        fact("new"),
        edge("new", "updates", "old"),
    )
    shown = check(space, NOW)
    names = dict(Fact.objects.values_list("pk", "name"))
    listed = {name: sorted(names[each.fact] for each in shown.fates if name in each.lists) for name in previews.LISTS}
    assert listed["pruned"] == ["faded"]
    assert listed["promoted"] == ["said"]
    assert listed["deferred"] == ["old", "one", "other"]
    why = {names[each.fact]: each.deferred for each in shown.fates if each.deferred}
    assert why == {"old": ("superseded",), "one": ("disputed",), "other": ("disputed",)}
    assert shown.live == 6
    assert Fact.objects.get(name="faded").pruned


@in_a_database
@given(histories(), st.sampled_from([1, 3, 16_000]))
def test_whatever_came_a_preview_equals_the_pass(lines, at_a_time):
    space = spaces.create(f"space {Space.objects.count()}")
    imports.import_lines(space, as_file(lines, daily(1, 3)), file="all", by="ana", now=day(40))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "_READ", at_a_time)
        check(space, day(41))
        check(space, day(48))


def test_a_preview_of_a_pass_before_some_of_the_lines_equals_the_pass():
    space = space_of(
        fact("a", prior=0.01),
        fact("b", 1, arrived=150, prior=0.01),
    )
    shown = check(space, NOW)
    assert (shown.live, shown.counts["pruned"]) == (1, 1)


def test_a_preview_while_a_pass_is_under_way_is_of_the_one_after_it():
    space = space_of(*(fact(name, prior=0.01) for name in "abc"), fact("d"))
    consolidation._begin(space, day(101), day(101))
    shown = preview(space, day(102))
    assert (shown.live, shown.counts["pruned"]) == (1, 0)


def test_what_a_pass_brings_back_is_foreseen():
    space = space_of(fact("tea", prior=0.01), passes=daily(1, 2))
    assert Fact.objects.get().pruned
    acts.write(space, [{"type": "event", "kind": "restated", "fact": "tea", "source": "crm"}], now=NOW)
    shown = check(space, NOW + 1)
    assert [list(each.lists) for each in shown.fates] == [["revived", "re-weighed"]]


def test_the_weights_of_a_preview_are_those_without_the_pass_and_after_it():
    space = space_of(fact("tea", prior=0.8), passes=daily(1, 1))
    facts.accept(space, "tea", by="ana", now=NOW)
    [fate] = preview(space, NOW).fates
    without, with_it = fate.weight
    assert without == pytest.approx(0.8 * 2 ** (-1 / 3))  # the clock ran for a day since the last pass
    assert with_it == pytest.approx(0.95)


def test_of_very_many_facts_some_are_listed_and_all_counted():
    space = space_of(*(fact(f"f{number:02}", prior=0.01) for number in range(30)), fact("said", producer="user"))
    shown = preview(space, NOW, most=5)
    assert shown.counts["pruned"] == 30
    assert [list(each.lists) for each in shown.fates] == [["pruned"]] * 5 + [["promoted", "stamped"]]


def test_a_preview_comes_back_from_json_as_it_was():
    space = space_of(fact("faded", prior=0.01), fact("said", producer="user"), fact("b"), edge("b", "updates", "said"))
    shown = preview(space, NOW)
    assert of_json(json.loads(json.dumps(as_json(shown)))) == shown
    assert "What" not in json.dumps(as_json(shown))  # no text of a fact


def test_deeds_have_their_bits_in_changes():
    space = space_of(fact("faded", prior=0.01), fact("said", producer="user"))
    consolidate(space, by="ana", now=NOW)
    did = {name: [deed for place, deed in enumerate(DEEDS) if bits >> place & 1] for name, bits in _bits()}
    assert did == {"faded": ["pruned"], "said": ["promoted", "stamped"]}


def _bits():
    return Change.objects.values_list("fact__name", "did")
