"""Search: agents get what holds, the most trusted and useful first, and hear how much was held back."""

import pytest

from tests.actions.world import LATER, space_of
from tests.makers import daily, edge, event, fact
from trustmem.actions import facts, outcomes, spaces
from trustmem.actions.search import search
from trustmem.core.vocabulary import LIVE
from trustmem.store.models import Fact

pytestmark = pytest.mark.django_db


def told(space, **texts):
    """A space in which facts say these texts, without a line that says so: for words to be found."""
    from trustmem.store import full_text

    for name, text in texts.items():
        Fact.objects.filter(space=space, name=name).update(text=text)
    full_text.fill(space)
    return space


def found(space, query, **values):
    return [hit.fact.name for hit in search(space, query, now=LATER, **values).hits]


def test_what_says_more_of_the_words_and_is_trusted_more_comes_first():
    space = told(
        space_of(fact("a"), fact("b"), fact("c"), event("corroborated", "b", 2, source="ben"), passes=daily(1, 3)),
        a="The harbour opens at six.",
        b="The harbour opens at seven.",
        c="Tea is hot.",
    )
    assert found(space, "when does the harbour open? harbour opens") == ["b", "a"]
    assert found(space, "tea") == ["c"]
    assert found(space, "nothing of that") == []
    assert found(space, "?!") == []


def test_words_that_claim_nothing_find_nothing_unless_there_are_no_others():
    space = told(
        space_of(fact("a"), fact("b"), event("accepted", "b", 2, tier="human")),
        a="The ferry leaves at ten.",
        b="The quay is of stone.",
    )
    assert found(space, "Where is the ferry?") == ["a"]
    assert found(space, "when is the bus") == []
    assert found(space, "is at") == ["b", "a"]
    assert found(space, 'where "is of"') == ["b"]


def test_049_the_head_comes_and_the_older_value_only_with_history_behind_it():
    space = told(
        space_of(fact("a"), fact("b", 31), edge("b", "updates", "a", 31)),
        a="The rate limit is 40 a minute.",
        b="The rate limit is 60 a minute.",
    )
    assert found(space, "rate limit") == ["b"]
    both = search(space, "rate limit", now=LATER, history=True).hits
    assert [(hit.fact.name, hit.superseded_by) for hit in both] == [("b", ()), ("a", ("b",))]
    assert search(space, "rate limit", now=LATER).held_back == {"superseded": 1}


def test_053_the_old_words_find_what_holds_now_and_it_says_what_it_replaces():
    space = told(
        space_of(fact("a"), fact("b", 31), edge("b", "updates", "a", 31)),
        a="Last writer wins when two edits collide.",
        b="Fields are merged one by one.",
    )
    (hit,) = search(space, "two edits collide", now=LATER).hits
    assert (hit.fact.name, hit.replaces) == ("b", ("a",))


def test_what_is_not_served_is_counted_by_why_and_reviewers_see_it():
    space = told(
        space_of(fact("a"), fact("b"), fact("c"), event("forgotten", "b", tier="human")),
        a="Tea is hot.",
        b="Tea is cold.",
        c="Tea is green.",
    )
    assert sorted(found(space, "tea")) == ["a", "c"]
    assert search(space, "tea", now=LATER).held_back == {"not live": 1}
    seen = search(space, "tea", now=LATER, sees_all=True)
    assert {hit.fact.name: hit.held for hit in seen.hits} == {"a": "", "b": "not live", "c": ""}
    assert seen.held_back == {"not live": 1}


def test_where_it_does_not_look_nothing_is_found_nor_counted():
    space = told(
        space_of(fact("a"), fact("b"), event("forgotten", "b", tier="human")), a="Tea is hot.", b="Tea is cold."
    )
    for sees_all in (True, False):
        seen = search(space, "tea", now=LATER, sees_all=sees_all, searched={LIVE})
        assert ([hit.fact.name for hit in seen.hits], seen.held_back) == (["a"], {})


def test_people_too_are_shown_what_holds_and_what_it_replaced_only_where_they_ask():
    space = told(
        space_of(fact("a"), fact("b", 31), edge("b", "updates", "a", 31)),
        a="The rate limit is 40 a minute.",
        b="The rate limit is 60 a minute.",
    )
    assert found(space, "rate limit", sees_all=True) == ["b"]
    assert found(space, "rate limit", sees_all=True, history=True) == ["b", "a"]


def test_a_hit_names_what_contradicts_it():
    space = told(space_of(fact("a"), fact("b"), edge("b", "contradicts", "a", 2)), a="Tea is hot.", b="Tea is cold.")
    hits = search(space, "tea", now=LATER).hits
    assert {hit.fact.name: hit.disputes for hit in hits} == {"a": ("b",), "b": ("a",)}


def ten(*sources):
    """Ten facts that say the same words, of these sources in turn, and one that waits to be reviewed."""
    made = space_of(fact("known", source="ana"), *(fact(f"f{n}", source=sources[n % len(sources)]) for n in range(10)))
    return told(made, **{f"f{n}": f"Berth {n} is free." for n in range(10)})


def reviewed(space):
    facts.accept(space, "known", by="ben", now=LATER)
    outcomes.collect(space, now=LATER)
    return space


def shares(space, **values):
    hits = search(space, "berth free", now=LATER, **values).hits
    assert [hit.folded for hit in hits] == sorted(hit.folded for hit in hits)
    return [sum(not hit.folded and hit.fact.source == each for hit in hits) for each in ("ana", "eve")]


def test_before_anybody_reviewed_anything_nothing_is_folded():
    assert shares(ten("ana", "eve")) == [5, 5]


@pytest.mark.parametrize(("percent", "stand"), [(0, 0), (9, 0), (10, 1), (20, 2), (29, 2), (49, 4), (50, 5), (100, 5)])
def test_what_nobody_reviewed_has_the_share_that_the_space_sets_and_the_rest_is_folded(percent, stand):
    space = reviewed(ten("ana", "eve"))
    assert shares(space) == [5, 2]
    spaces.change_unreviewed_share(space, percent, by="ben", now=LATER)
    assert shares(space) == [5, stand]


def test_it_is_a_share_of_the_hits_that_are_given_back():
    space = reviewed(ten("eve"))
    spaces.change_unreviewed_share(space, 70, by="ben", now=LATER)
    assert shares(space) == [0, 7]
    assert shares(space, limit=3) == [0, 2]


def test_another_space_is_never_looked_into():
    space, other = space_of(fact("a")), space_of(fact("x"), name="other")
    told(space, a="Tea is hot.")
    told(other, x="Tea is cold.")
    assert found(space, "tea") == ["a"]
