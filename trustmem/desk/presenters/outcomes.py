"""What verdicts came to: which objections they ruled on, which claim they kept, and what was written or noted."""

from collections.abc import Iterable, Iterator, Mapping

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions.cases import Closing
from trustmem.actions.verdicts import OF_ONE
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import told
from trustmem.desk.presenters.links import called
from trustmem.desk.presenters.sentences import html, saying
from trustmem.desk.presenters.texts import beginning
from trustmem.formats.interchange_types import Record
from trustmem.store import models
from trustmem.store.duplicates import MERGE
from trustmem.store.models import Case, Line, Space

_RULINGS = ("event.upheld", "event.dismissed")
#: Verdicts that rule on what was said against a claim.
RULING = ("uphold", "dismiss")
#: Which of the facts holds by each.
_HOLDS = {"keep left": 0, "keep right": 1, "left updates right": 0, "right updates left": 1}
#: So many lines of an act are looked at for what it made of one case, and so long is a note.
_LINES, _LONGEST = 50, 1000


def objections(space: Space, acts: Iterable[str]) -> dict[str, SafeString]:
    """What some acts ruled on, by their ids: the first of it in a sentence, and how much more."""
    ruled = told.read(space, Line.objects.filter(space=space, act__in=list(acts), tag__in=_RULINGS))
    said, by_act = _sentences(space, ruled), dict[str, list[SafeString | str]]()
    for line in ruled:
        by_act.setdefault(line["act"], []).extend([said[line["of"]]] if line["of"] in said else [])
    return {act: _first(some) for act, some in by_act.items() if some}


def _sentences(
    space: Space, ruled: Iterable[Record], *, sees_all: bool = True, links: bool = False
) -> dict[str, SafeString | str]:
    """The lines that are ruled on, in sentences, by their names."""
    lines = told.read(space, Line.objects.filter(space=space, name__in=[line["of"] for line in ruled]))
    named = told.named(space, lines, sees_all=sees_all)
    if not links:
        named = named._replace(facts={name: fact._replace(has_page=False) for name, fact in named.facts.items()})
    return {line["id"]: html(saying(line, named), space.name) for line in lines}


def _first(said: list[SafeString | str]) -> SafeString:
    more = len(said) - 1
    if not more:
        return format_html("{}", said[0])
    says = ngettext("{what}, and {count} more", "{what}, and {count} more", more)
    return format_html(says, what=said[0], count=whole(more))


def outcome(space: Space, case: Case, closing: Closing, *, sees_all: bool) -> list[SafeString]:
    """What a verdict came to, beside its name."""
    if closing.verdict not in (*_HOLDS, *OF_ONE, *RULING, MERGE):
        return []
    lines = _lines(space, case, closing)
    opened = told.read(space, Line.objects.filter(space=space, name=case.name, tag="case"))
    named = told.named(space, [*opened, *lines], sees_all=sees_all)
    if closing.verdict == MERGE:
        kept = html(named.fact(case.facts[0]), space.name) if case.facts else ""
        return [format_html(gettext("Kept: {claim}"), claim=kept)] if kept else []
    if closing.verdict in _HOLDS:
        name = case.facts[_HOLDS[closing.verdict]] if len(case.facts) > 1 else ""
        return [format_html(gettext("It holds: {claim}"), claim=html(named.fact(name), space.name))] if name else []
    if closing.verdict == "write the right one":
        new = [line["id"] for line in lines if line["tag"] == "fact"]
        return [format_html(gettext("Written: {claim}"), claim=html(named.fact(name), space.name)) for name in new]
    ruled = [line for line in lines if line["tag"] in _RULINGS]
    if closing.verdict == "both hold":
        return list(_distinction(lines, closing.reason))
    if closing.verdict in RULING:
        said = _sentences(space, ruled, sees_all=sees_all, links=True)
        which = {"event.upheld": gettext("Upheld: {what}"), "event.dismissed": gettext("Dismissed: {what}")}
        return [format_html(which[line["tag"]], what=said[line["of"]]) for line in ruled if line["of"] in said]
    return []


def _lines(space: Space, case: Case, closing: Closing) -> list[Record]:
    """What an act says of a case: in it that stands right before the line that closes the case."""
    rows = models.Closing.objects.filter(space=space, of=case.name, act=closing.act).exclude(act="")
    position = rows.order_by("position").values_list("position", flat=True).first()
    if position is None:
        return []
    before = Line.objects.filter(space=space, act=closing.act, position__lt=position)
    found = list[int]()
    for place, tag in before.order_by("-position").values_list("position", "tag")[:_LINES]:
        if tag == "event.closed":
            break
        found.append(place)
    return told.read(space, Line.objects.filter(space=space, position__in=found))


def _distinction(lines: Iterable[Mapping[str, str | None]], reason: str) -> Iterator[SafeString]:
    """How both hold, which is noted with what was dismissed or withdrawn, before the reason."""
    note = next((line["note"] for line in lines if line.get("note")), None) or ""
    note = note.removesuffix(reason).strip() if reason else note
    if note:
        yield format_html(gettext("How both hold: “{words}”"), words=called(beginning(note, _LONGEST)))
