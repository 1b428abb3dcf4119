"""Which entities occur together, each under one name, and none of them in a square."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from trustmem.core.entities import MOST
from trustmem.core.occurrence import occurrences, together


def by_fact(found):
    named = {}
    for fact, entity in zip(found.fact.tolist(), found.entity.tolist(), strict=True):
        named.setdefault(fact, []).append(found.names[entity])
    return named


def test_a_name_that_a_fact_tells_is_meant_whatever_its_letter_case():
    facts = [(["Redis Stack"], ""), (["redis stack", "Redis Stack"], ""), ([], "the REDIS Stack of ours, on AWS")]
    assert by_fact(occurrences(facts)) == {
        0: ["Redis Stack"],
        1: ["Redis Stack", "redis stack"],
        2: ["AWS", "Redis Stack"],
    }


def test_what_an_entity_is_called_means_it_unless_a_fact_tells_that_name():
    facts = [(["p-ana", "Bo"], "ANA met Bo and Cy"), ([], "Ana is tall"), (["Porto"], "they met in Porto")]
    called = {"Ana": "p-ana", "Bo": "p-bo", "Cy": "p-cy", "Porto": "x-porto", "Nobody": "p-nobody"}
    assert by_fact(occurrences(facts, called)) == {0: ["Bo", "p-ana", "p-cy"], 1: ["p-ana"], 2: ["Porto"]}


def test_what_begins_a_sentence_is_a_name_where_another_text_is_sure():
    facts = [([], "Deploy it. Porto is near"), ([], "we live in Porto"), ([], "Lisbon is far")]
    assert by_fact(occurrences(facts)) == {0: ["Porto"], 1: ["Porto"]}


def test_a_fact_has_each_entity_once_and_no_more_than_so_many_those_it_tells_first():
    told = [f"n{number:02}" for number in range(MOST - 1)]
    found = occurrences([([*told, *told], "we met Zoe and Aldo")])
    assert by_fact(found) == {0: sorted([*told, "Zoe"])}


def test_facts_may_come_in_any_order_and_name_the_same():
    facts = [([], f"we saw {name} in {town}") for name in ("Ana", "ANA", "Bob") for town in ("Porto", "Lisbon")]
    there, back = occurrences(facts), occurrences(facts[::-1])
    assert there.names == back.names == ["Ana", "Bob", "Lisbon", "Porto"]
    assert Counter(there.entity.tolist()) == Counter(back.entity.tolist())


def test_nothing_names_nothing():
    assert by_fact(occurrences([])) == by_fact(occurrences([([], "it is so"), ([], "")])) == {}
    assert [column.tolist() for column in together([], [])] == [[], [], []]


def test_entities_are_together_as_often_as_facts_have_both():
    rng = np.random.default_rng(1)
    facts = [np.unique(rng.integers(0, 9, rng.integers(0, 6))).tolist() for _ in range(200)]
    counted = Counter(pair for fact in facts for pair in combinations(fact, 2))
    found = together(
        [place for place, fact in enumerate(facts) for _ in fact], [each for fact in facts for each in fact]
    )
    assert list(zip(found.one.tolist(), found.other.tolist(), strict=True)) == sorted(counted)
    assert found.facts.tolist() == [counted[pair] for pair in sorted(counted)]


def test_an_entity_of_all_facts_makes_no_square():
    n = 200_000
    found = together(np.repeat(np.arange(n), 2), np.stack([np.zeros(n, np.int64), 1 + np.arange(n)], 1).ravel())
    assert len(found.facts) == n  # n² / 2 would be 20 000 000 000


def test_columns_that_are_none_are_refused():
    with pytest.raises(ValueError, match="columns of one length"):
        together([0, 0], [1])
    with pytest.raises(ValueError, match="entity must hold whole numbers, at least 0"):
        together([0], [-1])
