"""What helps and what misleads: lists of live facts by how useful they proved."""

from itertools import pairwise

import pytest

from tests.actions.world import LATER, space_of
from tests.makers import fact, feedback
from trustmem.actions import acts, undo
from trustmem.core.reinforcement import PRESETS
from trustmem.store import feedback as store
from trustmem.store.feedback import Place
from trustmem.store.models import Fact

pytestmark = pytest.mark.django_db

#: By how much of everything, the usefulness rises: R with all channels alike.
_ALL = tuple(PRESETS["helpful"])


def reported(*worth: float, source: str = "ana"):
    """A space of a fact for each worth, which is reported on all channels; and one of which nobody reported."""
    facts = [fact(f"f{place}", source=source) for place in range(len(worth))]
    said = [
        feedback(
            "helpful" if value >= 0.5 else "unhelpful",
            f"f{place}",
            1,
            signals=dict.fromkeys(_ALL, value) | {"contradiction_risk": 1 - value},
        )
        for place, value in enumerate(worth)
    ]
    return space_of(*facts, fact("silent", source=source), *said)


def names(space, *asked, **more) -> list[str]:
    page = store.page(space, *asked, **more)
    told = dict(Fact.objects.filter(pk__in=page.facts).values_list("pk", "name"))
    return [told[pk] for pk in page.facts]


def test_what_helps_begins_with_the_most_useful_and_what_misleads_with_the_least():
    space = reported(0.9, 0.1, 0.6, 0.42)
    assert names(space, "helps") == ["f0", "f2"]
    assert names(space, "misleads") == ["f1", "f3"]
    assert names(space, "suppressed") == ["f1"]


def test_what_was_never_of_help_nor_of_none_is_in_neither_list_however_useful():
    ignored = (feedback("ignored", "tea", n, id=f"i{n}", run=f"r{n}") for n in range(1, 40))
    space = space_of(fact("tea"), fact("milk"), *ignored, feedback("ignored", "milk", 1))
    tea, milk = (Fact.objects.get(name=name).retrieval_priority for name in ("tea", "milk"))
    assert milk < 0.5 < tea
    assert (names(space, "helps"), names(space, "misleads")) == ([], [])


def test_a_fact_that_is_not_live_is_in_no_list():
    space = reported(0.9, 0.1)
    for name in ("f0", "f1"):
        acts.write(space, [{"type": "event", "kind": "forgotten", "fact": name, "tier": "human"}], now=LATER)
    assert [names(space, which) for which in ("helps", "misleads", "suppressed")] == [[], [], []]
    assert store.most_against(space) == []


def test_only_facts_of_a_source_where_one_is_asked_for():
    space = reported(0.9, 0.1)
    assert names(space, "helps", "ana") == ["f0"]
    assert names(space, "helps", "ben") == []


@pytest.mark.parametrize("which", ["helps", "misleads"])
def test_pages_follow_each_other_to_the_end_and_back_and_none_repeats_or_leaves_out(which):
    space = reported(*(0.9 if which == "helps" else 0.2 for _ in range(3)), *(0.5 + 0.05 * n for n in range(-8, 9)))
    every, after, pages = names(space, which, size=100), None, []
    assert len(every) > 6
    while True:
        page = store.page(space, which, None, after, 3)
        pages.append(page)
        if page.next is None:
            break
        after = Place.of(str(page.next))
    told = dict(Fact.objects.values_list("pk", "name"))
    assert [told[pk] for page in pages for pk in page.facts] == every
    assert pages[0].previous is None
    for earlier, later in pairwise(pages):
        assert store.page(space, which, None, later.previous, 3).facts == earlier.facts


def test_what_was_reported_is_counted_by_outcome_and_what_was_undone_is_not():
    space = space_of(fact("a"), fact("b"), feedback("helpful", "a", 1), feedback("corrected", "b", 1))
    a, b = (Fact.objects.get(name=name).pk for name in "ab")
    acts.write(space, [{"type": "feedback", "fact": "a", "outcome": "helpful", "source": "ben"}], now=LATER)
    act = acts.write(space, [{"type": "feedback", "fact": "a", "outcome": "ignored", "source": "ben"}], now=LATER)
    assert store.outcomes(space, [a, b]) == {a: {"helpful": 2, "ignored": 1}, b: {"corrected": 1}}
    undo.undo(space, act, by="ana", now=LATER)
    assert store.outcomes(space, [a, b]) == {a: {"helpful": 2}, b: {"corrected": 1}}


def test_most_often_wrong_or_of_no_help_comes_first_and_only_the_latest_reports_are_looked_at(monkeypatch):
    space = space_of(
        fact("a"),
        fact("b"),
        fact("c"),
        *(feedback("corrected", "a", n, id=f"a{n}") for n in range(1, 4)),
        *(feedback("unhelpful", "b", n, id=f"b{n}") for n in range(4, 6)),
        feedback("helpful", "c", 6),
    )
    a, b = (Fact.objects.get(name=name).pk for name in "ab")
    assert store.most_against(space) == [a, b]
    monkeypatch.setattr(store, "LATEST", 1)
    assert sorted(store.most_against(space)) == [a, b]
    assert store.most_against(space, source="nobody") == []


@pytest.mark.parametrize("text", ["", "x", "W10", "WzEsMiwzXQ", str(Place(float("nan"), 1)), str(Place(0.5, 2**70))])
def test_what_is_no_place_is_refused(text):
    with pytest.raises(ValueError, match="this is no place in a list"):
        Place.of(text)
