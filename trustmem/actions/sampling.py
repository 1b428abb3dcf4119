"""The calibration sample: facts drawn at random, so that what people find of them tells how well trust predicts truth.

What waits for review is no random sample of a space: it is what was contradicted, served much, or came without a
signature.
"""

import heapq
import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db import transaction

from trustmem.actions import acts, lots, opening
from trustmem.actions.errors import Refusal
from trustmem.core.vocabulary import BANDS, LIVE
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store import cases, queries
from trustmem.store.cases import SAMPLE
from trustmem.store.models import Case, Fact, Space

#: So many facts are drawn at once at most.
MOST = 1000


@transaction.atomic
def draw(space: Space, size: int, *, by: str, now: int, seed: str | None = None) -> str:
    """Open cases about so many live facts that were never drawn before, as many of each band, by stored trust; what a
    band lacks goes to the others. The id of the act, which takes all of it back if it is undone.

    Drawn are the facts of a band whose SHA-256 of seed and id is the lowest: whoever has the seed, which is in each
    case, draws the same of the same. Raises Refusal for a size that cannot be, and where there is nothing to draw.
    """
    if not 1 <= size <= MOST:
        raise Refusal(f"a sample has from 1 to {MOST} facts")
    act = acts.begin(space)
    drawn = _drawn(space, size, seed := seed or secrets.token_hex(8))
    if not drawn:
        raise Refusal("every live fact was drawn before, or there is none")
    acts.append(space, _cases(space, act, drawn, {"seed": seed, "by": by}, now))
    return act


def shares(there: Mapping[int, int], size: int) -> dict[int, int]:
    """How many of each band are drawn, of so many that are there: as many of each, as far as there are.

    >>> shares({0: 1, 1: 9, 4: 9}, 8)
    {0: 1, 1: 4, 4: 3}
    """
    found, left = dict.fromkeys(sorted(there), 0), min(size, sum(there.values()))
    while left:
        for band in [band for band in found if found[band] < there[band]][:left]:
            found[band] += 1
            left -= 1
    return found


class _Drawn(NamedTuple):
    """A fact that is drawn, with its band and of how many of that it is one."""

    name: str
    band: int
    of: int


def _drawn(space: Space, size: int, seed: str) -> list[_Drawn]:
    before = {name for case in _of_samples(space) for name in case.facts}
    rows = Fact.objects.filter(space=space, state=LIVE, score__isnull=False).values_list("name", "score__band")
    by_band = defaultdict[int, list[str]](list)
    for name, band in rows.order_by().iterator():
        if name not in before:
            by_band[band].append(name)
    due = shares({band: len(names) for band, names in by_band.items()}, size)
    return [
        _Drawn(name, band, len(by_band[band]))
        for band, count in due.items()
        for name in heapq.nsmallest(count, by_band[band], key=lambda name: lots.lot(seed, name))
    ]


def _of_samples(space: Space) -> Iterable[Case]:
    return Case.objects.filter(space=space, key__startswith=cases.prefix(SAMPLE)).only("facts").iterator()


def _cases(space: Space, act: str, drawn: Sequence[_Drawn], told: Mapping[str, str], now: int) -> list[Record]:
    arrived, worth = acts.stamp(space, now), opening.factors(space, [each.name for each in drawn], now)
    keys = {each.name: cases.key(space, SAMPLE, [each.name]) for each in drawn}
    names = opening.free_names(space, dict.fromkeys(keys.values(), 1))
    common = DEFAULTS["case"] | {"type": "case", "kind": SAMPLE, "at": now, "arrived": arrived, "act": act}
    common |= {"constants_version": queries.version(space)}
    samples = {each.name: {**told, "band": BANDS[each.band], "of": each.of} for each in drawn}
    return [
        common
        | {"id": names[keys[name]], "facts": [name], "factors": {"facts": {name: worth[name]}, "sample": samples[name]}}
        for name in samples
    ]
