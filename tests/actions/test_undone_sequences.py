"""Twenty acts by three people, one after the other, and all undone again: what there was is what there is.

`tests/soak/undone_sequences.py` does the same a thousand times.
"""

from collections.abc import Callable

import pytest
from django.db import connection, transaction

from tests.actions import sequences
from tests.actions.sequences import world
from trustmem.actions import folding
from trustmem.store.models import Queued, Space

pytestmark = pytest.mark.django_db
Amiss = Callable[[Space, Space, int], list[str]]
#: PostgreSQL has to show with half as many that it does the same.
_APART = 1 if connection.vendor == "sqlite" else 2


def amiss(what: Amiss, seeds: range) -> dict[int, list[str]]:
    """What is wrong after each of some sequences; each leaves nothing to the next."""
    spaces, found = (world("lived"), world("beside")), dict[int, list[str]]()
    for seed in seeds:
        with transaction.atomic():
            found[seed] = what(*(Space.objects.get(pk=space.pk) for space in spaces), seed)
            transaction.set_rollback(True)
    return {seed: wrong for seed, wrong in found.items() if wrong}


@pytest.mark.parametrize("first", (0, 8))
def test_undone_newest_first_all_is_as_at_the_start(first):
    assert amiss(sequences.amiss_without_passes, range(first, first + 8, _APART)) == {}


@pytest.mark.parametrize("first", (16, 21))
def test_with_passes_in_between_it_is_what_the_same_passes_come_to_without_the_acts(first):
    assert amiss(sequences.amiss_amid_passes, range(first, first + 5, _APART)) == {}


def test_acts_of_which_none_undoes_another_may_be_undone_in_any_order():
    assert amiss(sequences.amiss_in_any_order, range(26, 28)) == {}


def test_only_what_erases_or_names_a_key_cannot_be_undone():
    assert amiss(sequences.amiss_but_for_what_is_final, range(28, 30)) == {}


def test_an_export_makes_the_same_space_again_with_the_same_queue():
    found = dict[int, list[str]]()
    for seed in range(30, 34):
        with transaction.atomic():
            found[seed] = sequences.amiss_once_exported(seed)
            transaction.set_rollback(True)
    assert {seed: wrong for seed, wrong in found.items() if wrong} == {}


def test_on_the_way_all_that_is_stored_is_what_the_lines_come_to(monkeypatch, pytestconfig):
    """With the cases, as they come and go by acts, passes that prune and revive, and undos in any order."""
    monkeypatch.setattr(folding, "_are_many", lambda space, count: False)
    seeds = range(60) if pytestconfig.getoption("thorough") else range(5, 6)
    assert amiss(sequences.amiss_on_the_way, seeds) == {}


def test_the_space_has_something_of_everything_to_decide():
    space = world("diary")
    kinds = set(Queued.objects.filter(space=space).values_list("kind", flat=True))
    assert kinds == {"contradiction", "challenge", "cycle", "bad signature"}
