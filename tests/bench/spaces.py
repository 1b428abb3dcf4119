"""Large made-up spaces, written straight into the tables that are folds: what a history of years comes to, from a seed.

The shape is that of `histories.py`: Zipf words, things and sources; sittings of minutes, then nothing for hours; chains
of updates over what is often talked of; touched is mostly what is new. One fact in a hundred is contradicted, nine of
ten are live. There are no lines and no touches, so nothing can be folded anew from them; but every column stands to the
others as the core would have it after a pass a day.
"""

from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max
from numpy.typing import NDArray

from trustmem.core import bands, chains, consolidation, opinion, trust
from trustmem.core.constants import Constants
from trustmem.core.freshness import activation, freshness
from trustmem.core.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND
from trustmem.core.statements import Edges
from trustmem.core.vocabulary import AUTO, ERASED, FORGOTTEN, GLOBAL, LIVE, PRODUCERS, PRUNED, RELATIONS, SESSION
from trustmem.store import bulk, full_text, mentions, scores
from trustmem.store.models import Edge, Fact, Pass, Score, Space

Column = NDArray[Any]
Columns = dict[str, Column]

#: A space is so many days long, with a pass a day, the last at NOW.
DAYS = 1000
NOW = 20_500 * MICROSECONDS_PER_DAY
_PASSES = NOW + np.arange(1 - DAYS, 1) * MICROSECONDS_PER_DAY
_CONSTANTS = Constants()
_CLOCK = consolidation.Clock.of(_PASSES.tolist(), [_CONSTANTS.max_pass_gap_days] * (DAYS + 1))

_SITTING = 15
_N_WORDS = 20_000
#: How often a fact is about a thing that is talked of again and again.
_TALKED_OF = 0.2
_CHUNK = 20_000


@transaction.atomic
def build(name: str, n: int, touches: int = 10, seed: int = 0) -> Space:
    """A space of `n` facts, each with `touches` touches (at least one) after its birth, scored at NOW.

    Of one in a hundred it is not known when it was born, nor when it was touched.
    """
    chance = np.random.default_rng(seed)
    space = Space.objects.create(name=name, digest_key="0f" * 32)
    first = (Fact.objects.aggregate(highest=Max("pk"))["highest"] or 0) + 1
    taken = zip(_PASSES.tolist(), _CLOCK.at(_PASSES).tolist(), strict=True)
    Pass.objects.bulk_create(Pass(space=space, instant=instant, clock=clock) for instant, clock in taken)

    facts = _born(chance, n)
    edges = _edges(chance, facts)
    facts["depth"] = chains.depth(*_ends(edges.of("updates")), n)
    _weigh(chance, facts, touches)
    live = facts["state"] == LIVE
    facts["contradicted"] = edges.of("contradicts").among(live).ends(n)
    for start in range(0, n, _CHUNK):
        part = {name: column[start : start + _CHUNK] for name, column in facts.items()}
        _write(space, first + start, chance, part, touches)
    # An edge of another relation than `updates` waits while an end is pruned.
    is_live = live[edges.newer] & live[edges.older] | (edges.relation == _UPDATES)
    ends = (first + edges.newer, first + edges.older, edges.relation, is_live)
    rows = ((space.pk, *row, True, False) for row in zip(*(column.tolist() for column in ends), strict=True))
    bulk.insert(Edge, ("space_id", "newer_id", "older_id", "relation", "live", "carried", "on_cycle"), rows)
    mentions.fill(space)
    full_text.fill(space)
    return space


_UPDATES, _CONTRADICTS = RELATIONS.index("updates"), RELATIONS.index("contradicts")


def _born(chance: np.random.Generator, n: int) -> Columns:
    """Facts in the order of their birth, as they are born; who said them about what; and which were put away."""
    n_sittings = n // _SITTING + 1
    gaps = np.cumsum(chance.exponential(size=n_sittings))
    began = NOW - DAYS * MICROSECONDS_PER_DAY * (1 - 0.999 * gaps / gaps[-1])
    sitting = np.arange(n) // _SITTING
    at = began[sitting] + (np.arange(n) % _SITTING + chance.random(n)) * 20 * MICROSECONDS_PER_SECOND
    own = n + np.arange(n)  # no two facts are about it
    return {
        "at": np.minimum(np.sort(at.astype(np.int64)), NOW),
        "sitting": sitting,
        "source": _zipf(chance, n // 400 + 4, n_sittings)[sitting],
        "subject": np.where(chance.random(n) < _TALKED_OF, _zipf(chance, n // 5 + 1, n), own),
        "object": _zipf(chance, n // 20 + 10, n),
        "state": chance.choice([LIVE, FORGOTTEN, ERASED], n, p=[0.95, 0.04, 0.01]),
        "tier": chance.choice(3, n, p=[0.968, 0.03, 0.002]),
        "producer": chance.choice(len(PRODUCERS), n, p=[0.4, 0.2, 0.3, 0.1]),
        "core": chance.random(n) < 0.01,
        "accepted": chance.random(n) < 0.02,
        "at_known": chance.random(n) > 0.01,
        "challenged": chance.random(n) < 0.01,
    }


def _edges(chance: np.random.Generator, facts: Columns) -> Edges:
    """From each fact to the one before it about the same thing: an update, or one time in twenty a contradiction."""
    order = np.lexsort((facts["at"], facts["subject"]))
    again = np.flatnonzero(np.diff(facts["subject"][order]) == 0)
    newer, older = order[again + 1], order[again]
    relation = np.where(chance.random(len(newer)) < 0.05, _CONTRADICTS, _UPDATES)
    return Edges(newer, older, relation.astype(np.int8)).among(facts["state"] == LIVE)


def _ends(edges: Edges) -> tuple[Column, Column]:
    return edges.newer, edges.older


def _weigh(chance: np.random.Generator, facts: Columns, touches: int) -> None:
    """What the touches of facts come to, as counts; and the weights that follow, as the last pass left them."""
    n, at, core, superseded = len(facts["at"]), facts["at"], facts["core"], facts["depth"] > 0
    facts["evidence"] = chance.binomial(touches, 0.7, n)
    facts["use_count"] = touches - chance.binomial(facts["evidence"], 0.1)
    facts["r"] = np.ceil(facts["evidence"] * chance.random(n)).astype(np.int64)
    facts["s"] = facts["contradictions"] = chance.binomial(2, 0.02, n)
    # Half of them are not touched any more after two months.
    touched_for = chance.lognormal(np.log(60), 1.5, n) * MICROSECONDS_PER_DAY
    facts["latest_at"] = np.minimum(at + touched_for.astype(np.int64), NOW)

    prior = consolidation.birth_prior(facts["producer"].astype(np.int8), core, _CONSTANTS)
    effective = consolidation.effective_prior(prior, facts["accepted"], _CONSTANTS)
    derived = consolidation.derived_weight(
        effective, facts["evidence"], facts["contradictions"], superseded, core, _CONSTANTS
    )
    anchored_at = _CLOCK.at(facts["latest_at"])
    elapsed = (_CLOCK.at(NOW) - anchored_at) / MICROSECONDS_PER_DAY

    def weight(scope: Column) -> tuple[Column, Column]:
        no_feedback = np.full(n, np.nan)
        h = consolidation.half_life(scope, facts["use_count"], superseded, no_feedback, core, _CONSTANTS)
        return h, consolidation.decayed(derived, elapsed, h, scope, _CONSTANTS)

    # What would have faded long ago is there since it had become global, but for a few.
    fading = weight(np.full(n, SESSION, np.int8))[1] < _CONSTANTS.prune_threshold
    scope = np.where(fading & (chance.random(n) < 0.94), GLOBAL, SESSION).astype(np.int8)
    h, now = weight(scope)
    faded = (now < _CONSTANTS.prune_threshold) & (facts["tier"] == AUTO) & ~core
    above = derived >= _CONSTANTS.promote_threshold
    facts |= {
        "prior": prior,
        "derived": derived,
        "anchor": derived,
        "anchored_at": anchored_at,
        "half_life": h,
        "scope": scope,
        "stamp": np.where(above, _CLOCK.at(at), consolidation.NO_STAMP),
        "pruned": faded,
        "lapsed": faded,
        "state": np.where((facts["state"] == LIVE) & faded, PRUNED, facts["state"]),
    }


def _write(space: Space, first: int, chance: np.random.Generator, part: Columns, touches: int) -> None:
    """Some of the facts, with their texts, the times of their reinforcements and their scores."""
    n = len(part["at"])
    spread = np.sort(chance.random((n, touches)) ** 3, axis=1)
    spread[:, -1:] = 1
    times = part["at"][:, None] + (spread * (part["latest_at"] - part["at"])[:, None]).astype(np.int64)
    times = np.column_stack([part["at"], times]).astype("<i8")
    uses = np.column_stack([np.zeros(n, bool), chance.random((n, touches)) < 0.3])
    known = part["at_known"].tolist()
    _write_scores(space, first, part, times, uses)

    erased = part["state"] == ERASED
    sources = [f"agent-{each}" for each in part["source"].tolist()]
    columns: dict[str, Any] = {name: column.tolist() for name, column in part.items() if name in _OWN}
    columns |= {
        "id": range(first, first + n),
        "space_id": [space.pk] * n,
        "name": [f"f{number:08}" for number in range(first, first + n)],
        "source": sources,
        "run": [f"sitting-{each}" for each in part["sitting"].tolist()],
        "arrived": part["at"].tolist(),
        "first_seen": part["at"].tolist(),
        "text": _unless(erased, _texts(chance, n)),
        "subject": _unless(erased, [f"thing {each}" for each in part["subject"].tolist()]),
        "predicate": _unless(erased, ["is"] * n),
        "object": _unless(erased, [f"topic {each}" for each in part["object"].tolist()]),
        "times": [row.tobytes() if is_so else b"" for row, is_so in zip(times, known, strict=True)],
        "uses": [row.tobytes() if is_so else b"" for row, is_so in zip(uses.astype(np.uint8), known, strict=True)],
    }
    for field in Fact._meta.concrete_fields:
        if field.column not in columns:
            columns[field.column] = [field.get_default()] * n
    bulk.insert(Fact, list(columns), zip(*columns.values(), strict=True))


#: Columns that stand in the table as they are.
_OWN = {field.name for field in Fact._meta.concrete_fields} - {"source", "subject", "object"}


def _unless(erased: Column, texts: list[str]) -> list[str]:
    return ["" if is_so else text for is_so, text in zip(erased.tolist(), texts, strict=True)]


def _texts(chance: np.random.Generator, n: int) -> list[str]:
    """Texts of 3 to 13 words."""
    lengths = chance.integers(3, 14, n)
    said = [f"w{word}" for word in _zipf(chance, _N_WORDS, int(lengths.sum())).tolist()]
    ends = np.cumsum(lengths).tolist()
    return [" ".join(said[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]


def _write_scores(space: Space, first: int, part: Columns, times: Column, uses: Column) -> None:
    n, none, known = len(times), np.zeros(len(times), np.int64), part["at_known"]
    owner = np.repeat(np.flatnonzero(known), times.shape[1])
    active = activation(times[known].ravel(), owner, uses[known].ravel(), none, part["at"], NOW, _CONSTANTS)
    opinions = opinion.opinion(part["r"], part["s"], part["tier"], _CONSTANTS)
    trusted = trust.trust(part["r"], part["s"], part["tier"], active.with_use, part["depth"], _CONSTANTS)
    flags = bands.flags(
        depth=part["depth"],
        disbelief=opinions.disbelief,
        uncertainty=opinions.uncertainty,
        live_contradiction=part["contradicted"],
        challenged=part["challenged"],
        activation=active.with_use,
        freshness=trusted.freshness,
        freshness_without_use=freshness(active.without_use, _CONSTANTS),
        constants=_CONSTANTS,
    )
    columns = (
        range(first, first + n),
        [space.pk] * n,
        part["state"].tolist(),
        [f"agent-{each}" for each in part["source"].tolist()],
        trusted.trust.tolist(),
        bands.band(trusted.trust, _CONSTANTS).tolist(),
        scores.packed(flags).tolist(),
        [NOW] * n,
    )
    bulk.insert(
        Score,
        ("fact_id", "space_id", "state", "source", "trust", "band", "flags", "scored_at"),
        zip(*columns, strict=True),
    )


def _zipf(chance: np.random.Generator, n: int, size: int) -> Column:
    """Numbers below n, of which k comes 1 / (k + 1) as often as 0."""
    sums = np.cumsum(1 / np.arange(1, n + 1))
    return np.searchsorted(sums, chance.random(size) * sums[-1])
