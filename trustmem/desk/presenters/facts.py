"""The list of facts as its page shows it: the view that an address holds, and rows of text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple, get_args
from urllib.parse import quote_plus, urlencode

from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext

from trustmem.core.instants import to_text
from trustmem.core.vocabulary import BANDS, FLAGS, LIVE, NOTICES, SCOPES, STATES, TIERS
from trustmem.desk import components
from trustmem.desk.components import band, flag, marked, told
from trustmem.desk.converters import quoted
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two
from trustmem.desk.presenters import past
from trustmem.desk.presenters.links import to_other
from trustmem.desk.presenters.texts import about, beginning
from trustmem.desk.words import word
from trustmem.store import chains, lists
from trustmem.store.lists import By, Cursor, Filter, Row, Sort
from trustmem.store.models import Space
from trustmem.store.states import KEPT

#: How much of a claim a row shows; all of it stands on its own page.
_BEGINNING = 280
#: The words that an address may hold: those that filter, and others beside.
_FILTERS = tuple(name for name in Filter.__slots__ if name != "searched")
_OTHERS = ("sort", "order", "after", "as_of")
#: Of a past instant only these are known: what is said at birth.
_OF_BIRTH = ("source", "entity", "text", "after", "as_of")


@dataclass(frozen=True, slots=True)
class View:
    """What a list shows, all of it in its address, as of an instant (None: now). `state` "any" is that of every state.
    As of an instant that is past all are shown, by birth."""

    filter: Filter
    sort: Sort
    after: Cursor | None = None
    then: int | None = None

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "View":
        """The view that an address asks for. Raises ValueError for what it cannot mean: nothing is left out."""
        given: dict[str, Any] = {name: value for name, value in asked.items() if value.strip()}
        unknown = [name for name in given if name not in (*_FILTERS, *_OTHERS)]
        if unknown:
            raise ValueError(gettext("A list knows nothing of “{name}”.").format(name=unknown[0]))
        then = past.instant(given)
        if given.pop("as_of", ""):
            given = _of_birth(given)
        by, order = given.pop("sort", "trust"), given.pop("order", "falling")
        if by not in get_args(By) or order not in ("falling", "rising"):
            raise ValueError(gettext("A list cannot be sorted so."))
        after = given.pop("after", "")
        state = given.pop("state", "live")
        filter = Filter(state=None if state == "any" else state, **given)
        cursor = Cursor.of(after) if after else None
        if cursor is not None and cursor.by != by:
            raise ValueError(gettext("This is a place in a list that is sorted otherwise."))
        return cls(filter, Sort(by, order == "rising"), cursor, then)

    def asked(self, **changes: str | None) -> dict[str, str]:
        """What stands in the address, but for the place; with changes, of which None takes something out."""
        state = "any" if self.filter.state is None else self.filter.state
        order = "rising" if self.sort.ascending else "falling"
        given = {name: getattr(self.filter, name) for name in _FILTERS}
        given |= {"state": state, "sort": self.sort.by, "order": order} | changes
        if self.then is not None:
            given = {name: value for name, value in given.items() if name in _OF_BIRTH} | {"as_of": to_text(self.then)}
        defaults = {"state": "live", "sort": "trust", "order": "falling"}
        return {name: value for name, value in given.items() if value and value != defaults.get(name)}

    def address(self, **changes: str | None) -> str:
        """The query of the address of a view that differs from this one."""
        return "?" + urlencode(self.asked(**changes))

    def at(self, cursor: Cursor | None) -> str:
        """The address of the page that begins at a place; '': there is none."""
        return "" if cursor is None else self.address(after=str(cursor))


def search_href(space: Space, view: View) -> str:
    """Where the same words are a question, and hits come in the order of their relevance."""
    asked = urlencode({"q": view.filter.text or ""})
    return reverse("search", args=[space.name]) + (f"?{asked}" if view.filter.text else "")


def _of_birth(given: dict[str, str]) -> dict[str, str]:
    """What a list as of a past instant is asked for. Raises ValueError for what is known of now alone."""
    amiss = [name for name in given if name not in _OF_BIRTH and (name, given[name]) != ("sort", "age")]
    if amiss:
        raise ValueError(only_of_birth())
    return given | {"sort": "age", "state": "any"}


def only_of_birth() -> str:
    """What a list as of a past instant can be asked for."""
    return gettext(
        "As of an instant that is past, a list holds whatever had come by then, the newest first: it can be searched, "
        "and filtered by source and entity. Bands, flags, states, tiers and scopes filter, and trust and weight sort, "
        "what holds now."
    )


class FactRow(NamedTuple):
    """A fact as a row shows it; `about` is whom or what it is about, where its text does not say so, `by_now` the state
    by which its text (None) is not told, and `replaces` a link to the claim in its chain that was searched for."""

    name: str
    about: str
    text: str | None
    by_now: str
    source: str
    source_query: str
    state: str
    band: str
    trust: str
    flags: list[str]
    born: When | None
    weight: str
    replaces: SafeString | str


def rows(
    found: Sequence[Row],
    view: View,
    now: int,
    replaces: Mapping[str, SafeString] | None = None,
    *,
    untold: Mapping[str, str],
) -> list[FactRow]:
    """Rows in their order. What stands in them is as of when each was scored last. `replaces` is by name, as are those
    that do not say to whoever looks what they say, with their states."""
    others, below = view.address(source=None), replaces or {}
    of_source = others + ("&source=" if len(others) > 1 else "source=")
    return [_row(each, of_source, now, below.get(each.name, ""), untold.get(each.name)) for each in found]


def replacing(space: Space, view: View, found: Sequence[Row]) -> dict[str, SafeString]:
    """Of facts that a search found, by name, links to what they replaced where only that says the words."""
    text = view.filter.text
    below = chains.replaced(space, text, [row.pk for row in found]) if text else {}
    older = {row.pk: row for row in lists.rows(sorted(set(below.values())))}
    return {row.name: to_other(space.name, older[below[row.pk]]) for row in found if row.pk in below}


def _row(row: Row, of_source: str, now: int, replaces: SafeString | str, untold: str | None) -> FactRow:
    text = KEPT.told(row.text, row.state) if untold is None else None
    return FactRow(
        name=row.name,
        about="" if text is None else about(row.subject, text),
        text=beginning(text, _BEGINNING) if text else None,
        by_now=STATES[row.state] if untold is None else untold,
        source=row.source,
        source_query=of_source + quote_plus(row.source),
        state="" if row.state == LIVE else STATES[row.state],
        band="" if row.band is None else BANDS[row.band],
        trust="" if row.trust is None else two(row.trust),
        flags=_flags(row.flags or 0),
        born=when(row.at, now) if row.at_known else None,
        weight=two(row.derived),
        replaces=replaces,
    )


_ALL = (*FLAGS, *NOTICES)


def flags_of(row: Row) -> list[str]:
    """Its state, if it is not live, and its flags."""
    return ([] if row.state == LIVE else [STATES[row.state]]) + _flags(row.flags or 0)


def _flags(bits: int) -> list[str]:
    return [name for place, name in enumerate(_ALL) if bits >> place & 1]


_ROW = """<tr>
<td>{}</td>
<td class="claim"><a href="{}" data-stop dir="auto" translate="no">{}{}</a>{}
<small><a class="soft" href="{}" translate="no">{}</a></small></td>
<td>{}</td>
<td class="num" data-title="{}">{}</td>
<td class="nowrap" data-title="{}">{}</td>
</tr>"""


def table(found: list[FactRow], space: str, query: str = "") -> SafeString:
    """The rows as HTML: joined here, since a template takes several times as long for as many. The addresses of facts
    have the `query`."""
    facts, titles = reverse("facts", args=[space]), {by: escape(title) for by, title in _titles_of_columns().items()}
    return SafeString("".join(_ROW.format(*_cells(each, facts, titles, escape(query))) for each in found))


def _cells(row: FactRow, facts: str, titles: dict[str, str], query: str) -> tuple[str, ...]:
    """What stands in the row, all of it escaped."""
    words = ([row.state] if row.state else []) + row.flags
    return (
        band(row.band, row.trust) if row.band else escape(gettext("not scored yet")),
        f"{facts}{quoted(row.name)}/{query}",
        f"<b>{marked(row.about)}</b> · " if row.about else "",
        told(row.text, row.by_now),
        f"\n<small>{escape(gettext('replaces:'))} {row.replaces}</small>" if row.replaces else "",
        escape(row.source_query),
        marked(row.source),
        " ".join(map(flag, words)),
        titles["weight"],
        row.weight,
        titles["age"],
        components.when(row.born),
    )


class Column(NamedTuple):
    """A column by which one can sort: its title, where that leads ('': nowhere), and which way it is sorted now ('':
    not by it)."""

    title: str
    address: str
    sorted: str


def columns(view: View) -> dict[str, Column]:
    """The columns by which a list is sorted; the same again turns it round. As of a past instant it is by birth."""
    if view.then is not None:
        return {
            by: Column(title, "", "descending" if by == "age" else "") for by, title in _titles_of_columns().items()
        }
    return {by: _column(view, by, title) for by, title in _titles_of_columns().items()}


def _titles_of_columns() -> dict[str, str]:
    return {"trust": pgettext("column", "Trust"), "age": pgettext("column", "Born"), "weight": gettext("Weight")}


def _column_then(_view: View, by: str, title: str) -> Column:
    return Column(title, "", "descending" if by == "age" else "")


def _column(view: View, by: str, title: str) -> Column:
    if view.sort.by != by:
        return Column(title, view.address(sort=by, order=None), "")
    order = "falling" if view.sort.ascending else "rising"
    return Column(title, view.address(order=order), "ascending" if view.sort.ascending else "descending")


class Chip(NamedTuple):
    """A filter that is set, and the address without it."""

    title: str
    value: str
    address: str


def chips(view: View) -> list[Chip]:
    """The filters that are set, in their order."""
    titles = _titles()
    asked = view.asked()
    return [
        Chip(titles[name], _said(name, asked[name]), view.address(**{name: None})) for name in _FILTERS if name in asked
    ]


def _titles() -> dict[str, str]:
    return {
        "band": gettext("Band"),
        "flag": gettext("Flag"),
        "tier": gettext("Tier"),
        "scope": gettext("Scope"),
        "state": gettext("State"),
        "source": gettext("Source"),
        "entity": gettext("Entity"),
        "text": gettext("Search"),
    }


def _said(name: str, value: str) -> str:
    if name in ("source", "entity", "text"):
        return value
    return gettext("any") if value == "any" else word(value)


class Choice(NamedTuple):
    """A filter of which people choose a value, with all that it can be, the one that is set marked, as HTML."""

    name: str
    title: str
    options: SafeString


_CHOICES = {"band": BANDS[::-1], "flag": FLAGS, "state": STATES, "tier": TIERS, "scope": SCOPES}


def choices(view: View) -> list[Choice]:
    """The filters of which people choose a value."""
    asked, titles = view.asked(), _titles()
    chosen = {"state": "live"} | asked
    return [
        Choice(name, titles[name], _options(get_language(), name, chosen.get(name, _unset(name)))) for name in _CHOICES
    ]


def _unset(name: str) -> str:
    """What stands in an address for any value: of the state that is a word, since it is live unless one says so."""
    return "any" if name == "state" else ""


@lru_cache(256)
def _options(_language: str, name: str, chosen: str) -> SafeString:
    values = {_unset(name): gettext("any")} | {each: word(each) for each in _CHOICES[name]}
    options = ((value, SafeString(" selected" if value == chosen else ""), title) for value, title in values.items())
    return format_html_join("", '<option value="{}"{}>{}</option>', options)
