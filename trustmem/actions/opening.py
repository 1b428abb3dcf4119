"""Opening: a space is brought up to date, and what that finds for a person to decide goes on record as cases.

A case is opened once for a kind and the facts that it is about, however often that is found. Closed, it stays so, until
somebody says the same who had not; then there is a case of the next round, which names what is new.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction

from trustmem.actions import alarms, folding
from trustmem.actions.finding import Finding, Said
from trustmem.actions.records import entry
from trustmem.core.instants import NEVER
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import BANDS
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store import bulk, cases, chain, folds, queries, receipts
from trustmem.store.models import Case, Closing, ConstantsVersion, Line, Space

#: What a case keeps of each of its facts.
_FACTORS = ("trust", "confidence", "freshness", "supersession", "provenance", "r", "s")
#: A case names so many facts and lines at most.
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
    latest = _latest(space, keys)
    due = [(key, found, latest.get(key)) for key, found in keys.items() if _is_due(found, latest.get(key))]
    worth = _worth(space, {name for _, found, _ in due for name in found.facts})
    lines = _names_at(space, (said.position for _, found, _ in due for said in found.evidence))
    version = ConstantsVersion.objects.filter(space=space).order_by("since", "pk").values_list("number", flat=True)
    common = DEFAULTS["case"] | {"type": "case", "at": space.written_at, "arrived": space.written_at}
    common |= {"constants_version": version.last()}
    return [common | _case(space, key, found, before, worth, lines) for key, found, before in due]


class Before(NamedTuple):
    """The latest round of a case: its number, where it was closed (0: it is open) and who had said it by then."""

    round: int
    closed: int
    sources: frozenset[str]


def _latest(space: Space, keys: Mapping[str, Finding]) -> dict[str, Before]:
    found, closed = dict[str, Before](), dict[str, int]()
    for chunk in bulk.chunks(keys):
        rows = list(Case.objects.filter(space=space, key__in=chunk).values_list("key", "name", "closed_at"))
        names = [name for _, name, closed_at in rows if closed_at != NEVER]
        for some in bulk.chunks(names):
            closings = Closing.objects.filter(space=space, of__in=some).order_by("-at", "-name")
            closed |= closings.values_list("of", "position")
        for key, name, closed_at in rows:
            position = closed[name] if closed_at != NEVER else 0
            told = frozenset(said.source for said in keys[key].heard if said.position < position)
            found[key] = max(found.get(key, Before(0, 0, told)), Before(_round(name), position, told))
    return found


def _round(name: str) -> int:
    return int(name.rpartition(":")[2])


def _is_due(found: Finding, before: Before | None) -> bool:
    # Of a favourite it is how often it was served since.
    return before is None or bool(before.closed and (found.kind == cases.STALE_FAVOURITE or _news(found, before)))


def _news(found: Finding, before: Before) -> list[Said]:
    """What was said since a case was closed. A source that says the same of an edge again says nothing new, unless that
    waits for a ruling."""
    since = [said for said in found.evidence if said.position > before.closed]
    return [said for said in since if said.source not in before.sources]


def _case(
    space: Space, key: str, found: Finding, before: Before | None, worth: Mapping[str, Any], lines: Mapping[int, str]
) -> Record:
    factors: dict[str, Any] = {"facts": {name: worth[name] for name in found.facts}}
    factors |= {"source": found.source} if found.source else {}
    factors["evidence"] = [lines[said.position] for said in found.evidence[:_MOST]]
    if before:
        factors["reopened_by"] = [lines[said.position] for said in _news(found, before)[:_MOST]]
    name = f"{key}:{before.round + 1 if before else 1}"
    return {"id": name, "act": None, "kind": found.kind, "facts": list(found.facts[:_MOST]), "factors": factors}


def _worth(space: Space, names: Collection[str]) -> dict[str, dict[str, Any]]:
    """The factors of facts as they are now."""
    keys = folds.keys(space, names)
    found: dict[str, dict[str, Any]] = {}
    for chunk in bulk.chunks(sorted(keys.values())):
        found |= _factors(score(queries.stored(space, chunk), space.written_at))
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
