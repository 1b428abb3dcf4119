"""Lines of the log, read with their texts, and with all that their sentences name.

Whose texts are shown: of what is erased, nobody's; of a fact that is forgotten or counts no more, to those who may
decide about it, since to others it is served no more. All else that a line says stands in the log for whoever may see
the space.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Count, Min, QuerySet
from django.utils.translation import gettext, ngettext

from trustmem.actions import purging
from trustmem.actions.jobs import CONSOLIDATION
from trustmem.actions.records import OURS, record
from trustmem.core.instants import EVER
from trustmem.core.vocabulary import ERASED
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.sentences import Fact, Name, Named, Saying, of_act, of_case, saying
from trustmem.formats.interchange_types import Record
from trustmem.store import bulk
from trustmem.store.models import Case, Job, Line, Pass, Space, Text
from trustmem.store.models import Fact as FactRow
from trustmem.store.states import GUARDED

_ROWS = ("position", "name", "tag", "act", "imported", "at", "arrived", "body", "text_digest", "digest")
#: Of what stands for more than itself, what it is told by.
_OF_LINES = ("undone", "dismissed", "upheld")
#: So many facts of a case are told by name.
MOST_NAMED = 2
#: So many lines of an act are looked at to tell what it did.
FEW = 6


def read(space: Space, lines: "QuerySet[Line]") -> list[Record]:
    """Lines in their order, as records with `tag`, `position` and `digest`, and the import that brought each."""
    rows = list(lines.order_by("position").values(*_ROWS))
    texts = _texts(space, [row["position"] for row in rows if row["text_digest"]])
    return [_record(row, texts.get(row["position"], "") if row["text_digest"] else None) for row in rows]


def _record(row: Mapping[str, Any], text: str | None) -> Record:
    if row["tag"] in OURS:
        told: Record = {"type": row["tag"], "id": row["name"], "at": row["at"], "act": None}
        told |= json.loads(row["body"]) | json.loads(text or "{}") | ({"erased": True} if text == "" else {})
    else:
        told = record(row, text)
    return told | {name: row[name] for name in ("tag", "position", "digest", "imported")}


def _texts(space: Space, positions: Iterable[int]) -> dict[int, str]:
    """Texts by position; none of what is to be erased, even if nothing was folded since that came."""
    due, found = set(purging.due(space)), dict[int, str]()
    for chunk in bulk.chunks(sorted(set(positions) - due)):
        found |= Text.objects.filter(space=space, position__in=chunk).values_list("position", "body")
    return found


def named(space: Space, lines: Collection[Record], *, sees_all: bool) -> Named:
    """What these lines name; `sees_all`: whether whoever reads it may decide about facts."""
    spoken_of = [_spoken_of(space, lines)]
    spoken_of.append(_spoken_of(space, [line for some in spoken_of[0].values() for line in some]))
    every = [*lines, *(line for level in spoken_of for some in level.values() for line in some)]
    cases = _cases_of(space, every)
    known = _facts(space, _names([*every, *cases.values()]), sees_all=sees_all)
    facts = {name: fact for name, (fact, _) in known.items()}
    makers = {name: source for name, (_, source) in known.items()}
    askers, did = _passes(space, {line["at"]: line["id"] for line in every if line["tag"] == "pass"})
    told = _cases(space, cases, lambda name: facts.get(name) or Name(name))
    found = Named(facts, makers, told, askers, did, {})
    acts = {line["act"] for level in spoken_of for some in level.values() for line in some}
    tags = tags_of(space, acts - {"", None})
    for level in reversed(spoken_of):
        found = found._replace(said={of: _within(some, found, tags) for of, some in level.items()})
    return found


def tags_of(space: Space, acts: Iterable[str]) -> dict[str, Counter[str]]:
    """How many lines of each tag acts of ours have."""
    found: dict[str, Counter[str]] = {act: Counter() for act in acts}
    lines = Line.objects.filter(space=space, act__in=found, imported="").order_by()
    for act, tag, count in lines.values_list("act", "tag").annotate(Count("position")):
        found[act][tag] = count
    return found


def _within(lines: list[Record], named: Named, tags: Mapping[str, Counter[str]]) -> Saying:
    """What some lines say, as another one speaks of it."""
    first = lines[0]
    is_act = first["act"] and not first["imported"]
    told = of_act(lines, tags[first["act"]], named) if is_act else saying(first, named)
    return told._replace(is_quoted=True)


def _spoken_of(space: Space, lines: Iterable[Record]) -> dict[str, list[Record]]:
    """The lines that others rule on or undo, by what these name them by: a line, an act or an import."""
    names = {line["of"] for line in lines if line["type"] == "event" and line["kind"] in _OF_LINES}
    if not names:
        return {}
    every = Line.objects.filter(space=space)
    imports = every.filter(tag="import", imported__in=[name for name in names if name.startswith("import:")])
    by_place: dict[int, str] = {
        position: name
        for asked, by in (
            (every.filter(name__in=names), "name"),
            (every.filter(act__in=names), "act"),
            (imports, "imported"),
        )
        for name, position in asked.order_by().values_list(by).annotate(first=Min("position"))
    }
    places = {place + more for place in by_place for more in range(FEW)}
    found: dict[str, list[Record]] = {}
    for line in read(space, every.filter(position__in=places)):
        own = by_place.get(line["position"])
        for name in {own, line["act"]} & names:
            found.setdefault(name, []).append(line)
    return found


def _names(lines: Iterable[Record]) -> set[str]:
    """The names of the facts that lines are about."""
    found = set[str]()
    for line in lines:
        if line["type"] == "fact":
            found.add(line["id"])
        elif line["type"] == "case":
            found.update(line["facts"][:MOST_NAMED])
        elif line["type"] in ("edge", "event", "feedback"):
            found.update(each for each in (line.get("fact"), line.get("from"), line.get("to")) if each)
    return found


def _facts(space: Space, names: Collection[str], *, sees_all: bool) -> dict[str, tuple[Fact, str]]:
    """Facts as they are told, with who said each first."""
    lines = list(Line.objects.filter(space=space, name__in=names, tag="fact").values_list("name", "position", "body"))
    texts = _texts(space, [position for _, position, _ in lines])
    states = dict(FactRow.objects.filter(space=space, name__in=names).values_list("name", "state"))
    return {
        name: (
            _fact(name, texts.get(position, ""), states.get(name), sees_all=sees_all),
            json.loads(body).get("source", "unknown"),
        )
        for name, position, body in lines
    }


def _fact(name: str, text: str, state: int | None, *, sees_all: bool) -> Fact:
    if not text or state == ERASED:
        return Fact(name, "", gettext("an erased fact"), state is not None)
    instead = ""
    if not sees_all and state is None:
        instead = gettext("a fact that counts no more")
    elif state is not None and GUARDED.told(text, state, sees_all=sees_all) is None:
        instead = gettext("a forgotten fact")
    return Fact(name, json.loads(text)["text"], instead, state is not None)


def _cases_of(space: Space, lines: Iterable[Record]) -> dict[str, Record]:
    """The cases that lines are, or close, as they were opened."""
    found = {line["id"]: line for line in lines if line["tag"] == "case"}
    others = {line["of"] for line in lines if line["tag"] == "event.closed"} - found.keys()
    if others:
        opened = read(space, Line.objects.filter(space=space, name__in=others, tag="case"))
        found |= {line["id"]: line for line in opened}
    return found


def _cases(space: Space, cases: Mapping[str, Record], facts: Callable[[str], Fact | Name]) -> dict[str, Saying]:
    there = set(Case.objects.filter(space=space, name__in=list(cases)).values_list("name", flat=True))
    return {name: of_case(line, facts, has_page=name in there) for name, line in cases.items()}


def _passes(space: Space, names: Mapping[int, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Who asked for passes, and what they did; `names` are theirs by their instants."""
    kept = Job.objects.filter(space=space, kind=CONSOLIDATION, instant__in=names).exclude(by="")
    askers = {names[instant]: by for instant, by in kept.values_list("instant", "by")}
    taken = Pass.objects.filter(space=space, instant__in=names)
    return askers, {names[each.instant]: _did(each) for each in taken}


def _did(taken: Pass) -> str:
    if taken.void:
        return gettext("it counts as if it had done nothing")
    if taken.through < EVER:
        return gettext("it is still under way")
    return ", ".join(_counted(taken)) or gettext("it changed nothing")


def _counted(taken: Pass) -> Iterator[str]:
    words = {
        "pruned": ngettext("{count} pruned", "{count} pruned", taken.pruned),
        "revived": ngettext("{count} came back", "{count} came back", taken.revived),
        "promoted": ngettext("{count} promoted", "{count} promoted", taken.promoted),
        "changed": ngettext("{count} fact changed in all", "{count} facts changed in all", taken.changed),
    }
    for name, said in words.items():
        if count := getattr(taken, name):
            yield said.format(count=whole(count))
