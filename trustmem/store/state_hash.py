"""The state hash: one digest of all that a history decides, equal on every database and after every round trip.

In it are counts, states, scopes, stamps, clocks, live edges, cases, tombstones, constants and passes. No derived float
is, since the last bit of a power differs from one processor to another; no row id, no time of writing, no voided line;
nor an open case that is found by how much came at a time, or at which time somebody looked, or the detector did.
"""

import hashlib
from collections.abc import Iterator

from trustmem.core.instants import NEVER
from trustmem.store.cases import BULK_CHANGE, CANDIDATE, FORGET_WISH, RESTORED_VALUE, STALE_FAVOURITE, kind_of
from trustmem.store.chain import canonical
from trustmem.store.models import Case, ConstantsVersion, Edge, Fact, Pass, Space, Tombstone

_FACT = (
    "name",
    "state",
    "tier",
    "accepted",
    "scope",
    "r",
    "s",
    "evidence",
    "contradictions",
    "use_count",
    "depth",
    "challenged",
    "contradicted",
    "reinforcement_count",
    "anchored_at",
    "stamp",
    "pruned",
    "lapsed",
    "baseline_count",
    "first_seen",
    "latest_at",
)


def state_hash(space: Space) -> str:
    """SHA-256 (hex) over the canonical JSON of each row in turn."""
    digest = hashlib.sha256()
    for row in _rows(space):
        digest.update(row.encode() + b"\n")
    return digest.hexdigest()


def _rows(space: Space) -> Iterator[str]:
    facts = Fact.objects.filter(space=space).order_by("name")
    for *values, times, uses in facts.values_list(*_FACT, "times", "uses").iterator(10_000):
        yield canonical(["fact", *values, bytes(times).hex(), bytes(uses).hex()])
    edges = Edge.objects.filter(space=space, live=True).order_by("newer__name", "older__name", "relation")
    for edge in edges.values_list("newer__name", "older__name", "relation").iterator(10_000):
        yield canonical(["edge", *edge])
    yield from sorted(_cases(space))
    tombstones = Tombstone.objects.filter(space=space).order_by("name")
    for tombstone in tombstones.values_list("name", "digest", "lifted_at"):
        yield canonical(["tombstone", *tombstone])
    versions = ConstantsVersion.objects.filter(space=space).order_by("since", "pk")
    for place, (number, values, since) in enumerate(versions.values_list("number", "values", "since")):
        # The first is in force from the beginning, whenever it was written.
        yield canonical(["constants", number, values, since if place else 0])
    for taken in Pass.objects.filter(space=space).order_by("instant").values_list("instant", "clock", "void"):
        yield canonical(["pass", *taken])


_BY_THE_WAY = (BULK_CHANGE, CANDIDATE, STALE_FAVOURITE, RESTORED_VALUE, FORGET_WISH)


def _cases(space: Space) -> Iterator[str]:
    """What waits for a person or was decided by one. What keys a case differs from space to space, and is left out."""
    for name, key, facts, stands, closed_at in Case.objects.filter(space=space).values_list(
        "name", "key", "facts", "stands", "closed_at"
    ):
        kind, is_closed = kind_of(key), closed_at != NEVER
        if is_closed or (stands and kind not in _BY_THE_WAY):
            yield canonical(["case", kind, sorted(facts), name.rpartition(":")[2] if kind else name, is_closed])
