"""Blocking leads from a fact to those before it that it may belong together with, one by one as in bulk, on both
databases, and never to all."""

import json
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from django.db import transaction

from trustmem.store import blocking, full_text, mentions
from trustmem.store.blocks import Whole
from trustmem.store.models import Fact, Space, Vector

pytestmark = pytest.mark.django_db
#: Columns that the tests do not look at.
_REST = {"at": 0, "arrived": 0, "first_seen": 0, "latest_at": 0, "prior": 1, "derived": 1, "half_life": 1, "anchor": 1}


@transaction.atomic
def space_with(*texts: str | Mapping[str, Any], name: str = "diary") -> Space:
    """A space of facts that say these, one after the other; of each its text alone, or more of it."""
    space = Space.objects.create(name=name, digest_key="0f" * 32)
    for number, said in enumerate(texts):
        given = {"text": said} if isinstance(said, str) else dict(said)
        given["entities"] = json.dumps(given.get("entities", []))
        Fact.objects.create(space=space, name=f"f{number}", **given, **_REST)
    full_text.fill(space)
    mentions.fill(space)
    return space


def keys(space: Space) -> list[int]:
    return list(Fact.objects.filter(space=space).order_by("pk").values_list("pk", flat=True))


def partners(space: Space) -> list[list[int]]:
    """The partners of each fact by number, found one by one, and in bulk the same."""
    pks = keys(space)
    near = blocking.nearest(pks)
    found = {pk: blocking.partners(space, [pk], near)[pk] for pk in pks}
    assert blocking.partners(space, pks, near) == found
    assert Whole(space).partners(pks, near) == found
    number = {pk: place for place, pk in enumerate(pks)}
    return [[number[each] for each in found[pk]] for pk in pks]


def test_a_fact_is_led_to_those_before_it_that_say_its_rarest_words():
    space = space_with(
        "Ana lives in Lisbon", "The vault is sealed", "Ben lives in Porto", "Ana lives in Porto", "Nothing of the kind"
    )
    assert partners(space) == [[], [], [0], [2, 0], [1]]


def test_a_word_that_many_say_leads_nowhere_alone_but_beside_another(monkeypatch):
    monkeypatch.setattr(blocking, "FEW", 3)
    common = [f"user{number} tests {number} pass{number}" for number in range(3)] + ["tests run", "pass on", "all pass"]
    space = space_with(*common, "242 tests pass", "so they pass, on", "286 tests pass")
    found = partners(space)
    assert found[8] == [6]
    assert found[7] == [4]


def test_three_common_words_lead_on_where_each_two_of_them_are_common_as_well(monkeypatch):
    monkeypatch.setattr(blocking, "FEW", 2)
    space = space_with("a b", "a b x", "b c", "y b c", "z a b c", "a b c w")
    assert partners(space)[5][0] == 4


def test_signs_of_a_script_without_spaces_lead_on_by_two_and_three(monkeypatch):
    monkeypatch.setattr(blocking, "FEW", 2)
    space = space_with("京都", "都会", "京", "東京都民", "会社", "東の都", "東京の人", "東京都民だ")
    assert partners(space)[7][0] == 3


def test_a_fact_is_led_to_the_newest_of_its_subject_and_predicate_however_many_there_are(monkeypatch):
    monkeypatch.setattr(blocking, "FEW", 3)
    monkeypatch.setattr(blocking, "NEAR", 2)
    homes = [{"subject": "Ana", "predicate": "lives in", "text": f"Ana lives in place {n}"} for n in range(6)]
    jobs = [{"subject": "Ana", "predicate": "works at", "text": f"Ana works at place {n}"} for n in range(6)]
    space = space_with(*homes, *jobs, {"subject": "Ana", "predicate": "lives in", "text": "At last, Porto"})
    assert partners(space)[12] == [5, 4, 11, 10]


def test_facts_that_mention_an_entity_lead_to_each_other():
    space = space_with({"text": "It rains.", "entities": ["Lisbon"]}, {"text": "Sunny!", "entities": ["Lisbon"]})
    assert partners(space)[1] == [0]


def test_what_lies_near_in_meaning_leads_on_where_there_are_vectors():
    space = space_with("One", "Two", "Three", "Four")
    pks = keys(space)
    near = np.array([pks[0], pks[3], pks[1], 10**9], "<i8").tobytes()
    told = {"values": b"", "nearest": near, "cosines": np.ones(4, "<f8").tobytes()}
    Vector.objects.create(fact_id=pks[2], space=space, embedder="test", **told)
    assert partners(space)[2] == [1, 0]


def test_no_fact_has_more_partners_than_it_is_compared_with_and_the_newest_come_first():
    space = space_with(*["the same words"] * 70)
    found = partners(space)
    assert found[69] == list(range(68, 38, -1))
    assert len(found[69]) == blocking.MOST


def test_facts_of_other_spaces_lead_nowhere():
    space_with("Ana lives in Porto", {"subject": "Ana", "text": "Ana sings", "entities": ["Porto"]}, name="another")
    space = space_with({"subject": "Ana", "text": "Ana lives in Porto", "entities": ["Porto"]})
    assert partners(space) == [[]]


def test_what_many_say_elsewhere_is_no_more_common_here_for_that(monkeypatch):
    monkeypatch.setattr(blocking, "FEW", 2)
    space_with(*["the tea is hot"] * 5, name="another")
    space = space_with("tea is late", "no tea")
    space_with(*["tea for the two of us"] * 5, name="a third")
    assert partners(space) == [[], [0]]


def test_the_first_words_of_a_book_lead_on_and_the_others_are_led_to():
    many = " ".join(f"w{number}" for number in range(200))
    space = space_with("w150", many, "w150 again", "w10 again")
    assert partners(space) == [[], [], [1, 0], [2, 1]]


def test_the_texts_of_a_fact_are_not_one_text(monkeypatch):
    monkeypatch.setattr(blocking, "FEW", 2)
    rest = ["a x", "a y", "b z", "b v"]
    space = space_with(*rest, "a b", {"subject": "a", "text": "b"}, {"subject": "c", "predicate": "a", "text": "b"})
    assert partners(space)[5:] == [[], []]


@pytest.mark.parametrize("seed", range(12))
def test_of_any_space_the_same_is_found_one_by_one_and_in_bulk(seed, monkeypatch):
    chance = random.Random(seed)
    for name, most in {"FEW": 4, "MOST": 6, "NEAR": 3, "WORDS": 5}.items():
        monkeypatch.setattr(blocking, name, most)
    monkeypatch.setattr("trustmem.store.blocks._BLOCK", 7)
    monkeypatch.setattr("trustmem.store.blocks._PHRASES", 10)
    words = [*"abcdefgh", "東", "京", "Ana", "rare1", "rare2", "rare3", "rare4", "!"]

    def some(least: int) -> str:
        return " ".join(chance.choices(words, range(len(words), 0, -1), k=chance.randint(least, 7)))

    facts = [
        {
            "text": some(0),
            "subject": some(1) if chance.random() < 0.4 else "",
            "predicate": some(1) if chance.random() < 0.4 else "",
            "object": some(1) if chance.random() < 0.3 else "",
            "entities": chance.sample(words, chance.randint(0, 2)),
        }
        for _ in range(60)
    ]
    assert any(partners(space_with(*facts)))


def test_an_empty_space_has_no_partners():
    space = space_with()
    assert Whole(space).partners([], {}) == {}
    assert Whole(space).upto == 0


def test_what_is_said_so_often_that_nothing_leads_on_is_compared_with_what_begins_alike():
    """Or a crowd of copies would hide what they contradict."""
    crowd = ["The vault code is kept by Ana in Lisbon."] * 120
    found = partners(space_with("The vault code is kept by Ana in Porto.", *crowd))
    assert 0 in found[1]
    assert all(found[1:])
    assert found[120] == list(range(119, 99, -1))
