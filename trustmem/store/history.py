"""Rows of Line as the lines that the core folds: no text is needed for that."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, NamedTuple

from django.db.models import QuerySet

from trustmem.core.instants import EVER
from trustmem.core.lines import Baseline, ConstantsChange, Edge, Event, Fact, Feedback, Line, Pass
from trustmem.store import bulk, models, signatures
from trustmem.store.models import Space
from trustmem.store.signatures import Signed

#: What a tag makes of a line, and which attribute its second half is.
_MAKERS: dict[str, tuple[type[Line], str | None]] = {
    "fact": (Fact, None),
    "edge": (Edge, "relation"),
    "event": (Event, "kind"),
    "feedback": (Feedback, "outcome"),
    "constants": (ConstantsChange, None),
}
_ATTRIBUTES = {make: {each.name for each in fields(make)} for make, _ in _MAKERS.values()}
_RENAMED = {"from": "newer", "to": "older"}
_ROWS = ("tag", "name", "act", "imported", "at", "arrived", "body")


class Told(NamedTuple):
    """Lines and passes as the core folds them, in the order of their chain; and the position of each line by its id."""

    lines: list[Line]
    passes: list[Pass]
    positions: dict[str, int]

    def plus(self, other: "Told") -> "Told":
        """These lines and those."""
        return Told(self.lines + other.lines, self.passes + other.passes, self.positions | other.positions)

    def upto(self, position: int) -> "Told":
        """All passes, and the lines up to a position."""
        return self._replace(lines=[line for line in self.lines if self.positions[line.id] <= position])


def history(space: Space) -> Told:
    """Everything that the core folds of a space."""
    told = Told([], [], {})
    _tell(told, space, models.Line.objects.filter(space=space))
    return told


def lines_at(space: Space, positions: Iterable[int], until: int = EVER) -> Told:
    """What the core folds of the lines at these positions that had arrived by an instant."""
    told = Told([], [], {})
    for chunk in bulk.chunks(sorted(positions)):
        _tell(told, space, models.Line.objects.filter(space=space, position__in=chunk, arrived__lte=until), until)
    return told


def _tell(told: Told, space: Space, rows: QuerySet[models.Line], until: int = EVER) -> None:
    signed = dict[int, int]()
    for position, *row in rows.order_by("position").values_list("position", *_ROWS).iterator(10_000):
        line = _read(tuple(row))
        if isinstance(line, Pass):
            told.passes.append(line)
        elif line:
            if signatures.MARK in row[-1]:
                signed[position] = len(told.lines)
            told.lines.append(line)
            told.positions[line.id] = position
    for position, counts in signatures.verdicts(space, _signed(told, signed), until).items():
        place = signed[position]
        told.lines[place] = replace(told.lines[place], signature=counts)  # type: ignore[call-arg]


def _signed(told: Told, places: Mapping[int, int]) -> list[Signed]:
    """What came with signatures, by its position and its place among the lines."""
    found = list[Signed]()
    for position, place in places.items():
        line = told.lines[place]
        if isinstance(line, Fact | Edge):
            source = line.source if isinstance(line, Fact) else line.by or ""
            found.append(Signed(position, source, line.at, line.arrived))
    return found


def _read(row: tuple[Any, ...]) -> Line | Pass | None:
    tag, name, act, imported, at, arrived, body = row
    type, _, kind = tag.partition(".")
    if type == "pass":
        return Pass(at, act or None, imported or None)
    if type not in _MAKERS:
        return None
    make, second = _MAKERS[type]
    values = dict(_attributes(make, json.loads(body)))
    values |= {second: kind} if second else {}
    return make(id=name, at=at, arrived=arrived, act=act or None, imported=imported or None, **values)


def _attributes(make: type[Line], body: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for field, value in body.items():
        attribute = _RENAMED.get(field, field)
        if attribute == "baseline":
            yield attribute, Baseline(**value)
        elif attribute in _ATTRIBUTES[make]:
            yield attribute, value
