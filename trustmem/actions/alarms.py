"""The alarm for bulk changes: where one source, in one run, speaks against much of what others said, a case is opened
for a person. Being many is enough: challenges, which change nothing, count as what is in force does.

A file may say of itself what it likes: that a person speaks, or who, or in which run. So an import is looked at as a
whole too, by what it says against facts that it did not bring. What somebody says little by little over many runs, in
each no more than anybody may, alarms nobody.

Looked at is what came since the folds were last brought up to date; and then all that whoever said it said in that run,
or import.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import count, groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from trustmem.core.columns import CODE
from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import ERASED, HUMAN, LIVE
from trustmem.formats.interchange_types import DEFAULTS, Record
from trustmem.store import bulk, queries
from trustmem.store.cases import BULK_CHANGE, key
from trustmem.store.models import Case, Fact, Line, Queued, Space, Statement

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
_TAGS = ("edge.contradicts", "edge.updates", "event.contradicted", "event.forgotten", "feedback.corrected")
_HARMFUL = [CODE[tag.partition(".")[2]] for tag in _TAGS]
#: What is asked of the fact at an end of a statement; of both ends a contradiction harms.
_END = ("fact__name", "fact__source", "fact__state")
_OTHER_END = ("other__name", "other__source", "other__state")
_REMOVED = '"removed":true'


class Maker(NamedTuple):
    """Who speaks, and in which run."""

    source: str
    run: str


class Whole(NamedTuple):
    """All of an import, whoever speaks in it."""

    imported: str


#: Whose bulk change a case can be about.
Author = Maker | Whole


class Harm(NamedTuple):
    """By the line at `position` somebody harms a fact of a source."""

    position: int
    by: Maker
    fact: str
    of: str


def harms_by(space: Space, authors: Collection[Author], *, more_than: int = 0) -> dict[Author, list[Harm]]:
    """What harms facts of other sources, of all that these said, or that these imports did not bring; of those alone
    who harm `more_than` so many of them.

    Neither what a person said here or dismissed, nor what came by the same import as the fact.
    """
    said = _said_in_runs(space, authors) | _said_in_imports(space, authors)
    found = {author: harms for author, harms in said.items() if len(_facts(harms)) > more_than}
    counted = _that_count(space, {harm for harms in found.values() for harm in harms})
    found = {author: [harm for harm in harms if harm in counted] for author, harms in found.items()}
    return {author: harms for author, harms in found.items() if len(_facts(harms)) > more_than}


def acts_of(space: Space, harms: Iterable[Harm]) -> dict[str, int]:
    """The imports and acts that brought these, in their order, each with how many of their lines."""
    found = Counter[str]()
    for positions in bulk.chunks(sorted({harm.position for harm in harms})):
        lines = Line.objects.filter(space=space, position__in=positions).order_by("position")
        found.update(imported or act for imported, act in lines.values_list("imported", "act"))
    return {act: count for act, count in found.items() if act}


def author_of(space: Space, case: Case) -> Author | None:
    """Whose bulk change a case is about: where what it said of that was erased, whoever of those that speak against its
    facts has its id. None: nobody does any more."""
    named = _named(case)
    if named:
        return named
    for chunk in bulk.chunks(case.facts):
        for end in ("fact__name__in", "other__name__in"):
            for author in _authors(space, _statements(space).filter(**{end: chunk})):
                if case.name.startswith(_prefix(space, author)):
                    return author
    return None


def ours(space: Space, cases: Iterable[Case]) -> list[Case]:
    """Those of bulk changes among some cases, the newest first. Of what a file brings, which can be anything, only
    those whose ids can be told by nobody without the key of the space."""
    named = {case.name: case for case in cases if case.name.startswith(PREFIX)}
    found = dict[int, Case]()
    for names in bulk.chunks(named):
        lines = Line.objects.filter(space=space, name__in=names)
        for position, name, imported in lines.values_list("position", "name", "imported"):
            if not imported or _is_keyed(space, named[name]):
                found[position] = named[name]
    return [found[position] for position in sorted(found, reverse=True)]


def _is_keyed(space: Space, case: Case) -> bool:
    author = _named(case)
    return author is not None and case.name.startswith(_prefix(space, author))


def _named(case: Case) -> Author | None:
    """Whom a case names."""
    match json.loads(case.factors):
        case {"source": str(source), "run": str(run)}:
            return Maker(source, run)
        case {"import": str(imported)}:
            return Whole(imported)
    return None


def _facts(harms: Iterable[Harm]) -> set[str]:
    return {harm.fact for harm in harms}


def _statements(space: Space) -> QuerySet[Statement]:
    """All that may harm a fact, but for what a person said here or dismissed."""
    here = Exists(Line.objects.filter(space=space, position=OuterRef("position"), imported=""))
    said = Statement.objects.filter(space=space, kind__in=_HARMFUL)
    return said.exclude(Q(ruling=_DISMISSED) | Q(tier=HUMAN) & here)


def _authors(space: Space, said: QuerySet[Statement]) -> set[Author]:
    """Who said this that may harm a fact of somebody else, and the imports that brought it."""
    ends = said.values_list("source", "run", "fact__source", "other__source").distinct()
    makers = {Maker(source, run) for source, run, *of in ends if {*of} - {source, None}}
    lines = Line.objects.filter(space=space, position__in=said.values("position")).exclude(imported="")
    return makers | {Whole(imported) for imported in lines.values_list("imported", flat=True).distinct()}


def _said_in_runs(space: Space, authors: Iterable[Author]) -> dict[Author, list[Harm]]:
    """What these makers said about facts of other sources that are not erased."""
    found = defaultdict[Author, list[Harm]](list)
    makers = sorted(each for each in authors if isinstance(each, Maker))
    for source, theirs in groupby(makers, key=attrgetter("source")):
        for runs in bulk.chunks(each.run for each in theirs):
            for harm in _harms(_statements(space).filter(source=source, run__in=runs)):
                if harm.of != source:
                    found[harm.by].append(harm)
    return found


def _said_in_imports(space: Space, authors: Iterable[Author]) -> dict[Author, list[Harm]]:
    """What these imports say about facts that are not erased."""
    found = defaultdict[Author, list[Harm]](list)
    wholes = [each.imported for each in authors if isinstance(each, Whole)]
    # No index leads to the lines of an import, but one to all that may harm.
    lines = Line.objects.filter(space=space, tag__in=_TAGS, imported__in=wholes) if wholes else Line.objects.none()
    imported = dict(lines.values_list("position", "imported"))
    for harm in _harms(_statements(space).filter(position__in=lines.values("position"))):
        found[Whole(imported[harm.position])].append(harm)
    return found


def _harms(said: QuerySet[Statement]) -> Iterator[Harm]:
    for position, source, run, kind, *ends in said.values_list("position", "source", "run", "kind", *_END, *_OTHER_END):
        for fact, of, state in (ends[:3], ends[3:]) if kind == _CONTRADICTS else (ends[:3],):
            if state != ERASED:
                yield Harm(position, Maker(source, run), fact, of)


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


def due(space: Space, since: int) -> list[Record]:
    """The cases to be opened because of what came after a position."""
    authors = _authors(space, _statements(space).filter(position__gt=since))
    waiting = _waiting(space) if authors else set()
    authors = {each for each in authors if _prefix(space, each) not in waiting}
    harms = harms_by(space, authors, more_than=LEAST)
    makers = sorted(author for author in harms if isinstance(author, Maker))
    found = [case for maker in makers if (case := _case(space, maker, harms[maker]))]
    wholes = sorted(author for author in harms if isinstance(author, Whole))
    wholes = [whole for whole in wholes if not _is_told(space, harms[whole], found)]
    return found + [case for whole in wholes if (case := _case(space, whole, harms[whole]))]


def _waiting(space: Space) -> set[str]:
    """How the ids of those cases begin that are open: what their authors say further is no other case."""
    found = Queued.objects.filter(space=space, kind=BULK_CHANGE).values_list("case__key", flat=True)
    return {f"{key}:" for key in found}


def _of(space: Space, prefix: str) -> QuerySet[Case]:
    """The cases whose ids begin so."""
    return Case.objects.filter(space=space, key=prefix.removesuffix(":"))


def _is_told(space: Space, harms: Iterable[Harm], cases: Iterable[Record]) -> bool:
    """Whether all of it is what one maker has a case for already, or gets one of these."""
    makers = {harm.by for harm in harms}
    if len(makers) > 1 or any(harm.of == harm.by.source for harm in harms):
        return False
    prefix = _prefix(space, makers.pop())
    is_there = _of(space, prefix).exists()
    return is_there or any(case["id"].startswith(prefix) for case in cases)


def _case(space: Space, author: Author, harms: list[Harm]) -> Record | None:
    """The case to be opened; None: it is open already, or was closed when there were half as many, or they are few
    among all."""
    facts = sorted(_facts(harms))
    enough = SHARE * len(facts)
    others = _others(space, author)[:enough].count()
    if others >= enough or not _is_news(space, author, harms):
        return None
    prefix = _prefix(space, author)
    names = (f"{prefix}{round}" for round in count(1))
    return DEFAULTS["case"] | {
        "type": "case",
        "id": next(name for name in names if not Line.objects.filter(space=space, name=name).exists()),
        "at": space.written_at,
        "arrived": space.written_at,
        "kind": BULK_CHANGE,
        "facts": list(_that_fit(facts)),
        "factors": {**_who(space, author, harms), "harmed": len(facts), "of": others},
        "constants_version": queries.version(space),
    }


def _others(space: Space, author: Author) -> QuerySet[Fact]:
    """The live facts of other sources, or that an import did not bring."""
    live = Fact.objects.filter(space=space, state=LIVE)
    if isinstance(author, Maker):
        return live.exclude(source=author.source)
    return live.exclude(Exists(Line.objects.filter(space=space, name=OuterRef("name"), imported=author.imported)))


def _who(space: Space, author: Author, harms: list[Harm]) -> dict[str, Any]:
    if isinstance(author, Whole):
        return {"import": author.imported}
    return {**author._asdict(), "acts": list(acts_of(space, harms))[:_ACTS]}


def _is_news(space: Space, author: Author, harms: list[Harm]) -> bool:
    for case in _of(space, _prefix(space, author)):
        if case.closed_at == NEVER:
            return False
        closings = Line.objects.filter(space=space, tag="event.closed", at=case.closed_at)
        closed = closings.values_list("position", flat=True).order_by("position").last() or 0
        then = max(len(case.facts), len(_facts(each for each in harms if each.position < closed)))
        if len(_facts(harms)) <= _AGAIN * then:
            return False
    return True


def _prefix(space: Space, author: Author) -> str:
    """How the ids of the cases about somebody's bulk change begin, which only those can tell who have the key."""
    return f"{key(space, BULK_CHANGE, author)}:"


def _that_fit(names: Iterable[str]) -> Iterator[str]:
    left = _ROOM
    for name in names:
        left -= len(json.dumps(name)) + 1
        if left < 0:
            return
        yield name
