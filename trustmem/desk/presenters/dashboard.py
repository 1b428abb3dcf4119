"""The desk of a space: what needs a person, how its facts stand and stood, and how fresh that is. Each part of it is
read by itself, so that one that cannot be read leaves the others."""

from typing import Any, NamedTuple

from django.utils.translation import gettext, ngettext

from trustmem.core.instants import EVER, NEVER
from trustmem.core.vocabulary import BANDS, FLAGS
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import capped, two, whole
from trustmem.desk.presenters.needs import Counts, facts_with, follows_defaults, needs
from trustmem.desk.presenters.passes import Counted, counts_of, due
from trustmem.desk.presenters.texts import about, beginning
from trustmem.desk.presenters.tiles import tile
from trustmem.desk.presenters.trend import points, trend
from trustmem.desk.words import advice_on, word
from trustmem.store import lists, queries
from trustmem.store.lists import Filter, Sort
from trustmem.store.models import Space

#: Bands are counted so far, that their shares be true; beyond that, they are shown as counted last.
_CAP = 100_000
#: So many facts that came last are shown, and so much of each.
_NEWEST, _BEGINNING = 5, 160


class Bar(NamedTuple):
    """A band: how many live facts stand in it, which share that is of all, and where they are listed."""

    band: str
    many: str
    percent: str
    share: str
    href: str


class BandsNow(NamedTuple):
    """The bands, the highest first. `counted`: the numbers are as of then. `is_complete`: shares can be told."""

    bars: list[Bar]
    counted: When | None
    is_complete: bool


class Flagged(NamedTuple):
    """A flag: how many live facts have it, also `said` in full, what to do about them, and where they are listed ('':
    there are none)."""

    flag: str
    many: str
    said: str
    advice: str
    href: str


class LastPass(NamedTuple):
    """The pass that was taken last (None: none yet) by its name in addresses, what it did, when the next is due (None:
    never), and how fresh numbers are."""

    at: When | None
    name: str
    note: str
    did: list[Counted]
    next: When | None
    written: When | None
    lists: str
    behind: str


class New(NamedTuple):
    """A fact that came last; `band` is '' until it is scored."""

    name: str
    about: str
    text: str
    band: str
    trust: str
    born: When | None


def dashboard(space: Space, now: int) -> dict[str, Any]:
    """All parts of the desk of a space."""
    counts = tile(now, lambda: _flag_counts(space))
    return {
        "needs": needs(space, counts, now),
        "is_uncalibrated": tile(now, lambda: follows_defaults(queries.constants(space))),
        "bands": tile(now, lambda: _bands_now(space, now)),
        "trend": tile(now, lambda: trend(space, now)),
        "counts": counts,
        "flags": _flagged(space, counts.shown or {}),
        "last_pass": tile(now, lambda: _last_pass(space, now)),
        "newest": tile(now, lambda: _newest(space, now)),
    }


def _flag_counts(space: Space) -> Counts:
    return {flag: lists.count(space, Filter(flag=flag)) for flag in FLAGS}


def _flagged(space: Space, counts: Counts) -> list[Flagged]:
    return [_flag(space, flag, capped(*count), count[0]) for flag, count in counts.items()]


def _flag(space: Space, flag: str, many: str, count: int) -> Flagged:
    said = ngettext("{count} fact: {flag}", "{count} facts: {flag}", count).format(count=many, flag=word(flag))
    return Flagged(flag, many, said, advice_on(flag), facts_with(space, flag=flag) if count else "")


def _bands_now(space: Space, now: int) -> BandsNow:
    found = [lists.count(space, Filter(band=band), _CAP) for band in BANDS]
    counted = points(space)[-1:] if any(is_more for _, is_more in found) else []
    if counted:
        found = [(count, False) for count in counted[0].counts]
    is_complete = not any(is_more for _, is_more in found)
    total = sum(count for count, _ in found)
    bars = [_bar(space, *each, total) for each in zip(BANDS, found, strict=True)]
    return BandsNow(bars[::-1], when(counted[0].at, now) if counted else None, is_complete)


def _bar(space: Space, band: str, count: tuple[int, bool], total: int) -> Bar:
    percent = 100 * count[0] / total if total else 0.0
    share = "< 1 %" if 0 < percent < 1 else f"{percent:.0f} %"
    return Bar(band, capped(*count), f"{percent:.2f}", share, facts_with(space, band=band))


def _last_pass(space: Space, now: int) -> LastPass:
    last, told = queries.last_pass(space), due(space, now)
    return LastPass(
        at=told.last,
        name=told.last_name,
        note=_note(last.void, last.through) if last is not None else "",
        did=[] if last is None or last.void else counts_of(last),
        next=told.next,
        written=when(space.written_at, now) if space.written_at > NEVER else None,
        lists=_as_of(has_pass=last is not None),
        behind=_behind(space),
    )


def _note(is_void: bool, through: int) -> str:
    if is_void:
        return gettext("It does not count: it moved the clock, and nothing else.")
    return gettext("It is still under way.") if through < EVER else ""


def _as_of(*, has_pass: bool) -> str:
    if has_pass:
        return gettext(
            "Lists show trust as of the last pass, or as of when something was written about a fact since; "
            "a fact's own page is always of now."
        )
    return gettext(
        "Lists show trust as of when something was last written about a fact; a fact's own page is always of now."
    )


def _behind(space: Space) -> str:
    lag = space.head_position - space.folded_to
    return gettext("{count} lines are in no list yet.").format(count=whole(lag)) if lag > 0 else ""


def _newest(space: Space, now: int) -> list[New]:
    return [_new(row, now) for row in lists.page(space, Filter(), Sort("age"), size=_NEWEST).rows]


def _new(row: lists.Row, now: int) -> New:
    is_scored = row.band is not None and row.trust is not None
    return New(
        name=row.name,
        about=about(row.subject, row.text),
        text=beginning(row.text, _BEGINNING),
        band=BANDS[row.band or 0] if is_scored else "",
        trust=two(row.trust or 0.0) if is_scored else "",
        born=when(row.at, now) if row.at_known else None,
    )
