"""Undo: an act, an import or a pass counts as if it had never been. Undoing the undo brings it back."""

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q, QuerySet

from trustmem.actions import acts, folding
from trustmem.actions.errors import Refusal
from trustmem.core.columns import CODE
from trustmem.core.instants import to_text
from trustmem.formats import rfc3339
from trustmem.store import bulk, duplicates
from trustmem.store.models import Line, Space, Statement, Text

#: Tags of what no undo takes back.
FINAL = ("event.erased", "key")
#: More lines than this are many.
_MANY = 1000


class Final(Refusal):
    """It cannot be undone, whatever else was or will be."""


@transaction.atomic
def undo(space: Space, act: str, *, by: str, now: int, reason: str = "") -> str:
    """Undo an act or an import by its id, or a pass by its instant. The id of the act that this is in turn.

    Raises Refusal as `standing` does.
    """
    new = acts.begin(space)
    return acts.write(space, [acts.event("undone", of=standing(space, act), by=by, reason=reason)], act=new, now=now)


def standing(space: Space, act: str) -> str:
    """What an act, an import or a pass is called that can be undone.

    Raises Refusal for what is unknown or undone already, and Final for what has erased a fact or named a key.
    """
    name, lines = _lines(space, act)
    if not _any(lines):
        raise Refusal(f'the space "{space.name}" has no act, import or pass "{act}"')
    if _any(each.filter(tag__in=FINAL) for each in lines):
        raise Final(f'"{act}" cannot be undone: what is erased stays erased, and a key stays known')
    void = folding.void(space, space.head_position)
    if name in void or not _any(each.exclude(Q(act__in=void) | Q(imported__in=void)) for each in lines):
        raise Refusal(f'"{act}" is undone already')
    _ask_for_no_merge(space, lines)
    return name


#: What of a fact goes with it when it is merged into another.
_CARRIED = [CODE[kind] for kind in ("restated", "corroborated", "recalled", "injected")]


def _ask_for_no_merge(space: Space, lines: Iterable["QuerySet[Line]"]) -> None:
    """Raises Refusal where what is to count no more was said anew, of another fact, by a merge that stands."""
    for each in lines:
        for chunk in bulk.chunks(each.values_list("position", "tag", "name").iterator(_MANY)):
            names = {name for _, tag, name in chunk if tag == "fact"}
            said = Statement.objects.filter(space=space, position__in=[position for position, *_ in chunk])
            names.update(said.filter(kind__in=_CARRIED).values_list("fact__name", flat=True))
            for name in sorted(duplicates.merged_away(space, names)):
                raise Refusal(f'"{name}" went with a fact that was merged into another: undo that first')


class Undone(NamedTuple):
    """Who undid something, when and why; undoing the `act` brings it back."""

    act: str
    by: str
    at: int
    reason: str


def undone(space: Space, of: str, void: frozenset[str]) -> Undone | None:
    """The undo by which an act, an import or a pass does not count; None where it does. `void` are all acts that are
    undone."""
    return all_undone(space, [of], void).get(of)


def all_undone(space: Space, names: Collection[str], void: frozenset[str]) -> dict[str, Undone]:
    """The same for each of some names, those left out that count."""
    wanted = void.intersection(names)
    undoings = Line.objects.filter(space=space, tag="event.undone").order_by("position")
    standing = undoings.exclude(Q(act="") | Q(act__in=void) | Q(imported__in=void)) if wanted else undoings.none()
    found: dict[str, tuple[int, str, str, int]] = {}
    for position, act, at, body in standing.values_list("position", "act", "at", "body"):
        says = json.loads(body)
        if says["of"] in wanted:
            found[says["of"]] = position, act, says.get("source") or "", at
    reasons = _reasons(space, [position for position, *_ in found.values()])
    return {of: Undone(act, by, at, reasons.get(position, "")) for of, (position, act, by, at) in found.items()}


def _reasons(space: Space, positions: Collection[int]) -> dict[int, str]:
    texts = Text.objects.filter(space=space, position__in=positions).values_list("position", "body")
    return {position: json.loads(text or "{}").get("note") or "" for position, text in texts}


def brings_back(space: Space, act: str) -> bool:
    """Whether undoing an act makes something count again: where it is an undo, and not that of an undo."""
    is_undo, seen = False, set[str]()
    while act not in seen:
        seen.add(act)
        of = undid(space, act)
        if of is None:
            break
        is_undo, act = not is_undo, of
    return is_undo


def is_large(space: Space, act: str) -> bool:
    """Whether an act wrote so much, or what it undid did, that undoing it takes more than a moment."""
    seen = set[str]()
    while act not in seen:
        seen.add(act)
        if Line.objects.filter(space=space, act=act).order_by("position")[_MANY : _MANY + 1].exists():
            return True
        act = undid(space, act) or act
    return False


def undid(space: Space, act: str) -> str | None:
    """What an undo undid; None: the act is none."""
    body = Line.objects.filter(space=space, act=act, tag="event.undone").values_list("body", flat=True).first()
    return None if body is None else str(json.loads(body)["of"])


def concerned(space: Space, act: str) -> set[str]:
    """The tags of what undoing an act would take out or bring back: of its lines, and of those of what it undid.

    Of an import that is `import`, whatever it brought.
    """
    name, _ = _lines(space, act)
    return all_concerned(space, [name])[name]


def all_concerned(space: Space, names: Collection[str]) -> dict[str, set[str]]:
    """The same for each of some acts, imports and passes."""
    tags, undone = dict[str, set[str]](), dict[str, set[str]]()
    ahead = set(names)
    while ahead:
        tags |= _tags(space, ahead)
        fresh = Line.objects.filter(space=space, tag="event.undone", act__in=ahead).values_list("act", "body")
        for act, body in fresh:
            undone.setdefault(act, set()).add(json.loads(body)["of"])
        ahead = {of for act in ahead for of in undone.get(act, ())} - tags.keys()
    return {name: {tag for each in _reached(name, undone) for tag in tags[each]} for name in names}


def _tags(space: Space, names: Collection[str]) -> dict[str, set[str]]:
    """The tags of the lines of some acts, imports and passes."""
    lines = Line.objects.filter(space=space)
    found = {name: {"import"} if name.startswith(folding.IMPORTED) else set[str]() for name in names}
    for of, by in ((lines.filter(act__in=names), "act"), (lines.filter(tag="pass", name__in=names), "name")):
        for name, tag in of.order_by().values_list(by, "tag").distinct():
            found[name].add(tag)
    return {name: {"import"} if "import" in tags else tags for name, tags in found.items()}


def _reached(name: str, undone: Mapping[str, Collection[str]]) -> set[str]:
    """An act with what it undid, and what that did, and so on."""
    reached, ahead = set[str](), {name}
    while ahead:
        reached |= ahead
        ahead = {of for each in ahead for of in undone.get(each, ())} - reached
    return reached


def _lines(space: Space, act: str) -> tuple[str, list[QuerySet[Line]]]:
    """What an act wrote, an import brought, or the line of a pass, which may be given in another notation; each asked
    for apart, as each has an index of its own."""
    lines = Line.objects.filter(space=space)
    found = [lines.filter(act=act), lines.filter(tag="pass", name=act)]
    if act.startswith(folding.IMPORTED):
        found.append(lines.filter(imported=act))
    with suppress(ValueError):
        instant = to_text(rfc3339.parse(act))
        passes = lines.filter(tag="pass", name=instant)
        if not _any(found) and passes.exists():
            return instant, [passes]
    return act, found


def _any(asked: Iterable[QuerySet[Line]]) -> bool:
    return any(each.exists() for each in asked)
