"""Facts of the database as they stood at an instant, with all that concerned them, as a memory to be explained."""

from collections.abc import Collection
from typing import NamedTuple

from trustmem.actions import past, records
from trustmem.actions.past import Past
from trustmem.core.scores import score
from trustmem.explanations.history import instants
from trustmem.explanations.memory import Memory
from trustmem.explanations.text import visible
from trustmem.formats.interchange import Reading
from trustmem.store.models import Space


class AsOf(NamedTuple):
    """The memory as of an instant, what it was folded from, and when something came about one of its facts, be it
    later."""

    memory: Memory
    past: Past
    instants: list[int]


def as_of(space: Space, names: Collection[str], instant: int) -> AsOf:
    """What a space held about some facts. What was erased since has no text any more."""
    found = past.about(space, names, instant)
    told = {record["id"]: (record, imported) for record, imported in records.at(space, found.later)}
    every = {id: record for id, (record, _) in told.items()}
    imports = {id: imported for id, (_, imported) in told.items() if imported}
    memory = Memory(
        name=visible(space.name),
        reading=Reading(records={id: record for id, record in every.items() if record["arrived"] <= instant}),
        passes=found.passes,
        folded=found.folded,
        scores=score(found.folded.stored, instant),
        now=instant,
        imports=imports,
    )
    came = {each for name in names for each in instants(every, imports, name)}
    return AsOf(memory, found, sorted(came))


def claims(space: Space, names: Collection[str], instant: int, found: Past | None = None) -> Memory:
    """How facts stood at an instant, and what they say: no more of their history. `found` is what they were folded to,
    if they were."""
    found = found or past.about(space, names, instant)
    return Memory(
        name=visible(space.name),
        reading=Reading(records={record["id"]: record for record, _ in records.named(space, names)}),
        passes=found.passes,
        folded=found.folded,
        scores=score(found.folded.stored, instant),
        now=instant,
    )
