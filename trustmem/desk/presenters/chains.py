"""Chains as pages show them: one as a timeline from its head to its tail, and rows of the list of all."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions import records
from trustmem.core.instants import EVER, to_text
from trustmem.core.vocabulary import BANDS, ERASED, STATES, TIERS
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters import facts, past
from trustmem.desk.presenters.links import called, linked
from trustmem.desk.presenters.past import day, moment
from trustmem.desk.presenters.texts import about, beginning
from trustmem.desk.words import word
from trustmem.store import queries
from trustmem.store.chain_lists import Chain, Filter, Key
from trustmem.store.chains import Member, Said, Step, Whole
from trustmem.store.lists import Row
from trustmem.store.models import Space
from trustmem.store.states import KEPT

#: So many claims of a chain stand on a page.
SIZE = 50
#: So many words for what replaced a claim are quoted, and so many heads of a chain named.
_MOST = 3
_LONGEST_NOTE = 400
_BEGINNING = 280


class Line(NamedTuple):
    """Who did something to a claim, and why ('': it was not said)."""

    sentence: SafeString
    at: When
    note: str


class Claim(NamedTuple):
    """A claim of a chain: when it held, what took its place, and by which line it is gone (None: it is there). A
    claim that is forgotten has no text for those who may not decide, be it by now (`by_now`)."""

    name: str
    about: str
    text: str | None
    by_now: str
    band: str
    trust: str
    flags: list[str]
    tier: str
    source: str
    born: When | None
    held: str
    replaced: list[Line]
    more: str
    gone: Line | None
    is_here: bool
    is_head: bool


class Timeline(NamedTuple):
    """The claims of a page of a chain, what is to be said of all of it, and the addresses of the pages before and after
    ('': there is none)."""

    many: str
    says: list[str]
    claims: list[Claim]
    previous: str
    next: str


class Reader(NamedTuple):
    """Who looks at a chain: in which space, as of when, whether they read what is forgotten; and how rows are found."""

    space: Space
    now: int
    sees_all: bool
    rows: Callable[[Collection[str]], Iterable[Row]]
    kept: Mapping[str, str]


def timeline(chain: Whole, name: str, start: str, reader: Reader) -> Timeline:
    """The page of a chain that begins with a claim ('': the one on which the claim `name` stands). Raises ValueError
    for a claim that is none of its own."""
    names = list(chain.members)
    place = names.index(start) if start else names.index(name) // SIZE * SIZE
    shown = names[place : place + SIZE]
    above = _above(chain, shown)
    named = {*shown, *(step.newer for steps in above.values() for step in steps[:_MOST])}
    teller = _Teller(chain, reader, {row.name: row for row in reader.rows(named)}, above)
    return Timeline(
        many=ngettext("{count} claim", "{count} claims", len(names)).format(count=whole(len(names))),
        says=_says(chain),
        claims=[teller.claim(each, is_here=each == name) for each in shown if each in teller.rows],
        previous=_page(reader, names[max(place - SIZE, 0)]) if place else "",
        next=_page(reader, names[place + SIZE]) if len(names) > place + SIZE else "",
    )


def _page(reader: Reader, start: str) -> str:
    return "?" + urlencode({**reader.kept, "from": start})


def _above(chain: Whole, shown: Collection[str]) -> dict[str, list[Step]]:
    """What took the place of each of these claims, in the order in which that was said."""
    above: dict[str, list[Step]] = {name: [] for name in shown}
    for step in sorted(chain.steps, key=lambda step: (step.said.at, step.said.position)):
        if step.older in above:
            above[step.older].append(step)
    return above


def _says(chain: Whole) -> list[str]:
    """What is amiss with a chain."""
    told = []
    circular = len(chain.circular)
    if circular:
        said = ngettext(
            "{count} claim is said to update itself: that counts for nothing.",
            "{count} claims are said to update each other in a circle: none of that counts, and a person has to decide "
            "which of them holds.",
            circular,
        )
        told.append(said.format(count=whole(circular)))
    heads = len([each for each in chain.heads if each not in chain.circular])
    if heads > 1:
        said = ngettext(
            "{count} claim stands at the head.",
            "{count} claims stand at the head, and none of them replaces another: a person has to decide which holds.",
            heads,
        )
        told.append(said.format(count=whole(heads)))
    return told


class _Teller:
    """Tells the claims of a page, which speak of each other."""

    def __init__(self, chain: Whole, reader: Reader, rows: Mapping[str, Row], above: Mapping[str, list[Step]]) -> None:
        self.chain, self.reader, self.rows, self.above = chain, reader, rows, above
        self.heads, self.untold = set(chain.heads), queries.untold(reader.space, rows, sees_all=reader.sees_all)
        quoted = [step.said for steps in above.values() for step in steps[:_MOST]]
        self.notes = _notes(reader.space, [*quoted, *(line for name, line in chain.gone.items() if name in above)])

    def claim(self, name: str, *, is_here: bool) -> Claim:
        row, steps, gone = self.rows[name], self.above[name], self.chain.gone.get(name)
        more = len(steps) - _MOST
        said = ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more > 0 else ""
        text = self._text(row)
        return Claim(
            name=name,
            about=about(row.subject, text) if text else "",
            text=text and beginning(text, _BEGINNING),
            by_now=self._by_now(row),
            band=BANDS[row.band or 0],
            trust=two(row.trust or 0),
            flags=facts.flags_of(row),
            tier=word(TIERS[row.tier]),
            source=row.source,
            born=when(row.at, self.reader.now) if row.at_known else None,
            held=_held(self.chain, self.chain.members[name], steps),
            replaced=[self._replaced(step) for step in steps[:_MOST]],
            more=said,
            gone=gone and self._gone(row, gone),
            is_here=is_here,
            is_head=name in self.heads,
        )

    def _text(self, row: Row) -> str | None:
        """None: it is erased, or forgotten and not for everybody."""
        return (KEPT.told(row.text, row.state) if row.name not in self.untold else None) or None

    def _by_now(self, row: Row) -> str:
        return self.untold.get(row.name, STATES[row.state])

    def _replaced(self, step: Step) -> Line:
        newer = self.rows.get(step.newer)
        says = {
            "live": gettext("{by} said that {newer} takes its place"),
            "ended": gettext("{by} said that {newer} takes its place, which is not so while one of the two is gone"),
            "circular": gettext("{by} said that {newer} takes its place, which closes a circle and counts for nothing"),
        }[step.holds]
        text, state = (self._text(newer), self._by_now(newer)) if newer else (None, None)
        link = linked(self.reader.space.name, step.newer, text, state)
        return self._line(step.said, format_html(says, by=called(step.said.by), newer=link))

    def _gone(self, row: Row, said: Said) -> Line:
        says = gettext("{by} erased its text for good") if row.state == ERASED else gettext("{by} forgot it")
        return self._line(said, format_html(says, by=called(said.by)))

    def _line(self, said: Said, sentence: SafeString) -> Line:
        note = beginning(self.notes.get(said.position) or "", _LONGEST_NOTE)
        return Line(sentence, when(said.at, self.reader.now), note)


def _notes(space: Space, lines: Iterable[Said]) -> dict[int, str | None]:
    """What was said along with lines, by their positions."""
    positions = sorted({line.position for line in lines})
    told = [record.get("note") for record, _ in records.at(space, positions)]
    return dict(zip(positions, told, strict=True))


def periods(born: int, gone: int, above: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """When a claim held: from its birth until it was gone, but for the spans in which others stood above it.

    >>> periods(0, 9, [(3, 5), (4, 6)])
    [(0, 3), (6, 9)]
    """
    found, start = [], born
    for began, ended in sorted(above):
        if began > start:
            found.append((start, min(began, gone)))
        start = max(start, ended)
    return [(since, until) for since, until in [*found, (start, gone)] if since < until]


def _held(chain: Whole, member: Member, steps: Sequence[Step]) -> str:
    """When a claim held, in words."""
    gone = {name: line.at for name, line in chain.gone.items()}
    above = [(step.said.at, gone.get(step.newer, EVER)) for step in steps if step.holds != "circular"]
    held = periods(member.at, gone.get(member.name, EVER), above)
    if not held:
        return gettext("never held: it was replaced, or gone, as it came")
    told = [_first(held[0], member.at_known)] + [_again(each) for each in held[1:]]
    return ", ".join(told)


def _first(period: tuple[int, int], is_known: bool) -> str:
    since, until = _days(period)
    if until:
        said = gettext("held from {since} to {until}") if is_known else gettext("held until {until}")
    else:
        said = gettext("holds since {since}") if is_known else gettext("holds, nobody knows since when")
    return said.format(since=since, until=until)


def _again(period: tuple[int, int]) -> str:
    since, until = _days(period)
    said = gettext("and again from {since} to {until}") if until else gettext("and again since {since}")
    return said.format(since=since, until=until)


def _days(period: tuple[int, int]) -> tuple[str, str]:
    """Its days, or where it was all on one the instants; '': it goes on."""
    since, until = period
    if until == EVER:
        return day(since), ""
    return (day(since), day(until)) if day(since) != day(until) else (moment(since), moment(until))


# The list.


class View(NamedTuple):
    """Which chains a list shows, as of an instant (None: now); all of it stands in its address."""

    filter: Filter
    then: int | None = None

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "View":
        """Raises BadRequest for what an address cannot mean."""
        unknown = [name for name in asked if name not in ("source", "text", "after", "before", "as_of")]
        if unknown:
            raise BadRequest(gettext("A list knows nothing of “{name}”.").format(name=unknown[0]))
        given = {name: asked[name] for name in ("source", "text") if asked.get(name, "").strip()}
        try:
            return cls(Filter(**given), past.instant(asked))
        except ValueError as error:
            raise BadRequest(str(error)) from None

    @property
    def kept(self) -> dict[str, str]:
        """What it is filtered by."""
        given = {"source": self.filter.source, "text": self.filter.text}
        return {name: value for name, value in given.items() if value}

    def at(self, name: str, place: int | None) -> str:
        """The address of another page of it; '' for None."""
        then = {} if self.then is None else {"as_of": to_text(self.then)}
        return "" if place is None else "?" + urlencode({**self.kept, **then, name: place})


class Head(NamedTuple):
    """A claim that holds, with its band."""

    link: SafeString
    about: str
    band: str
    trust: str


class ChainRow(NamedTuple):
    """A chain in the list: its heads, what there is to say about it, which of its older claims was found ('': none was
    looked for), its page by a claim of it, and when it last changed."""

    heads: list[Head]
    more: str
    says: list[str]
    found: SafeString | str
    name: str
    changed: When


def listed(
    space: Space,
    found: Sequence[Chain[Key]],
    rows_of: Callable[[Collection[Key]], Mapping[Key, Row]],
    now: int,
    *,
    sees_all: bool,
) -> list[ChainRow]:
    """Chains in their order; `rows_of` finds what their claims say; `sees_all`: to somebody who decides about facts."""
    shown: dict[int, list[Key]] = {}
    older: dict[int, Key] = {}
    for each in found:
        shown[each.position] = each.heads[:_MOST] or sorted(each.circular)[:_MOST]
        if each.found and each.found.isdisjoint(each.heads):
            *_, older[each.position] = sorted(each.found)
    rows = rows_of({key for named in shown.values() for key in named}.union(older.values()))
    untold = queries.untold(space, [row.name for row in rows.values()], sees_all=sees_all)
    told = []
    for chain in found:
        heads = [rows[key] for key in shown[chain.position]]
        below = rows[older[chain.position]] if chain.position in older else None
        told.append(_listed(space, chain, heads, below, untold, now))
    return told


def _listed(
    space: Space, chain: Chain[Key], heads: list[Row], older: Row | None, untold: Mapping[str, str], now: int
) -> ChainRow:
    more = len(chain.heads or chain.circular) - len(heads)
    return ChainRow(
        heads=[_head(space, row, untold) for row in heads],
        more=ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more else "",
        says=_is_like(chain),
        found=_linked(space, older, untold) if older else "",
        name=heads[0].name,
        changed=when(chain.at, now),
    )


def _head(space: Space, row: Row, untold: Mapping[str, str]) -> Head:
    named = "" if row.name in untold else about(row.subject, row.text)
    return Head(_linked(space, row, untold), named, BANDS[row.band or 0], two(row.trust or 0))


def _linked(space: Space, row: Row, untold: Mapping[str, str]) -> SafeString:
    text = None if row.name in untold else row.text or None
    return linked(space.name, row.name, text, untold.get(row.name, STATES[row.state]))


def _is_like(chain: Chain[Key]) -> list[str]:
    told = []
    replaced = len(chain.facts - chain.circular - {*chain.heads})
    if chain.heads:
        said = ngettext("replaced {count} claim", "replaced {count} claims", replaced)
        told.append(said.format(count=whole(replaced)))
    if len(chain.heads) > 1:
        said = ngettext("{count} head", "{count} heads: a person has to decide which holds", len(chain.heads))
        told.append(said.format(count=whole(len(chain.heads))))
    if chain.circular:
        said = ngettext(
            "{count} claim on a circle: none of it counts",
            "{count} claims on a circle of updates: none of it counts",
            len(chain.circular),
        )
        told.append(said.format(count=whole(len(chain.circular))))
    return told
