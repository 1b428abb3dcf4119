"""The alarm for bulk changes: where one source, in one run, speaks against much of what others said, a case is opened
for a person. Being many is enough: challenges, which change nothing, count as what is in force does.

Looked at is what came since the folds were last brought up to date; and then all that whoever said it said in that run.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import count, groupby
from operator import attrgetter
from typing import NamedTuple

from django.db.models import Q, QuerySet

from trustmem.actions import folding
from trustmem.actions.records import entry
from trustmem.core.columns import CODE
from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import ERASED, HUMAN, LIVE
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store import bulk, chain
from trustmem.store.models import Case, ConstantsVersion, Fact, Line, Space, Statement

KIND = "bulk change"
#: How the ids of these cases begin, which they keep when their texts are erased.
PREFIX = "case:bulk-change:"
#: So many facts of others anybody may speak against in a run, or one in so many of those that are live.
LEAST, SHARE = 8, 50
#: So many times as many as when its case was closed are another case.
_AGAIN = 2
#: Ids of facts in a case come to so many bytes at most, since a line of a file holds no more than twice that.
_ROOM = 1 << 19
#: So many imports and acts a case names.
_ACTS = 100
_DISMISSED = -1
_CONTRADICTS = CODE["contradicts"]
_HARMFUL = [_CONTRADICTS, *(CODE[kind] for kind in ("updates", "contradicted", "corrected"))]
#: What is asked of the fact at an end of a statement; of both ends a contradiction harms.
_END = ("fact__name", "fact__source", "fact__state")
_OTHER_END = ("other__name", "other__source", "other__state")
_REMOVED = '"removed":true'


class Maker(NamedTuple):
    """Who speaks, and in which run."""

    source: str
    run: str


class Harm(NamedTuple):
    """The line at `position` harms a fact of somebody else."""

    position: int
    fact: str


def refold(space: Space) -> None:
    """Bring the folds of a space up to date, and open a case where a bulk change came. Within a transaction in which
    the space is held."""
    since = space.folded_to
    folding.refold(space)
    if not 0 < since < space.folded_to:  # what comes first finds nobody else's facts
        return
    harms = harms_by(space, _makers(space, since), more_than=LEAST)
    cases = [case for maker in sorted(harms) if (case := _case(space, maker, harms[maker]))]
    if cases:
        chain.append(space, map(entry, cases))
        folding.refold(space)


def harms_by(space: Space, makers: Collection[Maker], *, more_than: int = 0) -> dict[Maker, list[Harm]]:
    """What harms facts of other sources, of all that these said; of those alone who harm `more_than` so many of them.

    Neither what a person said or dismissed, nor what came by the same import as the fact.
    """
    found = {maker: harms for maker, harms in _said(space, makers).items() if len(_facts(harms)) > more_than}
    counted = _that_count(space, {harm for harms in found.values() for harm in harms})
    found = {maker: [harm for harm in harms if harm in counted] for maker, harms in found.items()}
    return {maker: harms for maker, harms in found.items() if len(_facts(harms)) > more_than}


def acts_of(space: Space, harms: Iterable[Harm]) -> dict[str, int]:
    """The imports and acts that brought these, in their order, each with how many of their lines."""
    found = Counter[str]()
    for positions in bulk.chunks(sorted({harm.position for harm in harms})):
        lines = Line.objects.filter(space=space, position__in=positions).order_by("position")
        found.update(imported or act for imported, act in lines.values_list("imported", "act"))
    return {act: count for act, count in found.items() if act}


def maker_of(space: Space, case: Case) -> Maker | None:
    """Whose bulk change a case is about: where what it said of that was erased, whoever of those that speak against its
    facts has its id. None: nobody does any more."""
    factors = json.loads(case.factors)
    if isinstance(factors.get("source"), str) and isinstance(factors.get("run"), str):
        return Maker(factors["source"], factors["run"])
    for chunk in bulk.chunks(case.facts):
        for end in ("fact__name__in", "other__name__in"):
            about = _statements(space).filter(**{end: chunk})
            for maker in map(Maker._make, about.values_list("source", "run").distinct()):
                if case.name.startswith(_prefix(space, maker)):
                    return maker
    return None


def _facts(harms: Iterable[Harm]) -> set[str]:
    return {harm.fact for harm in harms}


def _statements(space: Space) -> QuerySet[Statement]:
    said = Statement.objects.filter(space=space, kind__in=_HARMFUL)
    return said.exclude(Q(tier=HUMAN) | Q(ruling=_DISMISSED))


def _makers(space: Space, since: int) -> set[Maker]:
    """Who said something after a position that may harm a fact of somebody else."""
    said = _statements(space).filter(position__gt=since)
    ends = said.values_list("source", "run", "fact__source", "other__source").distinct()
    return {Maker(source, run) for source, run, *of in ends if {*of} - {source, None}}


def _said(space: Space, makers: Iterable[Maker]) -> dict[Maker, list[Harm]]:
    """What these said about facts of other sources that are not erased."""
    found = defaultdict[Maker, list[Harm]](list)
    for source, theirs in groupby(sorted(makers), key=attrgetter("source")):
        for runs in bulk.chunks(each.run for each in theirs):
            said = _statements(space).filter(source=source, run__in=runs)
            for run, position, kind, *ends in said.values_list("run", "position", "kind", *_END, *_OTHER_END):
                harmed = (ends[:3], ends[3:]) if kind == _CONTRADICTS else (ends[:3],)
                found[Maker(source, run)] += [
                    Harm(position, fact) for fact, of, state in harmed if of != source and state != ERASED
                ]
    return found


def _that_count(space: Space, harms: Collection[Harm]) -> set[Harm]:
    """All but what came by the same import as the fact, and what takes an edge back."""
    lines = Line.objects.filter(space=space)
    came, born = dict[int, str](), dict[str, str]()
    for positions in bulk.chunks({harm.position for harm in harms}):
        said = lines.filter(position__in=positions).exclude(body__contains=_REMOVED)
        came |= said.values_list("position", "imported")
    for names in bulk.chunks(_facts(harms)):
        born |= lines.filter(name__in=names).values_list("name", "imported")
    return {each for each in harms if (by := came.get(each.position)) == "" or by not in (None, born[each.fact])}


def _case(space: Space, maker: Maker, harms: list[Harm]) -> Record | None:
    """The case to be opened; None: it is open already, or was closed when there were half as many, or they are few
    among all."""
    facts = sorted(_facts(harms))
    enough = SHARE * len(facts)
    others = Fact.objects.filter(space=space, state=LIVE).exclude(source=maker.source)[:enough].count()
    if others >= enough or not _is_news(space, maker, harms):
        return None
    prefix = _prefix(space, maker)
    names = (f"{prefix}{round}" for round in count(1))
    version = ConstantsVersion.objects.filter(space=space).order_by("since", "pk").values_list("number", flat=True)
    return DEFAULTS["case"] | {
        "type": "case",
        "id": next(name for name in names if not Line.objects.filter(space=space, name=name).exists()),
        "at": space.written_at,
        "arrived": space.written_at,
        "kind": KIND,
        "facts": list(_that_fit(facts)),
        "factors": {**maker._asdict(), "harmed": len(facts), "of": others, "acts": list(acts_of(space, harms))[:_ACTS]},
        "constants_version": version.last(),
    }


def _is_news(space: Space, maker: Maker, harms: list[Harm]) -> bool:
    for case in Case.objects.filter(space=space, name__startswith=_prefix(space, maker)):
        if case.closed_at == NEVER:
            return False
        closings = Line.objects.filter(space=space, tag="event.closed", at=case.closed_at)
        closed = closings.values_list("position", flat=True).order_by("position").last() or 0
        then = max(len(case.facts), len(_facts(each for each in harms if each.position < closed)))
        if len(_facts(harms)) <= _AGAIN * then:
            return False
    return True


def _prefix(space: Space, maker: Maker) -> str:
    """How the ids of the cases about somebody's bulk change begin, which only those can tell who have the key."""
    return f"{PREFIX}{chain.text_digest(space.digest_key, chain.canonical([KIND, *maker]))[:16]}:"


def _that_fit(names: Iterable[str]) -> Iterator[str]:
    left = _ROOM
    for name in names:
        left -= len(json.dumps(name)) + 1
        if left < 0:
            return
        yield name
