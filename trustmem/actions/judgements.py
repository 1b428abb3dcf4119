"""Judgements: which decisions of people say that a fact is right or wrong.

Asked about a case, people answer by a verdict; without a case they accept a fact, correct it, or rule on what was said
against it. What counts was decided here, or in an export of this space.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Max, Q

from trustmem.actions import folding
from trustmem.core.instants import NEVER
from trustmem.store import bulk, cases
from trustmem.store.cases import CANDIDATE, CONTRADICTION, DUPLICATE, SAMPLE, kind_of
from trustmem.store.models import Case, Line, Space

_BOTH, _NONE = (True, True), tuple[bool, ...]()
#: Which facts of a case a verdict finds right (True) or wrong, the older of a pair first. A ruling speaks of those that
#: the objection is to.
FINDS: Mapping[str, tuple[bool, ...]] = {
    "keep left": (True, False),
    "keep right": (False, True),
    "right updates left": (False, True),
    "left updates right": (True, False),
    "both hold": _BOTH,
    "neither": (False, False),
    "write the right one": (False, False),
    "not a contradiction": _NONE,
    "uphold": _NONE,
    "dismiss": _NONE,
    "it holds": (True,),
    "forget it": (False,),
    "by age": _NONE,
    "let it in": _NONE,
    "let it stand": _NONE,
    "merge": _NONE,
    "not the same": _NONE,
}
#: The verdicts that are rulings, and the tags of what they write.
_RULINGS: Mapping[str, str] = {"uphold": "event.upheld", "dismiss": "event.dismissed"}
_VERDICTS = {tag: verdict for verdict, tag in _RULINGS.items()}
#: In cases of these kinds two facts are asked about, in others the first alone; whether facts say the same tells of
#: none whether it is right.
_OF_A_PAIR = (CONTRADICTION, CANDIDATE)
_ACCEPTED, _UPDATES = "event.accepted", "edge.updates"


class Judgement(NamedTuple):
    """That by the line at `position`, at `at`, somebody found a fact `right` or wrong. `how` is the decision, `case` is
    '' without one, and `sampled` where that was drawn at random. They were asked at `asked_at`; what was there then
    stands `before` a position, and of what arrived at the instant `arrived` came before their act."""

    position: int
    fact: str
    right: bool
    how: str
    case: str
    sampled: bool
    act: str
    by: str
    at: int
    asked_at: int
    before: int
    arrived: int


def found(space: Space) -> Iterator[Judgement]:
    """All judgements of a space that count, in no order."""
    yield from _by_verdicts(space)
    yield from _without_a_case(space)


def _by_verdicts(space: Space) -> Iterator[Judgement]:
    rows = Case.objects.filter(space=space, closed_at__gt=NEVER).exclude(key="")
    columns = ("name", "key", "facts", "at", "position", "verdict")
    for chunk in bulk.chunks(rows.values_list(*columns).order_by("pk").iterator(_AT_ONCE), _AT_ONCE):
        closings = cases.closings(space, [name for name, *_ in chunk])
        arrived = dict(_arrivals(space, [position for *_, position, _ in chunk]))
        ruled = _rulings(space, {each.act for each in closings.values()} - {""})
        for name, key, facts, at, position, verdict in chunk:
            closing, kind = closings[name], kind_of(key)
            if verdict in _RULINGS:
                finds = _by_ruling(verdict, [each for each in ruled[closing.act] if each.facts == {*facts}])
            else:
                about = facts[: 2 if kind in _OF_A_PAIR else 0 if kind == DUPLICATE else 1]
                finds = dict(zip(about, FINDS.get(verdict, _NONE), strict=False))
            for fact, right in finds.items():
                said = (closing.position, fact, right, verdict, name, kind == SAMPLE, closing.act, closing.by)
                yield Judgement(*said, closing.at, at, position, arrived[position])


#: So many cases, and so many lines, are read at once.
_AT_ONCE = 2000


def _arrivals(space: Space, positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    for chunk in bulk.chunks(positions):
        yield from Line.objects.filter(space=space, position__in=chunk).values_list("position", "arrived")


class _Statement(NamedTuple):
    """What can be ruled on: the facts that it names, and those that it harms: of a contradiction both."""

    facts: frozenset[str]
    harms: tuple[str, ...]


def _rulings(space: Space, acts: Collection[str]) -> Mapping[str, list[_Statement]]:
    """On what each of some acts ruled."""
    said = list[tuple[str, str]]()
    for chunk in bulk.chunks(sorted(acts)):
        lines = Line.objects.filter(space=space, act__in=chunk, tag__in=_VERDICTS)
        said += [(act, json.loads(body)["of"]) for act, body in lines.order_by("position").values_list("act", "body")]
    statements, found = _statements(space, {of for _, of in said}), defaultdict[str, list[_Statement]](list)
    for act, of in said:
        if of in statements:
            found[act].append(statements[of])
    return found


def _statements(space: Space, names: Collection[str]) -> dict[str, _Statement]:
    found = dict[str, _Statement]()
    for chunk in bulk.chunks(sorted(names)):
        lines = Line.objects.filter(space=space, name__in=chunk)
        for name, tag, body in lines.values_list("name", "tag", "body"):
            says = json.loads(body)
            ends = tuple(says[each] for each in ("to", "from", "fact") if each in says)
            found[name] = _Statement(frozenset(ends), ends if tag == "edge.contradicts" else ends[:1])
    return found


def _by_ruling(verdict: str, said: Iterable[_Statement]) -> dict[str, bool]:
    """Which facts a ruling finds right: those that what is dismissed would have harmed. What is upheld was right about
    them; but of a contradiction that says not yet which of both is wrong."""
    is_right = verdict == "dismiss"
    return {fact: is_right for each in said if is_right or len(each.harms) == 1 for fact in each.harms}


class _Line(NamedTuple):
    position: int
    tag: str
    name: str
    act: str
    imported: str
    at: int
    arrived: int
    body: str


def _without_a_case(space: Space) -> Iterator[Judgement]:
    void = folding.void(space, space.head_position)
    corrects = Q(tag=_UPDATES, body__contains='"tier":"human"')
    said = Line.objects.filter(Q(tag__in=(_ACCEPTED, *_VERDICTS)) | corrects, space=space, imported__in=_ours(space))
    rows = said.exclude(act="").order_by("position").values_list(*_Line._fields)
    for chunk in bulk.chunks(map(_Line._make, rows.iterator(_AT_ONCE)), _AT_ONCE):
        yield from _of_lines(space, [line for line in chunk if not {line.act, line.imported} & void])


def _ours(space: Space) -> list[str]:
    """The imports of which all counts as if it was decided here ('': none): an export of this space, by which it was
    founded. Other files can say of anybody what they like."""
    founded = Line.objects.filter(space=space, tag="space", body__contains='"digest_key"')
    return ["", *founded.values_list("imported", flat=True)]


def _of_lines(space: Space, lines: Sequence[_Line]) -> Iterator[Judgement]:
    says = {line.name: json.loads(line.body) for line in lines}
    about = {name: told.get("fact") or told.get("from") or "" for name, told in says.items()}
    statements = _statements(space, {told["of"] for told in says.values() if "of" in told})
    with_a_case, ends, born = set[str](), dict[str, int](), dict[str, str]()
    of_space = Line.objects.filter(space=space)
    for chunk in bulk.chunks({line.act for line in lines}):
        with_a_case |= set(of_space.filter(tag="event.closed", act__in=chunk).values_list("act", flat=True))
        ends |= of_space.filter(act__in=chunk).order_by().values("act").annotate(end=Max("position")).values_list(*_END)
    for chunk in bulk.chunks(set(about.values())):
        born |= of_space.filter(tag="fact", name__in=chunk).values_list("name", "act")
    for line in lines:
        if line.act not in with_a_case:
            is_new = born.get(about[line.name]) == line.act
            how, finds = _of_line(line, says[line.name], is_new, statements)
            by = says[line.name].get("source") or says[line.name].get("by") or ""
            for fact, right in finds.items():
                asked = line.at, line.at, ends[line.act] + 1, line.arrived
                yield Judgement(line.position, fact, right, how, "", False, line.act, by, *asked)


_END = ("act", "end")


def _of_line(
    line: _Line, says: Mapping[str, Any], is_new: bool, statements: Mapping[str, _Statement]
) -> tuple[str, dict[str, bool]]:
    """What somebody decided by a line, and what that finds; `is_new`: the fact that it names came by the same act."""
    if line.tag == _ACCEPTED:
        return "accept", {} if is_new else {says["fact"]: True}
    if line.tag == _UPDATES:
        return "correct", {says["to"]: False} if is_new and not says.get("removed") else {}
    verdict, of = _VERDICTS[line.tag], says["of"]
    # What comes with a statement of one's own, so that it holds, is no answer to anybody.
    is_own = of.startswith(f"{line.act}:") or of not in statements
    return verdict, {} if is_own else _by_ruling(verdict, [statements[of]])
