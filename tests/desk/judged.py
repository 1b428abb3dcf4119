"""Outcomes for the tests of pages: what somebody found of facts whose trust is known."""

from random import Random
from typing import Any

from tests.makers import day
from trustmem.core.bands import band
from trustmem.core.constants import Constants
from trustmem.core.instants import span
from trustmem.core.vocabulary import PRODUCERS
from trustmem.store.models import Outcome, Space

_BASE = {"tier": 0, "r": 1, "s": 0, "depth": 0, "times": [[span(1), False]], "how": "it holds"}


def judged(space: Space, count: int, seed: int = 1, **values: Any) -> list[Outcome]:
    """So many outcomes, of three sources over some months, right the more often the higher trust was; `values` are
    those of all of them."""
    dice, start = Random(seed), Outcome.objects.filter(space=space).count()
    rows = [_outcome(space, start + place, dice, values) for place in range(count)]
    return Outcome.objects.bulk_create(rows)


def _outcome(space: Space, place: int, dice: Random, values: dict[str, Any]) -> Outcome:
    factors = {name: dice.uniform(0.3, 1) for name in ("confidence", "freshness", "supersession", "provenance")}
    trust = dice.random()
    told = {
        **_BASE,
        **factors,
        "trust": trust,
        "band": int(band([trust], Constants())[0]),
        "right": dice.random() < trust,
        "sampled": place % 3 == 0,
        "source": ("crm", "mail", "wiki")[place % 3],
        "producer": place % len(PRODUCERS),
        "fact": f"f{place}",
        "at": day(place),
        "asked_at": day(place) - 1,
        "by": "ana",
    }
    return Outcome(space=space, position=10**6 + place, **(told | values))
