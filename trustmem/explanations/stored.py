"""A fact of the database, with all that concerns it, as a memory that can be explained."""

from trustmem.actions import folding, records
from trustmem.core.lines import Pass
from trustmem.core.scores import score
from trustmem.explanations.memory import Memory
from trustmem.explanations.text import visible
from trustmem.formats.interchange import Reading
from trustmem.store.models import Space


def memory(space: Space, name: str, now: int) -> Memory:
    """What a space holds about one fact: folded from its lines, scored at an instant."""
    about = folding.about(space, name)
    if about is None:
        folded, taken, _ = folding.folded(space)
        passes, found = [Pass(each.instant) for each in taken], list(records.records(space))
    else:
        (folded, passes), found = about[:2], list(records.at(space, about.positions))
    return Memory(
        name=visible(space.name),
        reading=Reading(records={record["id"]: record for record, _ in found}),
        passes=passes,
        folded=folded,
        scores=score(folded.stored, now),
        now=now,
        imports={record["id"]: imported for record, imported in found if imported},
    )
