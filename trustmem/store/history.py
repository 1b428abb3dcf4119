"""Rows of Line as the lines that the core folds: no text is needed for that."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from trustmem.core.lines import Baseline, ConstantsChange, Edge, Event, Fact, Feedback, Line, Pass
from trustmem.store import models
from trustmem.store.models import Space

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
_VERDICTS = {"good": True, "bad": False}
_ROWS = ("tag", "name", "act", "imported", "at", "arrived", "body", "verdict")


def history(space: Space) -> tuple[list[Line], list[Pass]]:
    """Everything that the core folds of a space, in the order of its chain."""
    found: tuple[list[Line], list[Pass]] = [], []
    for row in models.Line.objects.filter(space=space).order_by("position").values_list(*_ROWS).iterator(10_000):
        _read(row, *found)
    return found


def _read(row: tuple[Any, ...], lines: list[Line], passes: list[Pass]) -> None:
    tag, name, act, imported, at, arrived, body, verdict = row
    type, _, kind = tag.partition(".")
    if type == "pass":
        passes.append(Pass(at, act or None, imported or None))
    elif type in _MAKERS:
        make, second = _MAKERS[type]
        values = dict(_attributes(make, json.loads(body)))
        values |= {second: kind} if second else {}
        if verdict:
            values["signature"] = _VERDICTS[verdict]
        lines.append(make(id=name, at=at, arrived=arrived, act=act or None, imported=imported or None, **values))


def _attributes(make: type[Line], body: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for field, value in body.items():
        attribute = _RENAMED.get(field, field)
        if attribute == "baseline":
            yield attribute, Baseline(**value)
        elif attribute in _ATTRIBUTES[make]:
            yield attribute, value
