"""Cases as folds: what their lines opened and closed, and the queue of those that are open."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Q

from trustmem.core.instants import NEVER
from trustmem.store import bulk, chain
from trustmem.store.models import Case, CaseFact, CaseGroup, Closing, Line, Queued, Space, Text

#: Tags of the lines that this module tells of.
TAGS = ("case", "event.closed")
KINDS = (
    CONTRADICTION := "contradiction",
    CHALLENGE := "challenge",
    CANDIDATE := "candidate",
    ORPHAN := "orphan",
    CYCLE := "cycle",
    BAD_SIGNATURE := "bad signature",
    BULK_CHANGE := "bulk change",
    STALE_FAVOURITE := "stale favourite",
    RESTORED_VALUE := "restored value",
    SAMPLE := "calibration sample",
    DUPLICATE := "duplicate",
    FORGET_WISH := "wish to forget",
)
#: More open cases of a kind by one source than these are shown as one.
MANY = 5
#: Candidates are seldom alike, since nobody has said them: of these more are shown each by itself.
MANY_OF = {CANDIDATE: 50}
#: The groups that are shown as one.
ARE_MANY = reduce(
    or_,
    (Q(kind=kind, count__gt=many) for kind, many in MANY_OF.items()),
    Q(count__gt=MANY) & ~Q(kind__in=[*MANY_OF]),
)
_PREFIX = "case:"


def key(space: Space, kind: str, what: Iterable[str]) -> str:
    """How the ids of the cases of a kind about some things begin: what nobody can tell who has not the key of the
    space."""
    digest = chain.text_digest(space.digest_key, chain.canonical([kind, *what]))[:16]
    return f"{prefix(kind)}{digest}"


def prefix(kind: str) -> str:
    """How the keys of the cases of a kind begin.

    >>> prefix("bad signature")
    'case:bad-signature:'
    """
    return f"{_PREFIX}{kind.replace(' ', '-')}:"


def kind_of(key: str) -> str:
    """The kind of the cases of a key; '' of those that a file brought.

    >>> kind_of("case:bad-signature:0123456789abcdef"), kind_of("")
    ('bad signature', '')
    """
    word = key.removeprefix(_PREFIX).partition(":")[0].replace("-", " ")
    return word if word in KINDS else ""


class _Row(NamedTuple):
    position: int
    tag: str
    name: str
    act: str
    imported: str
    at: int
    says: dict[str, Any]


def write(space: Space, void: Collection[str], positions: Collection[int] | None = None) -> set[int]:
    """Bring what the lines at some positions (None: all) opened and closed up to date; the keys of the cases concerned.

    `void` are the acts that do not count. Within a transaction.
    """
    if positions is None:
        for model in (Queued, CaseGroup, CaseFact, Closing, Case):
            model._default_manager.filter(space=space).delete()
    rows = list(_rows(space, positions))
    if not rows:
        return set()
    counting = [row for row in rows if not {row.act, row.imported} & {*void}]
    _write_closings(space, [row for row in rows if row.tag != "case"], counting)
    _write_opened(space, [row for row in rows if row.tag == "case"], counting)
    names = {row.name if row.tag == "case" else row.says["of"] for row in rows}
    return _close(space, names)


def _rows(space: Space, positions: Collection[int] | None) -> Iterator[_Row]:
    lines = Line.objects.filter(space=space, tag__in=TAGS).order_by("position")
    for which in [Q()] if positions is None else [Q(position__in=chunk) for chunk in bulk.chunks(sorted(positions))]:
        found = list(lines.filter(which).values_list("position", "tag", "name", "act", "imported", "at", "body"))
        texts = _texts(space, [position for position, *_ in found])
        for position, tag, name, act, imported, at, body in found:
            says = json.loads(body) | texts.get(position, {})
            yield _Row(position, tag, name, act, imported, at, says)


def _texts(space: Space, positions: Iterable[int]) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for chunk in bulk.chunks(positions):
        texts = Text.objects.filter(space=space, position__in=chunk).values_list("position", "body")
        found |= {position: json.loads(text) for position, text in texts if text}
    return found


def _write_closings(space: Space, rows: list[_Row], counting: list[_Row]) -> None:
    for chunk in bulk.chunks(row.position for row in rows):
        Closing.objects.filter(space=space, position__in=chunk).delete()
    closings = (
        (space.pk, row.name, row.position, row.says["of"], row.act, row.says.get("source") or "", row.at)
        for row in counting
        if row.tag != "case"
    )
    bulk.insert(Closing, ("space_id", "name", "position", "of", "act", "by", "at"), list(closings))


def _write_opened(space: Space, rows: list[_Row], counting: list[_Row]) -> None:
    """A case keeps its row for as long as it counts."""
    there = _keys_of(space, (row.name for row in rows))
    standing = {row.name: row for row in counting if row.tag == "case"}
    gone = [pk for name, pk in there.items() if name not in standing]
    leave_queue(space, gone)
    for chunk in bulk.chunks(gone):
        CaseFact.objects.filter(case__in=chunk).delete()
        Case.objects.filter(pk__in=chunk).delete()
    told = {there[name]: _free(row.says) for name, row in standing.items() if name in there}
    _update(("kind", "factors"), told)  # what it says may have been erased since
    fresh = [row for row in standing.values() if row.name not in there]
    pks = bulk.keys(Case, len(fresh))
    bulk.insert(Case, _CASE, [_case(space, pk, row) for pk, row in zip(pks, fresh, strict=True)])
    named = (
        (space.pk, pk, fact) for pk, row in zip(pks, fresh, strict=True) for fact in dict.fromkeys(row.says["facts"])
    )
    bulk.insert(CaseFact, ("space_id", "case_id", "fact"), list(named))


_CASE = (
    "id",
    "space_id",
    "name",
    "position",
    "key",
    "kind",
    "facts",
    "at",
    "factors",
    "constants_version",
    "stands",
    "closed_at",
    "verdict",
)


def _case(space: Space, pk: int, row: _Row) -> tuple[Any, ...]:
    says, (kind, factors) = row.says, _free(row.says)
    opened = row.position, _key_of(space, row), kind, json.dumps(says["facts"]), row.at, factors
    return pk, space.pk, row.name, *opened, says.get("constants_version") or 1, True, NEVER, ""


def _free(says: Mapping[str, Any]) -> tuple[str, str]:
    return says.get("kind", ""), json.dumps(says.get("factors") or {})


def _update(columns: tuple[str, ...], values: Mapping[int, tuple[Any, ...]]) -> None:
    """Set columns of cases, by their keys, where they differ."""
    differ = []
    for chunk in bulk.chunks(values):
        for pk, *was in Case.objects.filter(pk__in=chunk).values_list("pk", *columns):
            if tuple(was) != values[pk]:
                differ.append((pk, *values[pk]))
    if differ:
        bulk.update(Case, "id", columns, differ)


def _key_of(space: Space, row: _Row) -> str:
    """The id of a case without its round; '' where a file brought it and could have made that up."""
    given, _, round = row.name.rpartition(":")
    if not kind_of(given) or not re.fullmatch("[1-9][0-9]*", round) or not row.says["facts"]:
        return ""
    return given if not row.imported or given == key(space, kind_of(given), _about(given, row.says)) else ""


def _about(given: str, says: Mapping[str, Any]) -> list[str]:
    """What the key of a case tells of: a bulk change of who brought it, any other of its facts."""
    if kind_of(given) != BULK_CHANGE:
        return sorted(says["facts"])
    match says.get("factors"):
        case {"source": str(source), "run": str(run)}:
            return [source, run]
        case {"import": str(imported)}:
            return [imported]
    return []


def _close(space: Space, names: Collection[str]) -> set[int]:
    """Note of these cases whether they are closed."""
    there, first = _keys_of(space, names), closings(space, names)
    texts = _texts(space, (closing.position for closing in first.values()))
    _update(("closed_at", "verdict"), {pk: _closed(first.get(name), texts) for name, pk in there.items()})
    return set(there.values())


def closings(space: Space, names: Iterable[str]) -> dict[str, Closing]:
    """What closed cases, by their names: of several lines the first. Those that were opened here nobody closes before
    that, nor by a file: it might say so of whom it likes."""
    found = dict[str, Closing]()
    for chunk in bulk.chunks(names):
        said = list(Closing.objects.filter(space=space, of__in=chunk))
        said.sort(key=lambda each: (each.at, each.name), reverse=True)  # SQLite would walk all closings in that order
        lines = Line.objects.filter(space=space, imported="")
        opened = dict(lines.filter(name__in={each.of for each in said}, tag="case").values_list("name", "position"))
        here = set(lines.filter(position__in=[each.position for each in said]).values_list("position", flat=True))
        found |= {
            each.of: each
            for each in said
            if each.of not in opened or (each.position > opened[each.of] and each.position in here)
        }
    return found


def _closed(closing: Closing | None, texts: Mapping[int, Mapping[str, Any]]) -> tuple[int, str]:
    if closing is None:
        return NEVER, ""
    return closing.at, texts.get(closing.position, {}).get("verdict") or ""


def _keys_of(space: Space, names: Iterable[str]) -> dict[str, int]:
    found = dict[str, int]()
    for chunk in bulk.chunks(names):
        found |= Case.objects.filter(space=space, name__in=chunk).values_list("name", "pk")
    return found


def of_facts(space: Space, names: Iterable[str]) -> set[int]:
    """The keys of the cases about some facts."""
    # Or SQLite would walk all that the cases of the space are about: by an index in which is all that is asked for.
    by = "INDEXED BY cases_of_a_fact" if connection.vendor == "sqlite" else ""
    asked = f"SELECT case_id FROM {CaseFact._meta.db_table} {by} WHERE space_id = %s AND fact IN"  # noqa: S608 (ours)
    found = set[int]()
    with connection.cursor() as cursor:
        for chunk in bulk.chunks(names):
            cursor.execute(f"{asked} ({', '.join(['%s'] * len(chunk))})", [space.pk, *chunk])
            found.update(pk for (pk,) in cursor.fetchall())
    return found


class Place(NamedTuple):
    """Where an open case stands in the queue: who brought it ('': several, or nobody), and its consequence."""

    source: str
    consequence: float


def queue(space: Space, places: Mapping[int, Place], now: int) -> None:
    """Put open cases, by their keys, in the queue. Within a transaction."""
    if not places:
        return
    cases, rows, more = dict[int, tuple[int, str]](), list[tuple[Any, ...]](), Counter[tuple[str, str]]()
    for chunk in bulk.chunks(places):
        found = Case.objects.filter(pk__in=chunk).values_list("pk", "position", "key")
        cases |= {pk: (position, kind_of(key)) for pk, position, key in found}
    for pk, (position, kind) in cases.items():
        place = places[pk]
        rows.append((pk, space.pk, position, kind, place.source, place.consequence, now, False))
        more[kind, place.source] += 1
    columns = ("space_id", "position", "kind", "source", "consequence", "weighed_at", "grouped")
    bulk.insert(Queued, ("case_id", *columns), rows)
    _count(space, more)


def leave_queue(space: Space, pks: Collection[int]) -> None:
    """Take cases out of the queue. Within a transaction."""
    less = Counter[tuple[str, str]]()
    for chunk in bulk.chunks(pks):
        queued = Queued.objects.filter(case__in=chunk)
        less.update(queued.values_list("kind", "source"))
        queued.delete()
    _count(space, {group: -count for group, count in less.items()})


def _count(space: Space, more: Mapping[tuple[str, str], int]) -> None:
    """So many more cases are in these groups. Only what one source brought makes a group that is shown as one."""
    for (kind, source), count in more.items():
        if not source:
            continue
        group, _ = CaseGroup.objects.get_or_create(space=space, kind=kind, source=source)
        was, group.count = group.count, group.count + count
        if group.count:
            group.save(update_fields=["count"])
        else:
            group.delete()
        many = MANY_OF.get(kind, MANY)
        if (group.count > many) or (was > many):
            # By what they are now, in words for which SQLite has an index: it leads to those alone.
            ours = Queued.objects.filter(space=space, kind=kind, source=source, grouped__in=(group.count <= many,))
            ours.update(grouped=group.count > many)


def stand(pks: Mapping[int, bool]) -> None:
    """Note of cases, by their keys, whether what they are about is so."""
    _update(("stands",), {pk: (stands,) for pk, stands in pks.items()})
