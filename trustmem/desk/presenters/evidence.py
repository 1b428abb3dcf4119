"""Why a case is here: what was said that makes it, what found it, and what people said of it before."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.core.columns import CODE
from trustmem.core.vocabulary import BANDS
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import told, verdicts
from trustmem.desk.presenters.cards import Known
from trustmem.desk.presenters.links import called
from trustmem.desk.presenters.sentences import html, saying
from trustmem.desk.presenters.texts import beginning
from trustmem.desk.words import word
from trustmem.formats.interchange_types import Record
from trustmem.store.cases import BAD_SIGNATURE, FORGET_WISH, RESTORED_VALUE, SAMPLE, STALE_FAVOURITE
from trustmem.store.models import Case, Import, Line, Space, Statement

#: So many lines of what was said are shown, and so many files.
_LINES, _FILES = 12, 3
_LONGEST_NOTE, _LONGEST_NAME = 400, 80


class Said(NamedTuple):
    """A line in a sentence, when and in which run it was said, and with which note ('': none)."""

    says: SafeString | str
    at: When
    run: str
    note: str


class Why(NamedTuple):
    """Why a case is here: what was said that makes it, what of that opened it again, what found it, and what that
    suggests ('': nothing)."""

    lines: list[Said]
    more: str
    again: list[Said]
    found_by: list[tuple[str, str]]
    suggests: SafeString | str


def because(
    kind: str, facts: Sequence[Known], factors: Mapping[str, Any], brought: SafeString, *, is_blind: bool = False
) -> SafeString | str:
    """What no line says of why a case is here; `is_blind`: without what the fact is worth."""
    if kind == STALE_FAVOURITE and facts:
        fresh = next(each for each in facts[0].found["why"] if each["factor"] == "freshness")
        return gettext("Agents are served it often; {why}.").format(why=fresh["words"])
    if kind == BAD_SIGNATURE and facts:
        return gettext("It came with a signature that does not count, so it counts as unsigned.")
    if kind == SAMPLE:
        return _drawn(factors, is_blind=is_blind)
    source = factors.get("source")
    if kind == FORGET_WISH:
        return _asked_for(source, factors.get("note"))
    if kind == RESTORED_VALUE and isinstance(source, str):
        by = called(beginning(source, _LONGEST_NAME))
        if brought:
            says = gettext("{source} brought it again, by {files}, and it was refused.")
            return format_html(says, source=by, files=brought)
        return format_html(gettext("{source} brought it again, and it was refused."), source=by)
    if kind == RESTORED_VALUE and brought:
        return format_html(gettext("It came again, by {files}, and was refused."), files=brought)
    return ""


def _asked_for(source: object, note: object) -> SafeString | str:
    """Which agent asks for a fact to be forgotten, and why."""
    if not isinstance(source, str):
        return gettext("Nothing is told any more of who asked for it.")
    by = called(beginning(source, _LONGEST_NAME))
    if not isinstance(note, str) or not note.strip():
        return format_html(gettext("{source} asks for it, and does not say why."), source=by)
    return format_html(gettext("{source} asks for it: {note}"), source=by, note=called(beginning(note, _LONGEST_NOTE)))


def _drawn(factors: Mapping[str, Any], *, is_blind: bool) -> SafeString | str:
    """That a fact was drawn at random, by whom, of how many, and by which seed."""
    match factors.get("sample"):
        case {"by": str(by), "band": str(band), "of": int(of), "seed": str(seed)} if band in BANDS:
            names = {"by": called(beginning(by, _LONGEST_NAME)), "seed": called(beginning(seed, _LONGEST_NAME))}
            if is_blind:
                says = gettext("{by} had it drawn; the seed is {seed}. What it is worth is told once you have decided.")
                return format_html(says, **names)
            says = ngettext(
                "{by} had it drawn, the one fact of the band “{band}”; the seed is {seed}.",
                "{by} had it drawn, of {of} facts of the band “{band}”; the seed is {seed}.",
                of,
            )
            return format_html(says, band=word(band), of=whole(of), **names)
    return gettext("Nothing is told any more of how it was drawn.")


def why(space: Space, factors: Mapping[str, Any], now: int, *, sees_all: bool) -> Why:
    """Why a case is here, by what it keeps of when it was opened."""
    lines, again = _ids(factors, "evidence"), _ids(factors, "reopened_by")
    shown = [*dict.fromkeys([*again, *lines])][:_LINES]
    told_by = said_by(space, Line.objects.filter(space=space, name__in=shown), now, sees_all=sees_all)
    left = max(len({*lines, *again}) - len(shown), 0)
    more, suggests = ngettext("and {count} more line", "and {count} more lines", left), factors.get("suggests")
    return Why(
        lines=[each for name, each in told_by.items() if name not in again],
        more=more.format(count=whole(left)) if left else "",
        again=[each for name, each in told_by.items() if name in again],
        found_by=_found_by(factors),
        suggests=verdicts.word(suggests) if isinstance(suggests, str) else "",
    )


def _ids(factors: Mapping[str, Any], name: str) -> list[str]:
    found = factors.get(name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _found_by(factors: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What found a case: which detector in which version, by which rule, in which slot."""
    titles = {
        "detector": gettext("Detector"),
        "version": gettext("Version"),
        "rule": gettext("Rule"),
        "slot": gettext("Slot"),
    }
    given = {name: factors.get(name) for name in titles}
    return [
        (titles[name], beginning(str(value), _LONGEST_NAME))
        for name, value in given.items()
        if isinstance(value, str | int) and not isinstance(value, bool) and value != ""
    ]


def since(space: Space, positions: Iterable[int], now: int) -> list[Said]:
    """What was said since somebody saw a case, by its places."""
    lines = Line.objects.filter(space=space, position__in=list(positions)[:_LINES])
    return list(said_by(space, lines, now, sees_all=True).values())


def said_by(space: Space, lines: "QuerySet[Line]", now: int, *, sees_all: bool) -> dict[str, Said]:
    """What lines say, by their names."""
    records = told.read(space, lines)
    named = told.named(space, records, sees_all=sees_all)
    return {
        record["id"]: Said(
            html(saying(record, named), space.name),
            when(record["at"], now),
            beginning(record.get("run") or "", _LONGEST_NAME),
            beginning(_note(record), _LONGEST_NOTE),
        )
        for record in records
    }


def _note(record: Record) -> str:
    """What somebody wrote beside what they said; with an event it is their reason."""
    return record.get("note") or (record["type"] == "event" and record.get("reason")) or ""


def forgetting(space: Space, facts: Sequence[Known], now: int, *, sees_all: bool) -> list[Said]:
    """Who forgot what came back, when and why."""
    said = Statement.objects.filter(space=space, kind=CODE["forgotten"], fact__name__in=[each.name for each in facts])
    last = said.filter(in_force=True).order_by("at", "position").values_list("position", flat=True).last()
    lines = Line.objects.filter(space=space, position__in=[] if last is None else [last])
    return list(said_by(space, lines, now, sees_all=sees_all).values())


def brought_by(space: Space, factors: Mapping[str, Any]) -> SafeString:
    """The imports in which what makes a case came, the last first, each with a link to its report ('': none)."""
    lines = Line.objects.filter(space=space, name__in=_ids(factors, "evidence")[-_LINES:]).exclude(imported="")
    imports = list(dict.fromkeys(lines.order_by("-position").values_list("imported", flat=True)))[:_FILES]
    named = files(space, imports)
    links = [
        (reverse("import-report", args=[space.name, each]), called(beginning(named.get(each, each), _LONGEST_NAME)))
        for each in imports
    ]
    return format_html_join(", ", '<a href="{}">{}</a>', links)


def brought(space: Space, case: Case) -> SafeString:
    """The same of a case that is decided."""
    return brought_by(space, json.loads(case.factors))


def again(brought: SafeString) -> SafeString | str:
    """What is left to do once what keeps a claim out is lifted."""
    if not brought:
        return gettext("What was refused is not taken in by that: import it again.")
    return format_html(
        gettext("What was refused is not taken in by that: import it again, from {files}."), files=brought
    )


def files(space: Space, imports: Iterable[str]) -> dict[str, str]:
    """The names of files, by the imports that brought them."""
    lines = Line.objects.filter(space=space, tag="import", imported__in=list(imports)).order_by("-position")
    names = {name: imported for name, imported in lines.values_list("name", "imported")}
    files = Import.objects.filter(space=space, name__in=list(names)).values_list("name", "file")
    return {names[name]: file for name, file in files if file}
