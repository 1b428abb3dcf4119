"""Opening: a space is brought up to date, and what that finds for a person to decide goes on record as cases.

A case is opened once for a kind and the facts that it is about, however often that is found. Closed, it stays so, until
somebody says the same who had not; then there is a case of the next round, which names what is new.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from django.db import transaction

from trustmem.actions import alarms, folding, rounds
from trustmem.actions.finding import Finding, Said
from trustmem.actions.records import entry
from trustmem.actions.rounds import Rounds
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import BANDS
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store import bulk, cases, chain, folds, queries, receipts
from trustmem.store.models import Line, Space

#: What a case keeps of each of its facts.
_FACTORS = ("trust", "confidence", "freshness", "supersession", "provenance", "r", "s")
#: A case names so many lines at most.
_MOST = 1000


@transaction.atomic
def refold(space: Space) -> None:
    """Bring the folds of a space up to date, and open the cases that what came calls for."""
    chain.lock(space)
    since = space.folded_to
    findings = folding.refold(space)
    if since == space.folded_to:
        return
    restored = _restored(space, since) if since else []
    _append(space, [*opened_by(space, [*findings, *restored]), *(alarms.due(space, since) if since else ())])


def write(space: Space, findings: Iterable[Finding]) -> int:
    """Open the cases that findings call for; how many. Within a transaction in which the space is held."""
    opened = opened_by(space, findings)
    _append(space, opened)
    return len(opened)


def _append(space: Space, opened: Sequence[Record]) -> None:
    if opened:
        chain.append(space, map(entry, opened))
        folding.refold(space)


def _restored(space: Space, since: int) -> list[Finding]:
    """What somebody forgot that came back after a position, and was refused."""
    fresh = {each.fact for each in receipts.restored(space, since) if each.fact}
    told = defaultdict[str, list[Said]](list)
    for each in receipts.restored(space, 0) if fresh else ():
        told[each.fact or ""].append(Said(each.position, each.source))
    return [Finding(cases.RESTORED_VALUE, (fact,), (*told[fact],), True, (*told[fact],)) for fact in sorted(fresh)]


def opened_by(space: Space, findings: Iterable[Finding]) -> list[Record]:
    """The cases that findings call for, of those for which none is open."""
    keys = {cases.key(space, each.kind, sorted(each.facts)): each for each in findings}
    known = rounds.of_cases(space, keys)
    before = {key: known.get(key, {}) for key in keys}
    due = {key: found for key, found in keys.items() if rounds.is_due(found, before[key], rounds.next_of(before[key]))}
    names = free_names(space, {key: rounds.next_of(before[key]) for key in due})
    worth = factors(space, {name for found in due.values() for name in found.facts}, space.written_at)
    lines = _names_at(space, (said.position for found in due.values() for said in found.evidence))
    common = DEFAULTS["case"] | {"type": "case", "act": None, "at": space.written_at, "arrived": space.written_at}
    common |= {"constants_version": queries.version(space)}
    return [common | {"id": names[key]} | _case(found, before[key], worth, lines) for key, found in due.items()]


def free_names(space: Space, due: Mapping[str, int]) -> dict[str, str]:
    """The ids of rounds of cases; of a later one where a line has it that does not count, or is no case of ours."""
    found = {key: f"{key}:{number}" for key, number in due.items()}
    lines = Line.objects.filter(space=space)
    taken = {
        name
        for some in bulk.chunks(found.values())
        for name in lines.filter(name__in=some).values_list("name", flat=True)
    }
    for key in [key for key, name in found.items() if name in taken]:
        names = (f"{key}:{number}" for number in count(due[key]))
        found[key] = next(name for name in names if not lines.filter(name=name).exists())
    return found


def _case(found: Finding, before: Rounds, worth: Mapping[str, Any], lines: Mapping[int, str]) -> Record:
    factors: dict[str, Any] = {"facts": {name: worth[name] for name in found.facts}}
    factors |= {"source": found.source} if found.source else {}
    factors["evidence"] = [lines[said.position] for said in found.evidence[:_MOST]]
    factors |= found.told
    if before:
        news = rounds.news(found, before, rounds.next_of(before))
        factors["reopened_by"] = [lines[said.position] for said in news[:_MOST]]
    return {"kind": found.kind, "facts": list(found.facts), "factors": factors}


def factors(space: Space, names: Collection[str], now: int) -> dict[str, dict[str, Any]]:
    """The factors of facts as they are at an instant."""
    keys = folds.keys(space, names)
    found: dict[str, dict[str, Any]] = {}
    for chunk in bulk.chunks(sorted(keys.values())):
        found |= _factors(score(queries.stored(space, chunk), now))
    return found


def _factors(scores: Scores) -> Iterator[tuple[str, dict[str, Any]]]:
    columns = [getattr(scores, name).tolist() for name in _FACTORS]
    for name, band, *values in zip(scores.ids, scores.band.tolist(), *columns, strict=True):
        yield name, {"band": BANDS[band], **dict(zip(_FACTORS, values, strict=True))}


def _names_at(space: Space, positions: Iterable[int]) -> dict[int, str]:
    found = dict[int, str]()
    for chunk in bulk.chunks(set(positions)):
        found |= Line.objects.filter(space=space, position__in=chunk).values_list("position", "name")
    return found
