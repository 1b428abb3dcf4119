"""The time slider: as of which instant a page shows things, and which others it leads to."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.utils.dateformat import format as date_format
from django.utils.translation import gettext

from trustmem.core.instants import MICROSECONDS_PER_SECOND, to_datetime, to_text
from trustmem.explanations.memory import Memory
from trustmem.formats import rfc3339
from trustmem.store.lists import Row
from trustmem.store.models import Line, Space
from trustmem.store.scores import packed

#: The slider has so many steps at most, and a mark at most at each.
_STEPS = 200
_MILLISECOND = 1000


def instant(asked: Mapping[str, str]) -> int | None:
    """The instant that an address asks for, in UTC unless it says otherwise; a day stands for its beginning. None: now.
    Raises BadRequest for what is none."""
    given = asked.get("as_of", "").strip()
    for text in (given, f"{given}Z", f"{given}:00Z", f"{given}T00:00:00Z") if given else ():
        try:
            return rfc3339.parse(text)
        except ValueError:
            continue
    if given:
        said = gettext("“{given}” is no instant. One is written as 2026-03-01T12:00:00Z, or as a day: 2026-03-01.")
        raise BadRequest(said.format(given=given))
    return None


def to_come(then: int, now: int) -> str:
    """Why nothing can be shown as of an instant; '' unless it lies ahead."""
    return gettext("That is still to come: nobody knows how things will stand then.") if then > now else ""


def came(space: Space, fact: str) -> int | None:
    """When a fact arrived, be it undone since. None: there is none."""
    lines = Line.objects.filter(space=space, name=fact, tag="fact", position__lte=space.folded_to)
    return lines.values_list("arrived", flat=True).first()


def not_yet(came: int, then: int) -> str:
    """Why a space held nothing of a fact at an instant."""
    if came > then:
        return gettext("It had not come by then: it came on {when}.").format(when=moment(came))
    return gettext("It counted as never written then: its act was undone.")


class Slider(NamedTuple):
    """A range of seconds with marks where something happened; at its end it is now."""

    first: int
    last: int
    step: int
    place: int
    marks: list[int]


class AsOf(NamedTuple):
    """As of when a page shows things. `says` ('': now), the instant as `text` for addresses with the `query` that holds
    nothing else, and as the `value` of a field; what the form sends beside it; and the addresses of the change before
    ('': there is none), of the one after, and of now."""

    says: str
    text: str
    query: str
    value: str
    kept: list[tuple[str, str]]
    slider: Slider | None
    previous: str
    next: str
    now: str


def as_of(then: int | None, now: int, stops: Iterable[int], kept: Mapping[str, str]) -> AsOf:
    """As of `then` (None: now), where something happened at the `stops`; all addresses hold what is `kept`."""
    # To the next millisecond: a browser keeps no more of an instant.
    happened = sorted({-(-each // _MILLISECOND) * _MILLISECOND for each in stops if each <= now})
    here = now if then is None else then
    before, after = happened[: bisect_left(happened, here)], happened[bisect_right(happened, here) :]
    text = "" if then is None else to_text(then)
    return AsOf(
        says="" if then is None else gettext("As of {when}").format(when=moment(then)),
        text=text,
        query="" if then is None else f"?{query(then)}",
        value="" if then is None else _field(then),
        kept=list(kept.items()),
        slider=_slider(happened, here, now),
        previous=_address(before[-1], kept) if before else "",
        next=_address(after[0], kept) if after and then is not None else "",
        now=f"?{urlencode(kept)}" if kept else "",
    )


def _field(instant: int) -> str:
    """An instant as a browser's field of date and time takes it: to the millisecond, which it writes with three digits.

    >>> _field(1_500_000), _field(2_000_000)
    ('1970-01-01T00:00:01.500', '1970-01-01T00:00:02')
    """
    whole, _, fraction = to_text(instant).removesuffix("Z").partition(".")
    return f"{whole}.{fraction[:3]}" if fraction else whole


def query(then: int) -> str:
    """What an address holds that leads to the same instant."""
    return urlencode({"as_of": to_text(then)})


def _address(instant: int, kept: Mapping[str, str]) -> str:
    return f"?{urlencode({**kept, 'as_of': to_text(instant)})}"


def _slider(happened: Sequence[int], here: int, now: int) -> Slider | None:
    if not happened:
        return None
    first, end = -(-happened[0] // MICROSECONDS_PER_SECOND), now // MICROSECONDS_PER_SECOND
    step = max(1, -(-(end - first) // _STEPS))
    last = first + step * max(1, -(-(end - first) // step))
    marks = {first + round((each // MICROSECONDS_PER_SECOND - first) / step) * step for each in happened}
    return Slider(first, last, step, last if here >= now else here // MICROSECONDS_PER_SECOND, sorted(marks))


def moment(instant: int) -> str:
    """An instant to the minute, or to the second where it has one: 1 Mar 2026 12:00 UTC."""
    at = to_datetime(instant)
    return gettext("{instant} UTC").format(instant=date_format(at, "j M Y H:i:s" if at.second else "j M Y H:i"))


def day(instant: int) -> str:
    """The day of an instant: 1 Mar 2026."""
    return date_format(to_datetime(instant), "j M Y")


def rows(memory: Memory, names: Iterable[str]) -> list[Row]:
    """Facts of a memory as a list shows them, those left out that it does not hold."""
    flags = packed(memory.scores.flags, memory.scores.notices).tolist()
    return [_row(memory, name, flags[memory.row[name]]) for name in names if name in memory.row]


def _row(memory: Memory, name: str, flags: int) -> Row:
    scores, place, record = memory.scores, memory.row[name], memory.reading.records[name]
    return Row(
        pk=0,
        name=name,
        text=memory.text(name) or "",
        subject=record.get("subject") or "",
        predicate=record.get("predicate") or "",
        object=record.get("object") or "",
        source=record["source"],
        state=int(scores.state[place]),
        tier=int(scores.tier[place]),
        scope=int(scores.scope[place]),
        at=record["at"],
        at_known=record["at_known"],
        arrived=record["arrived"],
        derived=float(scores.derived_weight[place]),
        evidence=int(scores.evidence[place]),
        contradictions=int(scores.contradictions[place]),
        use_count=int(scores.use_count[place]),
        depth=int(scores.depth[place]),
        accepted=bool(scores.accepted[place]),
        trust=float(scores.trust[place]),
        band=int(scores.band[place]),
        flags=flags,
        scored_at=memory.now,
    )
