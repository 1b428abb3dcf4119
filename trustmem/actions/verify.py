"""Verify: no line was changed since it was written, and what is stored is what the lines come to."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from django.db import transaction
from django.db.models import ForeignKey, Model

from trustmem.actions import folding, passes, signatures
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.formats.strict_json import quoted
from trustmem.store import bulk, chain, queries
from trustmem.store.models import (
    Case,
    CaseFact,
    CaseGroup,
    Change,
    Closing,
    ConstantsVersion,
    Edge,
    Entity,
    Fact,
    Import,
    Key,
    Link,
    Mention,
    Pass,
    Queued,
    Reject,
    Ruling,
    Score,
    Signature,
    Space,
    Statement,
    Tombstone,
    Touch,
    Waiting,
)
from trustmem.store.scores import packed

#: Two floats that differ by no more are the same: the last bit of a power is not that of the next processor.
TOLERANCE = 1e-9

#: The tables that are folds, each with the columns that tell one row from another: which is also how rows are told of
#: that others refer to, so that these come first. Scores are compared apart: each belongs to an instant.
TABLES: Mapping[type[Model], tuple[str, ...]] = {
    Fact: ("name",),
    Pass: ("instant",),
    Import: ("name",),
    Touch: ("fact", "source", "run", "kind"),
    Statement: ("position",),
    Ruling: ("position",),
    Waiting: ("name", "position"),
    Edge: ("newer", "older", "relation"),
    Change: ("of_pass", "fact"),
    ConstantsVersion: ("name",),
    Entity: ("name",),
    Link: ("name",),
    Key: ("name",),
    Signature: ("position",),
    Case: ("name",),
    CaseFact: ("case", "fact"),
    Closing: ("name",),
    CaseGroup: ("kind", "source"),
    Queued: ("case",),
    Tombstone: ("name",),
    Mention: ("fact", "entity"),
    Reject: ("of_import", "number", "status", "field", "reason"),
}

#: Columns that belong to an instant, as scores do.
_OF_AN_INSTANT: Mapping[type[Model], tuple[str, ...]] = {Queued: ("consequence", "weighed_at")}

_Rows = dict[tuple[Any, ...], list[dict[str, Any]]]


def verify(space: Space, *, rebuild: bool = False) -> list[str]:
    """What is wrong with a space, a sentence each; nothing if all is well.

    `rebuild` also folds all lines anew and compares what is stored with that, in whole but for the last bits of floats.
    Nothing is written.
    """
    found = lines(space)
    return compared(space, found) if rebuild else found


def lines(space: Space, watch: Callable[[int], None] = lambda position: None) -> list[str]:
    """What is wrong with the lines of a space, which is brought up to date; `watch` is told how far it is."""
    return [f"line {position} {what}" for position, what in chain.verify(space, watch)]


def compared(space: Space, found: list[str]) -> list[str]:
    """What was found, and what is wrong with all that is stored beside the lines."""
    if found:
        return [*found, "what is stored beside the lines was not compared: it is made of what is damaged"]
    return _differences(space)


@transaction.atomic
def _differences(space: Space) -> list[str]:
    """Between what is stored, and what stands there once it is written anew; which is taken back at once."""
    chain.lock(space)
    if space.folded_to != space.head_position:
        upto = f"what is stored beside the lines has those up to {space.folded_to} of {space.head_position}"
        return [f"{upto}: an import is under way, or was cut short, and the same import finishes it"]
    if passes.under_way(space):
        return ["a pass is under way, or was cut short, and the next one finishes it: what is stored was not compared"]
    stored = _tables(space)
    with transaction.atomic():
        signatures.check_all(space)
        folding.write(space, *folding.folded(space))
        fresh = _tables(space)
        transaction.set_rollback(True)
    found = [finding for model in TABLES for finding in _compared(model, stored[model], fresh[model])]
    return found or list(_scores_amiss(space))


def _scores_amiss(space: Space) -> Iterator[str]:
    """What is stored of scores against what the facts, which are as they should be, are worth at those instants."""
    of_instant: dict[int, list[int]] = {}
    for pk, scored_at in Score.objects.filter(space=space).values_list("pk", "scored_at").iterator(10_000):
        of_instant.setdefault(scored_at, []).append(pk)
    for scored_at, pks in sorted(of_instant.items()):
        for chunk in bulk.chunks(pks):
            right = score(queries.stored(space, chunk), scored_at)
            stored = Score.objects.filter(pk__in=chunk).order_by("fact__name").values("trust", "band", "flags", "state")
            flags = packed(right.flags, right.notices)
            values = zip(right.trust.tolist(), right.band.tolist(), flags.tolist(), right.state.tolist(), strict=True)
            for name, mine, value in zip(right.ids, stored, values, strict=True):
                fresh = dict(zip(mine, value, strict=True))
                yield from _told_apart(f"score {quoted(name)} at {to_text(scored_at)}", mine, fresh)
    if missing := Fact.objects.filter(space=space, score__isnull=True).count():
        yield f"facts without a stored score: {missing}"


def _tables(space: Space) -> dict[type[Model], _Rows]:
    """The rows of each table by what tells them apart, and with names in place of the keys of other rows."""
    names: dict[type[Model], dict[Any, Any]] = {}
    tables: dict[type[Model], _Rows] = {}
    for model, identity in TABLES.items():
        rows = list(_rows(space, model, names))
        names[model] = {row.pop("pk"): row[identity[0]] for row in rows}
        tables[model] = {}
        for row in rows:
            tables[model].setdefault(tuple(row[name] for name in identity), []).append(row)
    return tables


def _rows(space: Space, model: type[Model], names: Mapping[type[Model], Mapping[Any, Any]]) -> Iterator[dict[str, Any]]:
    left_out = ("id", "space", *_OF_AN_INSTANT.get(model, ()))
    fields = [each for each in model._meta.concrete_fields if each.name not in left_out]
    renaming = [
        (place, names[each.related_model])
        for place, each in enumerate(fields, start=1)
        if isinstance(each, ForeignKey) and isinstance(each.related_model, type)
    ]
    columns = ("pk", *(each.name for each in fields))
    found = model._default_manager.filter(space=space).order_by("pk")
    for values in found.values_list("pk", *(each.attname for each in fields)).iterator(10_000):
        row = list(values)
        for place, name_of in renaming:
            row[place] = (
                None if row[place] is None else name_of.get(row[place], f"row {row[place]}, which is not there")
            )
        yield dict(zip(columns, row, strict=True))


def _compared(model: type[Model], stored: _Rows, fresh: _Rows) -> Iterator[str]:
    for identity in sorted(stored.keys() | fresh.keys(), key=repr):
        what = f"{model._meta.verbose_name} {', '.join(_shown(each) for each in identity)}"
        for mine, right in zip_longest(stored.get(identity, ()), fresh.get(identity, ())):
            if mine is None:
                yield f"{what} is not stored, and follows from the lines"
            elif right is None:
                yield f"{what} is stored, and follows from no line"
            else:
                yield from _told_apart(what, mine, right)


def _told_apart(what: str, mine: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[str]:
    for name, value in mine.items():
        if not _same(value, right[name]):
            yield f"{what}: {name} is stored as {_shown(value)}; from the lines it is {_shown(right[name])}"


def _same(mine: Any, right: Any) -> bool:
    """Whether two values are equal, floats in them nearly."""
    if isinstance(mine, float) and isinstance(right, float | int):
        return math.isclose(mine, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    if isinstance(mine, dict) and isinstance(right, dict):
        return mine.keys() == right.keys() and all(_same(mine[name], right[name]) for name in mine)
    if isinstance(mine, list) and isinstance(right, list):
        return len(mine) == len(right) and all(map(_same, mine, right))
    return bool(_plain(mine) == _plain(right))


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bytes | memoryview):
        return f"{len(bytes(value))} bytes"
    return json.dumps(value, default=str)
