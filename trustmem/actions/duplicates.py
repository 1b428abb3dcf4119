"""Duplicates: a person merges facts that say the same into one of them, or says that they are not the same. Either is
one act, which undo takes back.

It goes on record as a case that is opened and closed at once, so that nobody is asked twice, and it is known how often
the detector was right.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction

from trustmem.actions import acts, batches, cases, facts, folding, merging, opening, since
from trustmem.actions.batches import Batch
from trustmem.actions.drafts import Draft, Words
from trustmem.actions.errors import Refusal
from trustmem.actions.verdicts import Changed, Decided
from trustmem.core.contradictions import RESTATEMENT
from trustmem.core.instants import NEVER
from trustmem.core.lines import Event
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import FORGOTTEN
from trustmem.formats import rfc3339
from trustmem.store import bulk, duplicates, queries
from trustmem.store import cases as stored
from trustmem.store.cases import DUPLICATE
from trustmem.store.duplicates import APART, MERGE
from trustmem.store.models import Case, Fact, Space


class Group(NamedTuple):
    """Facts by their names: the one that is `kept`, and those that are merged into it."""

    kept: str
    others: Sequence[str]

    @property
    def names(self) -> list[str]:
        return [self.kept, *self.others]


@transaction.atomic
def merge(
    space: Space, kept: str, others: Sequence[str], *, by: str, now: int, reason: str = "", seen: int | None = None
) -> str:
    """Merge facts into the one that is kept; the id of the act.

    `seen` is the position up to which whoever decides has seen what there is; None: whatever there is. Raises Refusal
    for what cannot be merged; Decided where somebody decided about some of them since, Changed where else is told of
    them since; and then nothing is written.
    """
    draft, group = Draft(space, acts.begin(space), by, now, Words(reason)), Group(kept, others)
    _merge(draft, group, _rows(space, group.names), seen)
    acts.write(space, draft.lines, act=draft.act, now=now)
    facts.ask_that(FORGOTTEN, space, draft.forgotten, now)
    return draft.act


@transaction.atomic
def apart(space: Space, names: Sequence[str], *, by: str, now: int, reason: str = "", seen: int | None = None) -> str:
    """Say of facts that they are not the same, so that none of them is found to be a duplicate of another again; the id
    of the act. Raises as `merge` does."""
    draft = Draft(space, acts.begin(space), by, now, Words(reason))
    rows = _rows(space, names)
    if len(rows) < 2:
        raise Refusal("it takes two facts or more that are not the same")
    if len(rows) > merging.MOST:
        raise Refusal(f"at most {merging.MOST} facts are decided about at once")
    _ask_since(space, names, seen)
    _close(draft, list(rows.values()), APART)
    return acts.write(space, draft.lines, act=draft.act, now=now)


@transaction.atomic
def merge_all(space: Space, groups: Sequence[Group], *, by: str, now: int, reason: str = "", seen: int | None) -> Batch:
    """Merge many groups in one act, as they stood when the line at `seen` was the last (None: as they stand); what was
    decided or has changed since, or cannot be merged, is left out. Raises Refusal where nothing is left."""
    draft = Draft(space, acts.begin(space), by, now, Words(reason))
    left = Counter[str]()
    if sum(len(group.names) for group in groups) > batches.MOST:
        raise Refusal(f"at most {batches.MOST} facts are merged at once: take fewer clusters")
    for group in groups:
        try:
            _merge(draft, group, _rows(space, group.names), seen)
        except Decided:
            left["gone"] += 1
        except Changed:
            left["changed"] += 1
        except Refusal:
            left["refused"] += 1
    batch = Batch(draft.act, len(groups) - left.total(), **left)
    batches.written(space, draft.lines, batch, now)
    facts.ask_that(FORGOTTEN, space, draft.forgotten, now)
    return batch


def _merge(draft: Draft, group: Group, rows: Mapping[str, Fact], seen: int | None) -> None:
    """Raises Refusal, and then the draft has no line more."""
    _ask_since(draft.space, group.names, seen)
    kept, others = rows[group.kept], [rows[name] for name in group.others]
    draft.merge(kept, others)
    _close(draft, [kept, *sorted(others, key=lambda fact: (fact.at, fact.name))], MERGE)


def _rows(space: Space, names: Sequence[str]) -> dict[str, Fact]:
    """Facts by name, in that order. Raises Refusal where one is not there."""
    there = {
        fact.name: fact for chunk in bulk.chunks(names) for fact in Fact.objects.filter(space=space, name__in=chunk)
    }
    return {name: there[name] if name in there else facts.found(space, name) for name in names}


def _ask_since(space: Space, names: Sequence[str], seen: int | None) -> None:
    """Raises Decided or Changed where that was not seen."""
    if seen is None:
        return
    about = Case.objects.filter(space=space, pk__in=stored.of_facts(space, names), position__gt=seen)
    decided = about.filter(key__startswith=stored.prefix(DUPLICATE), closed_at__gt=NEVER).order_by("position").last()
    closing = decided and cases.closing(space, decided)
    if closing:
        raise Decided(closing)
    if positions := set().union(*since.changes(space, names, seen).values()):
        raise Changed(sorted(positions))


def _close(draft: Draft, rows: Sequence[Fact], verdict: str) -> None:
    """The case about facts, and what closes it."""
    space, names = draft.space, [fact.name for fact in rows]
    key = stored.key(space, DUPLICATE, sorted(names))
    name = opening.free_names(space, {key: 1})[key]
    told = {"facts": opening.factors(space, names, draft.now), **_found(space, rows)}
    told |= {"kept": names[0]} if verdict == MERGE else {}
    case = {"type": "case", "id": name, "kind": DUPLICATE, "facts": names, "factors": told}
    reason = {"reason": draft.words.reason} if draft.words.reason else {}
    draft.lines.append(case | {"constants_version": queries.version(space)})
    draft.lines.append(acts.event("closed", of=name, by=draft.by, verdict=verdict) | reason)


def _found(space: Space, rows: Iterable[Fact]) -> dict[str, Any]:
    """How the detector came to it: by most of the pairs among facts."""
    pairs = duplicates.between(space, [fact.pk for fact in rows])
    if not pairs:
        return {}
    (rule, detector), _ = max(
        Counter((pair.rule, pair.detector) for pair in pairs).items(), key=lambda each: each[::-1]
    )
    told = {"finding": RESTATEMENT, "rule": rule, "detector": detector, "pairs": len(pairs)}
    return told | {"overlap": min(pair.overlap for pair in pairs)}


# What it would come to


class Stand(NamedTuple):
    """What a fact is worth: r and s, trust, and the place of its band among BANDS."""

    r: int
    s: int
    trust: float
    band: int


class Preview(NamedTuple):
    """What merging would make of the fact that is kept."""

    before: Stand
    after: Stand


def previews(space: Space, groups: Collection[Group], now: int) -> dict[str, Preview]:
    """What merging would make of the facts that are kept, by their names, at an instant, by what folds the very lines
    that it would write. Nothing is written. {}: so much hangs together that it takes too long."""
    rows = {group.kept: _rows(space, group.names) for group in groups}
    arrived, more = acts.stamp(space, now), list[Event]()
    for place, group in enumerate(groups):
        kept, *others = rows[group.kept].values()
        said = merging.lines(space, f"trial:{place}", kept, others, by="person")
        more += [_event(f"trial:{place}:{number}", line, now, arrived) for number, line in enumerate(said, 1)]
    found = folding.with_more(space, {name for each in rows.values() for name in each}, more)
    if found is None:
        return {}
    before, after = (_stands(score(each, now)) for each in found)
    return {group.kept: Preview(before[group.kept], after[group.kept]) for group in groups}


def _event(name: str, line: Mapping[str, Any], now: int, arrived: int) -> Event:
    given = {field: line[field] for field in ("kind", "fact", "of", "source", "run", "tier") if field in line}
    at = rfc3339.parse(line["at"]) if "at" in line else now
    return Event(id=name, at=at, arrived=arrived, act=name.rpartition(":")[0], **given)


def _stands(scores: Scores) -> dict[str, Stand]:
    columns = (column.tolist() for column in (scores.r, scores.s, scores.trust, scores.band))
    return dict(zip(scores.ids, map(Stand._make, zip(*columns, strict=True)), strict=True))
