"""Outcomes: what people found right or wrong is read off what they decided, and kept with how the fact stood when they
were asked: when the case was opened, or just before they acted without one.

Only what counts is kept. What is undone goes at the next collection, and comes back with what is brought back.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import transaction

from trustmem.actions import folding, past
from trustmem.actions.judgements import Judgement, found
from trustmem.core.fold import Folded
from trustmem.core.instants import NEVER
from trustmem.core.lines import ConstantsChange
from trustmem.core.lines import Line as AnyLine
from trustmem.core.scores import score
from trustmem.core.vocabulary import BANDS
from trustmem.store import bulk, chain, folds
from trustmem.store.models import Case, Outcome, Space

Progress = Callable[[int, int], None]
#: So many judgements are looked at in one transaction.
_AT_ONCE = 200
#: How the ids of the acts begin that are written here, which rise with their place in the chain.
_ACT = "act:"
FACTORS = ("trust", "confidence", "freshness", "supersession", "provenance")
_SAID = ("position", "fact", "right", "how", "case", "sampled", "act", "by", "at", "asked_at")
_STOOD = ("source", "producer", "tier", "depth", "baseline_count", "first_seen", "times")
_WORTH = ("band", *FACTORS, "r", "s")
_COLUMNS = ("space_id", *_SAID, *_STOOD, "constants_version", *_WORTH)


def collect(
    space: Space,
    *,
    now: int,
    progress: Progress = lambda done, of: None,
    conclude: Callable[[int], None] = lambda changed: None,
) -> int:
    """Bring the outcomes of a space up to what people have decided by `now`; how many came or went.

    `progress` is told in each transaction how many judgements are looked at, of how many that are new; `conclude` is
    called in the last with how many outcomes came or went.
    """
    judgements = {(each.position, each.fact): each for each in _that_count(space, now)}
    there = {(position, fact): pk for pk, position, fact in _there(space)}
    fresh = [each for key, each in sorted(judgements.items()) if key not in there]
    gone, changed = [pk for key, pk in there.items() if key not in judgements], 0
    for start in range(0, len(fresh), _AT_ONCE):
        some = fresh[start : start + _AT_ONCE]
        with transaction.atomic():
            chain.lock(space)
            changed += _write(space, some)
            progress(start + len(some), len(fresh))
        bulk.give_way()
    with transaction.atomic():
        chain.lock(space)
        changed += _forget(gone)
        conclude(changed)
    return changed


def counted(space: Space, enough: Callable[[int, int], bool], *, now: int) -> tuple[int, int]:
    """How many outcomes there are, and how many of them are right: those that were collected if they are `enough`, else
    what people have decided by `now`, which a collection would bring."""
    kept = Outcome.objects.filter(space=space)
    n, right = kept.count(), kept.filter(right=True).count()
    if enough(n, right):
        return n, right
    judgements = {(each.position, each.fact): each.right for each in _that_count(space, now)}
    return len(judgements), sum(judgements.values())


def _that_count(space: Space, now: int) -> Iterator[Judgement]:
    """All by an instant but those on facts that count as never written by now."""
    judgements = [each for each in found(space) if each.at <= now]
    there = folds.keys(space, {each.fact for each in judgements})
    yield from (each for each in judgements if each.fact in there)


def _there(space: Space) -> list[tuple[int, int, str]]:
    return list(Outcome.objects.filter(space=space).values_list("pk", "position", "fact"))


def _forget(pks: Iterable[int]) -> int:
    return sum(Outcome.objects.filter(pk__in=chunk).delete()[0] for chunk in bulk.chunks(pks))


def _write(space: Space, judgements: Sequence[Judgement]) -> int:
    """Keep what some judgements found that nobody kept meanwhile, nor undid; how many."""
    at = [each.position for each in judgements]
    kept = set(Outcome.objects.filter(space=space, position__in=at).values_list("position", "fact"))
    void = folding.void(space, space.head_position)
    left = [each for each in judgements if (each.position, each.fact) not in kept and each.act not in void]
    rows = list(_rows(space, left))
    bulk.insert(Outcome, _COLUMNS, rows)
    return len(rows)


def _rows(space: Space, judgements: Sequence[Judgement]) -> Iterator[tuple[Any, ...]]:
    """Judgements with how their facts stood when somebody was asked; without those on what had not come by then."""
    told, recorded = past.told_about(space, {each.fact for each in judgements}), _recorded(space, judgements)
    lines = {line.id: line for line in told.lines}.values()
    for asked, some in groupby(judgements, attrgetter("before", "arrived", "act")):
        came = [line for line in lines if _had_come(line, told.positions[line.id], *asked)]
        of_one = list(some)
        then = past.stood(came, [each.fact for each in of_one])
        for each in (each for each in of_one if each.fact in then.stored.ids):
            row = then.stored.ids.index(each.fact)
            worth = _as_told(recorded.get(each.case, {}).get(each.fact)) or _worth(then, row, each.asked_at)
            yield (space.pk, *each[: len(_SAID)], *_stood(then, row, each.asked_at), _version(then, came), *worth)


def _had_come(line: AnyLine, position: int, before: int, arrived: int, act: str) -> bool:
    """Whether a line was there when somebody was asked who answered by an act. In an export that was taken in, what
    arrived at one instant stands by type: there the ids of acts tell which came first."""
    if position >= before or line.act == act:
        return False
    by = line.act or ""
    return not (line.arrived == arrived and by > act and by.startswith(_ACT))


def _recorded(space: Space, judgements: Iterable[Judgement]) -> dict[str, Mapping[str, Any]]:
    """What cases recorded of their facts when they were opened."""
    found = dict[str, Mapping[str, Any]]()
    for chunk in bulk.chunks({each.case for each in judgements} - {""}):
        rows = Case.objects.filter(space=space, name__in=chunk).values_list("name", "factors")
        told = {name: json.loads(factors).get("facts") for name, factors in rows}
        found |= {name: facts for name, facts in told.items() if isinstance(facts, dict)}
    return found


def _as_told(recorded: object) -> tuple[Any, ...] | None:
    """What a case recorded of a fact, in the order of _WORTH. None: that is not all there, or was no such thing."""
    match recorded:
        case {"band": str(band), "r": int(r), "s": int(s), **rest} if band in BANDS and min(r, s) >= 0:
            factors = tuple(rest.get(name) for name in FACTORS)
            if all(isinstance(each, float | int) and 0 <= each <= 1 for each in factors):
                return (BANDS.index(band), *factors, r, s)
    return None


def _worth(then: Folded, row: int, now: int) -> tuple[Any, ...]:
    scores = score(then.stored, now)
    return tuple(getattr(scores, name)[row].item() for name in _WORTH)


def _stood(then: Folded, row: int, now: int) -> tuple[Any, ...]:
    """What else there was to a fact, in the order of _STOOD."""
    facts, stored = then.history.facts, then.stored
    mine = stored.reinforcements.owner == row
    ages, uses = (now - stored.reinforcements.at[mine]).tolist(), stored.reinforcements.is_use[mine].tolist()
    count = int(stored.baseline_count[row])
    return (
        then.history.sources[facts.source[row]],
        int(facts.producer[row]),
        int(stored.tier[row]),
        int(stored.depth[row]),
        count,
        now - int(stored.first_seen[row]) if count else NEVER,
        json.dumps(list(zip(ages, uses, strict=True))),
    )


def _version(then: Folded, came: Iterable[AnyLine]) -> int:
    """The number of the constants that were in force."""
    changes = [line for line in came if isinstance(line, ConstantsChange) and not {line.act, line.imported} & then.void]
    return max(changes, key=lambda line: (line.arrived, line.at, line.id)).version if changes else 1
