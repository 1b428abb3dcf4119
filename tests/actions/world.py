"""Spaces for the tests of actions, from histories as `tests.makers` writes them."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db import transaction

from tests.makers import day
from trustmem.actions import imports, spaces
from trustmem.actions.opening import refold
from trustmem.actions.records import entry
from trustmem.core.lines import ConstantsChange, Edge, Event, Fact, Feedback, Line, Pass
from trustmem.formats import writer
from trustmem.formats.interchange_types import DEFAULTS
from trustmem.store import chain
from trustmem.store.models import Space

_TYPES = {Fact: "fact", Edge: "edge", Event: "event", Feedback: "feedback", ConstantsChange: "constants"}
_RENAMED = {"newer": "from", "older": "to"}
#: When a history comes in: after all that happens in it.
LATER = day(100)


def as_file(lines: Sequence[Line], passes: Sequence[Pass] = ()) -> list[bytes]:
    """A history as the lines of an interchange file, which cannot say of a signature that it counts: there are none."""
    return [writer.line(_record(line)) for line in lines] + [
        writer.line(DEFAULTS["pass"] | {"type": "pass", "id": "", "at": each.at, "arrived": each.at}) for each in passes
    ]


def _record(line: Line) -> dict[str, Any]:
    type = _TYPES[line.__class__]
    values = {name: getattr(line, name) for name in asdict(line) if name not in ("signature", "imported")}
    record = DEFAULTS[type] | {"type": type} | {_RENAMED.get(name, name): value for name, value in values.items()}
    return record | ({"text": f"What {line.id} says."} if isinstance(line, Fact) else {})


def space_of(*lines: Line, passes: Sequence[Pass] = (), name: str = "diary") -> Space:
    """A space into which these came as a file."""
    return taken(spaces.create(name), as_file(lines, passes))


def taken(space: Space, raw: Sequence[bytes], now: int = LATER) -> Space:
    """The space, into which a file came."""
    imports.import_lines(space, raw, file="a file", by="ana", now=now)
    return space


@transaction.atomic
def signed(space: Space, *lines: Line, verdict: str = "good") -> Space:
    """The space, to which lines came with signatures that verify, or do not."""
    chain.append(space, [replace(entry(_record(line)), verdict=verdict) for line in lines])
    refold(space)
    return space
