"""Bulk changes as pages show them, and what files call cases: what one is about, what is done about it, and what came
of it."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions import alarms, folding, undo
from trustmem.actions.alarms import Author, Harm, Maker, Whole
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import short, whole
from trustmem.desk.presenters.cases import closed
from trustmem.desk.presenters.facts import View, rows, table
from trustmem.desk.presenters.imports import TakenBack, taken_back, undoing
from trustmem.desk.presenters.links import called
from trustmem.desk.presenters.texts import beginning
from trustmem.store import lists, queries
from trustmem.store.lists import Filter, Sort
from trustmem.store.models import Case, Import, Line, Space

#: So many facts stand on a page, and so many imports and acts.
SIZE, MOST_WRITTEN = 50, 20
#: So much of a name stands in a sentence.
_LONGEST_NAME = 60
Tense = Literal["now", "of old", "undone"]


class Written(NamedTuple):
    """An import or an act by which somebody spoke against facts of others: its id, the name of the `file` ('': it is no
    import), how many of its lines do so, what undoing it comes to, and who did that already."""

    act: str
    file: str
    by: str
    at: When
    lines: str
    undoing: str
    undone: TakenBack | None


class Listed(NamedTuple):
    """A page of facts as rows, and the addresses of those after and before."""

    rows: SafeString
    next: str
    previous: str


def told(space: Space, case: Case) -> SafeString | str:
    """A bulk change in a sentence."""
    return _sentence(space, case, alarms.author_of(space, case), "now")


def _sentence(space: Space, case: Case, author: Author | None, tense: Tense) -> SafeString | str:
    if author is None:
        return gettext("What it was about is erased, and nobody can be told by what is left.")
    count = whole(_harmed(case))
    if isinstance(author, Whole):
        return format_html(_by_import(tense, _harmed(case)), file=_short(_file(space, author)), count=count)
    says = _by_source(tense, _harmed(case))
    return format_html(says, source=_short(author.source), run=_short(author.run), count=count)


def _by_source(tense: Tense, count: int) -> str:
    return {
        "now": ngettext(
            "{source} in run {run} contradicts or supersedes {count} fact of other sources.",
            "{source} in run {run} contradicts or supersedes {count} facts of other sources.",
            count,
        ),
        "of old": ngettext(
            "{source} in run {run} contradicted or superseded {count} fact of other sources.",
            "{source} in run {run} contradicted or superseded {count} facts of other sources.",
            count,
        ),
        "undone": ngettext(
            "{source} in run {run} contradicted or superseded {count} fact of other sources, which was undone.",
            "{source} in run {run} contradicted or superseded {count} facts of other sources, which was undone.",
            count,
        ),
    }[tense]


def _by_import(tense: Tense, count: int) -> str:
    return {
        "now": ngettext(
            "The import of {file} contradicts or supersedes {count} fact that it did not bring.",
            "The import of {file} contradicts or supersedes {count} facts that it did not bring.",
            count,
        ),
        "of old": ngettext(
            "The import of {file} contradicted or superseded {count} fact that it did not bring.",
            "The import of {file} contradicted or superseded {count} facts that it did not bring.",
            count,
        ),
        "undone": ngettext(
            "The import of {file} contradicted or superseded {count} fact that it did not bring, which was undone.",
            "The import of {file} contradicted or superseded {count} facts that it did not bring, which was undone.",
            count,
        ),
    }[tense]


def _harmed(case: Case) -> int:
    """How many facts a bulk change spoke against when the case was opened."""
    return _count(json.loads(case.factors), "harmed") or len(case.facts)


def _short(name: str) -> SafeString:
    return called(beginning(name, _LONGEST_NAME))


def _file(space: Space, author: Whole) -> str:
    """The name of an import's file; its id where it was cut short and is not on record yet."""
    files = Import.objects.filter(space=space, name__startswith=f"{author.imported}:").order_by("pk")
    return files.values_list("file", flat=True).first() or author.imported


def page(space: Space, case: Case, asked: Mapping[str, str], now: int, *, sees_all: bool) -> dict[str, Any]:
    """All that the page of a case shows; `sees_all`: to somebody who decides about facts."""
    is_bulk = bool(alarms.ours(space, [case]))
    author = alarms.author_of(space, case) if is_bulk else None
    harms = alarms.harms_by(space, [author]).get(author, []) if author else []
    facts = sorted({*case.facts, *(harm.fact for harm in harms)})
    written = _written(space, case, author, harms, now) if author else {}
    return {
        "name": case.name,
        "kind": case.kind,
        "is_bulk": is_bulk,
        "sentence": _sentence(space, case, author, _tense(written)) if is_bulk else "",
        "maker": author,
        "has_facts": isinstance(author, Maker) and lists.count(space, Filter(source=author.source), 1)[0] > 0,
        "opened": when(case.at, now),
        "version": str(case.constants_version),
        **(_how_many(case, author, harms) if author else {}),
        "rule": _rule(),
        "closed": closed(space, case, now),
        "count": ngettext("{count} fact", "{count} facts", len(facts)).format(count=whole(len(facts))),
        **_facts(space, facts, asked, now, sees_all)._asdict(),
        **written,
    }


def _tense(written: Mapping[str, Any]) -> Tense:
    if not written.get("counts_no_more"):
        return "now"
    acts = written["written"]
    return "undone" if acts and all(each.undone for each in acts) else "of old"


def _count(factors: Mapping[str, Any], name: str) -> int:
    """A number that a case says, which may come from a file of anybody; 0: it says none."""
    value = factors.get(name)
    return value if type(value) is int and value >= 0 else 0


def _how_many(case: Case, author: Author, harms: list[Harm]) -> dict[str, str]:
    """How many of how many facts it was when the case was opened, and is now if that differs."""
    then, of = _harmed(case), _count(json.loads(case.factors), "of")
    now = len({harm.fact for harm in harms})
    said = _facts_harmed(author, then)
    if of:
        said = gettext("{facts}, which had {count} live ones").format(facts=said, count=whole(of))
    return {"then": said, "by_now": _facts_harmed(author, now) if now != then else ""}


def _facts_harmed(author: Author, count: int) -> str:
    if isinstance(author, Whole):
        said = ngettext("{count} fact that it did not bring", "{count} facts that it did not bring", count)
    else:
        said = ngettext("{count} fact of other sources", "{count} facts of other sources", count)
    return said.format(count=whole(count))


def _rule() -> str:
    return gettext(
        "A case is opened where one source, in one run, speaks against more than {least} facts of other sources, and "
        "more than {share} % of those that are live; or one import against as many that it did not bring. That can be "
        "an attack, a mistake, or a correction of much that was wrong: look at what it said, undo it or let it stand, "
        "and close the case."
    ).format(least=whole(alarms.LEAST), share=short(100 / alarms.SHARE))


def _facts(space: Space, names: list[str], asked: Mapping[str, str], now: int, sees_all: bool) -> Listed:
    """The facts that come after a name, or before it."""
    if "before" in asked:
        end = bisect_left(names, asked["before"])
        start = max(end - SIZE, 0)
    else:
        start = bisect_right(names, asked["after"]) if "after" in asked else 0
        end = start + SIZE
    shown = names[start:end]
    facts = reverse("facts", args=[space.name])
    untold = queries.untold(space, shown, sees_all=sees_all)
    found = rows(lists.named(space, shown), View(Filter(), Sort()), now, untold=untold)
    found = [each._replace(source_query=facts + each.source_query) for each in found]
    after, before = _beside("after", shown[-1:], names[end:]), _beside("before", shown[:1], names[:start])
    return Listed(table(found, space.name), after, before)


def _beside(side: str, edge: list[str], more: list[str]) -> str:
    return "?" + urlencode({side: edge[0]}) if edge and more else ""


def _written(space: Space, case: Case, author: Author, harms: list[Harm], now: int) -> dict[str, Any]:
    """The imports and acts by which it was said, those of then and of now, with what undid them."""
    counts = alarms.acts_of(space, harms)
    then = [author.imported] if isinstance(author, Whole) else json.loads(case.factors).get("acts")
    names = [each for each in then if isinstance(each, str)] if isinstance(then, list) else []
    names = list(dict.fromkeys([*names, *counts]))
    shown, left = names[:MOST_WRITTEN], len(names[MOST_WRITTEN:])
    undone = undo.all_undone(space, shown, folding.void(space, space.folded_to))
    found = {each.act: each for each in (*_imports(space, shown, now), *_acts(space, shown, now))}
    written = [
        found[act]._replace(lines=_lines(counts.get(act, 0)), undone=taken_back(undone.get(act), now))
        for act in shown
        if act in found
    ]
    more = ngettext("and {count} more", "and {count} more", left).format(count=whole(left)) if left else ""
    return {"written": written, "more_written": more, "counts_no_more": not harms}


def _lines(count: int) -> str:
    says = ngettext("{count} line against facts of others", "{count} lines against facts of others", count)
    return says.format(count=whole(count)) if count else ""


def _imports(space: Space, acts: list[str], now: int) -> Iterator[Written]:
    """Those of the acts that are imports, as their files came the first time."""
    lines = Line.objects.filter(space=space, tag="import", imported__in=acts).order_by("-position")
    first = {imported: (name, body) for name, imported, body in lines.values_list("name", "imported", "body")}
    names = [name for name, _ in first.values()]
    files = {each.name: each for each in Import.objects.filter(space=space, name__in=names)}
    for imported, (name, body) in first.items():
        row, brought = files[name], json.loads(body).get("brought", {})
        yield Written(imported, row.file, row.by, when(row.at, now), "", undoing(brought), None)


def _acts(space: Space, acts: list[str], now: int) -> Iterator[Written]:
    says = gettext("All that this act wrote is taken out of all counts. It can be brought back.")
    lines = Line.objects.filter(space=space, act__in=acts).order_by("position")
    for act, arrived in dict(lines.values_list("act", "arrived")).items():
        yield Written(act, "", "", when(arrived, now), "", says, None)
