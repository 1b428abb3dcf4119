"""Freshness over time: the curve of a fact, what happened on it, and the day on which it falls into the next band."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

from trustmem.core.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND, to_datetime
from trustmem.core.vocabulary import BANDS, LIVE, TOUCH_KINDS
from trustmem.desk.numbers import two, whole
from trustmem.desk.words import word
from trustmem.explanations.curve import falls_at, freshness_curve
from trustmem.explanations.memory import Memory
from trustmem.explanations.text import visible
from trustmem.explanations.times import minute

_HOUR = MICROSECONDS_PER_DAY // 24
_AHEAD = 90 * MICROSECONDS_PER_DAY
_YEAR = 365 * MICROSECONDS_PER_DAY
#: A fall is drawn if it comes no later than after this many times what is drawn before now, or in a year; and told to
#: the day if it comes within two years, as about so many years within five.
_FAR = 2
_BY_DAY, _BY_YEAR = 2 * _YEAR, 5 * _YEAR
#: Points at regular distances; and those around each of the newest events, where the curve is steep.
_REGULAR = 200
_AROUND = (-MICROSECONDS_PER_SECOND, 0, _HOUR, 6 * _HOUR, MICROSECONDS_PER_DAY, 3 * MICROSECONDS_PER_DAY)
_MOST_EVENTS = 120
#: In the table, which is read.
_EVENTS_IN_TABLE = 18
_REGULAR_IN_TABLE = 16
_MOST_NAMED = 3


class Event(NamedTuple):
    """Something that made a fact fresher: at birth, or a touch; `says` names its kind and by whom."""

    at: int
    is_use: bool
    says: str


class Fall(NamedTuple):
    """When trust falls into a lower band if nothing more happens, and the freshness below which that is."""

    at: int
    band: str
    freshness: float


class Curve(NamedTuple):
    """Freshness at instants, (instant, with use, without), from birth on; `fall` only if it is near enough to draw."""

    start: int
    end: int
    now: int
    points: list[tuple[int, float, float]]
    events: list[tuple[Event, float]]
    fall: Fall | None


def curve(asked: Memory, id: str, fall: Fall | None) -> Curve | None:
    """The curve of a fact; None where no age is known."""
    events, start = _events(asked, id), _start(asked, id)
    if start is None:
        return None
    far = min(max(_FAR * (asked.now - start), _YEAR), _BY_DAY)
    near = fall if fall and fall.at - asked.now <= far else None
    end = max(asked.now + _AHEAD, near.at + (near.at - asked.now) // 5 if near else 0)
    instants = set(np.linspace(start, end, _REGULAR, dtype=np.int64).tolist()) | {asked.now}
    newest = events[-_MOST_EVENTS:]
    instants |= {each.at + around for each in newest for around in _AROUND}
    points = freshness_curve(asked, id, sorted(each for each in instants if start <= each <= end))
    at = {instant: with_use for instant, with_use, _ in points}
    return Curve(start, end, asked.now, points, [(each, at[each.at]) for each in newest if each.at in at], near)


def fall(asked: Memory, id: str) -> Fall | None:
    """When a live fact falls into the next lower band; None: it never does."""
    row, scores = asked.row[id], asked.scores
    found = falls_at(asked, id) if scores.state[row] == LIVE else None
    if found is None:
        return None
    lasting = scores.confidence[row] * scores.supersession[row] * scores.provenance[row]
    edge = asked.folded.stored.constants.band_edges[int(scores.band[row]) - 1]
    return Fall(*found, float(edge / lasting))


def _start(asked: Memory, id: str) -> int | None:
    """Birth, or the first of what made the fact fresher; None where neither is known."""
    stored, row = asked.folded.stored, asked.row[id]
    times = stored.reinforcements.at[stored.reinforcements.owner == row].tolist()
    if asked.reading.records[id]["at_known"]:
        times.append(int(asked.folded.history.facts.at[row]))
    if not times and stored.baseline_count[row]:
        times.append(int(stored.first_seen[row]))
    return min((*times, asked.now)) if times else None


_KINDS = {
    "restated": gettext_lazy("said again"),
    "corroborated": gettext_lazy("confirmed"),
    "linked": gettext_lazy("built on"),
    "recalled": gettext_lazy("read"),
    "injected": gettext_lazy("put in a prompt"),
}


def _events(asked: Memory, id: str) -> list[Event]:
    """What made the fact fresher, by time."""
    times, row = asked.folded.stored.reinforcements, asked.row[id]
    mine = times.owner == row
    made_by = _made_by(asked, row)
    born = int(asked.folded.history.facts.at[row])
    found = zip(times.at[mine].tolist(), times.is_use[mine].tolist(), strict=True)
    return [Event(at, is_use, _says(at, at == born, made_by)) for at, is_use in sorted(found)]


def _made_by(asked: Memory, row: int) -> dict[int, list[tuple[str, str]]]:
    """The kinds and the sources of what touched a fact, by instant."""
    touches, heard = asked.folded.touches, asked.folded.seen.heard
    found = defaultdict(list)
    for touch in np.flatnonzero((touches.fact == row) & heard.present).tolist():
        kind, source = TOUCH_KINDS[touches.kind[touch]], asked.folded.history.sources[touches.source[touch]]
        if kind in _KINDS:
            found[int(heard.at[touch])].append((kind, source))
    return found


def _says(at: int, is_birth: bool, made_by: dict[int, list[tuple[str, str]]]) -> str:
    touched = made_by.get(at, ())
    named = [
        gettext("{what} by {source}").format(what=_KINDS[kind], source=visible(source))
        for kind, source in touched[:_MOST_NAMED]
    ]
    born = [pgettext("fact", "born")] if is_birth else []
    return ", ".join(born + named) or str(_KINDS["restated"])


def sentence(asked: Memory, id: str, fall: Fall | None) -> str:
    """What becomes of the fact if nothing more happens."""
    row = asked.row[id]
    code = int(asked.scores.band[row])
    if asked.scores.state[row] != LIVE:
        return gettext("It is not live, so its freshness decides nothing now.")
    if code == 0:
        return gettext("It is in the lowest band already.")
    if fall is None or fall.at - asked.now > _BY_YEAR:
        return gettext("If nothing happens, it stays {band} for more than five years.").format(band=word(BANDS[code]))
    said = gettext("If nothing happens, its freshness fades, and its trust falls from {before} to {after} {when}.")
    return said.format(before=word(BANDS[code]), after=word(fall.band), when=_when(fall.at, fall.at - asked.now))


def _when(at: int, span: int) -> str:
    """When something is that lies so far ahead: the day, or where that would tell too much, about how many years."""
    if span > _BY_DAY:
        years = round(span / _YEAR)
        return ngettext("in about {count} year", "in about {count} years", years).format(count=whole(years))
    return gettext("on {day} ({span})").format(day=date_format(to_datetime(at), "j F Y"), span=_in(span))


def _in(span: int) -> str:
    """How far ahead something is, in days, or in hours where it is less than two days."""
    days, hours = span // MICROSECONDS_PER_DAY, span // _HOUR
    if days >= 2:
        return ngettext("in {count} day", "in {count} days", days).format(count=whole(days))
    return ngettext("in {count} hour", "in {count} hours", hours).format(count=whole(hours))


def table(asked: Memory, id: str, drawn: Curve, today: str) -> list[tuple[str, str, str, str]]:
    """The numbers behind the figure: instant, what is there, with use, without; at most forty rows."""
    said = {each.at: each.says for each, _ in drawn.events[-_EVENTS_IN_TABLE:]}
    said |= {asked.now: today}
    if drawn.fall:
        said[drawn.fall.at] = gettext("trust falls to {band}").format(band=word(drawn.fall.band))
    regular = np.linspace(drawn.start, drawn.end, _REGULAR_IN_TABLE, dtype=np.int64).tolist()
    points = freshness_curve(asked, id, sorted({*said, *regular}))
    return [(minute(at), said.get(at, ""), two(with_use), two(without)) for at, with_use, without in points]
