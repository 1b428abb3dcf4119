"""What would be gone if a fact were erased, and what else tells the same."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions import erasing, purging
from trustmem.actions.passages import Span
from trustmem.core.vocabulary import LIVE, STATES
from trustmem.desk.components import marked
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.texts import beginning
from trustmem.store import bulk
from trustmem.store.cases import of_facts
from trustmem.store.models import Case, Line, Space, Upload

#: So many facts are shown that may tell the same, and so many cases.
_MOST_FACTS, _MOST_CASES = 400, 20
#: How much is shown of a text that repeats nothing, and on each side of what is repeated.
_BEGINNING, _AROUND = 300, 80


class Row(NamedTuple):
    """A fact that may tell the same, and why it is looked at; `state`: '' where it is live."""

    name: str
    text: SafeString
    because: str
    state: str
    is_ticked: bool


class Repeating(NamedTuple):
    """Facts that may tell the same, and what is said of those that are not shown ('': these are all)."""

    rows: list[Row]
    more: str


def repeating(found: Sequence[erasing.Repeating], ticked: Collection[str] | None) -> Repeating:
    """Those found to be erased with another; `ticked` are those that somebody wants to be (None: nobody was asked)."""
    more = len(found) - _MOST_FACTS
    said = ngettext(
        "{count} more may tell the same, and is not shown: erase some of these first.",
        "{count} more may tell the same, and are not shown: erase some of these first.",
        more,
    )
    rows = [_row(each, ticked) for each in found[:_MOST_FACTS]]
    return Repeating(rows, said.format(count=whole(more)) if more > 0 else "")


def _row(found: erasing.Repeating, ticked: Collection[str] | None) -> Row:
    fact = found.fact
    return Row(
        name=fact.name,
        text=_quoting(fact.text, found.spans),
        because=_because(found),
        state="" if fact.state == LIVE else STATES[fact.state],
        is_ticked=found.is_derived and bool(found.spans) if ticked is None else fact.name in ticked,
    )


def _because(found: erasing.Repeating) -> str:
    if not found.is_derived:
        return gettext("repeats it, though nothing says that it was made from it")
    return gettext("made from it, and repeats it") if found.spans else gettext("made from it, and repeats none of it")


def _quoting(text: str, spans: Sequence[Span]) -> SafeString:
    """A text with what it repeats marked; of a long one what stands around that."""
    if not spans:
        return marked(beginning(text, _BEGINNING))
    shown, place = "", 0
    for start, end in spans:
        shown += _between(text[place:start], place and _AROUND, _AROUND)
        shown += format_html("<mark>{}</mark>", marked(text[start:end]))
        place = end
    return SafeString(shown + _between(text[place:], _AROUND, 0))


def _between(text: str, first: int, last: int) -> str:
    """What stands between two passages, or so much of its beginning and its end."""
    if len(text) <= first + last:
        return marked(text)
    return f"{marked(text[:first])} … {marked(text[len(text) - last :])}"


def goes(space: Space, name: str) -> list[str]:
    """What would be gone, in sentences."""
    tags = Counter[str]()
    for positions in bulk.chunks(purging.about(space, [name])):
        tags.update(Line.objects.filter(space=space, position__in=positions).values_list("tag", flat=True))
    return list(_told(tags, Upload.objects.filter(space=space).count()))


def _told(tags: Counter[str], files: int) -> Iterator[str]:
    yield gettext("Its text, and what it names: its subject and object, its entities, its tags.")
    cases, receipts = tags["case"], tags["refused"] + tags["rejected"]
    notes = tags.total() - tags["fact"] - cases - receipts
    if notes:
        said = ngettext("{count} note on what was said about it", "{count} notes on what was said about it", notes)
        yield said.format(count=whole(notes))
    if cases:
        said = ngettext("The words of {count} case about it", "The words of {count} cases about it", cases)
        yield said.format(count=whole(cases))
    if receipts:
        said = ngettext(
            "{count} line that was not taken in from a file, and tells the same",
            "{count} lines that were not taken in from files, and tell the same",
            receipts,
        )
        yield said.format(count=whole(receipts))
    if files:
        said = ngettext(
            "{count} file that waits to be imported, whatever it holds: it has to be given again",
            "{count} files that wait to be imported, whatever they hold: they have to be given again",
            files,
        )
        yield said.format(count=whole(files))


class Told(NamedTuple):
    """A case that is about a fact: its name, and when it was opened."""

    name: str
    at: When | None


def cases(space: Space, name: str, now: int) -> list[Told]:
    """The newest of the cases that are about a fact."""
    found = Case.objects.filter(pk__in=of_facts(space, [name])).order_by("-at", "-pk")[:_MOST_CASES]
    return [Told(each.name, when(each.at, now)) for each in found]
