"""Sources as pages show them: how many of their facts people found right. That does not enter trust."""

from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from trustmem.core.reliability import Posterior, beta_interval
from trustmem.core.vocabulary import BANDS, STATES
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import capped, two, whole
from trustmem.desk.presenters import paging, review
from trustmem.desk.presenters.paging import Place
from trustmem.desk.presenters.queue import Asked
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations import cases
from trustmem.store import queue, sources
from trustmem.store.models import Fact, Outcome, Space
from trustmem.store.queue import Filter
from trustmem.store.sources import Source
from trustmem.store.states import GUARDED

#: So many sources stand on a page, so many outcomes on that of a source, and so many of its open cases.
SIZE, _OUTCOMES, _CASES = 20, 20, 5
_LONGEST_NAME, _BEGINNING = 60, 160


class Listed(NamedTuple):
    """A source: its name, and the beginning of that; its page; how many live facts it has, and in which bands; how many
    of its facts were found right, and wrong; what that says of its reliability ('': nothing was found)."""

    name: str
    title: str
    href: str
    facts: str
    bands: list[tuple[str, str]]
    right: str
    wrong: str
    mean: str
    interval: str


def listed(space: Space, source: Source) -> Listed:
    mean, interval = "", ""
    if source.right + source.wrong:
        share = reliability(source)
        mean, interval = two(share.mean), f"{two(share.low)} – {two(share.high)}"
    return Listed(
        source.name,
        beginning(source.name, _LONGEST_NAME),
        reverse("source", args=[space.name, source.name]),
        whole(sum(source.bands)),
        [(name, whole(many)) for name, many in zip(BANDS, source.bands, strict=True) if many],
        whole(source.right),
        whole(source.wrong),
        mean,
        interval,
    )


def reliability(source: Source) -> Posterior:
    """What the share of its facts that is right is to be taken for."""
    return beta_interval(source.right, source.wrong)


class Found(NamedTuple):
    """That a fact of a source was found right or wrong: by which decision, by whom and when, and the trust and band
    that it had when they were asked. `text` None: it is erased, or forgotten and not told to who looks; `case` is the
    address of the case ('': there was none)."""

    is_right: bool
    how: str
    by: str
    at: When
    href: str
    text: str | None
    state: str
    band: str
    trust: str
    case: str
    is_sampled: bool


class Founds(NamedTuple):
    """A page of outcomes, newest first, and the addresses of the pages beside it ('': there is none)."""

    rows: list[Found]
    next: str
    previous: str


def founds(space: Space, name: str, place: Place, now: int, *, sees_all: bool) -> Founds:
    """What people found of a source; as many queries for many as for one."""
    found = paging.page(Outcome.objects.filter(space=space, source=name), "-pk", place, _OUTCOMES)
    columns = ("name", "text", "state")
    facts = Fact.objects.filter(space=space, name__in={each.fact for each in found.rows}).values_list(*columns)
    told = {fact: (GUARDED.told(text, state, sees_all=sees_all), state) for fact, text, state in facts}
    rows = [_found(space, each, *told.get(each.fact, (None, STATES.index("erased"))), now) for each in found.rows]
    return Founds(rows, *(f"?{each}#outcomes" if each else "" for each in (found.next, found.previous)))


def _found(space: Space, each: Outcome, text: str | None, state: int, now: int) -> Found:
    return Found(
        each.right,
        _how(each.how),
        each.by,
        when(each.at, now),
        reverse("fact", args=[space.name, each.fact]),
        None if text is None else beginning(text, _BEGINNING),
        "" if STATES[state] == "live" else STATES[state],
        BANDS[each.band],
        two(each.trust),
        reverse("case", args=[space.name, each.case]) if each.case else "",
        each.sampled,
    )


def _how(decision: str) -> str:
    """A decision in words: a verdict, or what was done on the page of the fact."""
    without_a_case = {"accept": gettext("accepted"), "correct": gettext("corrected")}
    return without_a_case.get(decision) or cases.verdict(decision)


class OpenCases(NamedTuple):
    """The open cases that a source brought: how many, the first of them, and where all of them are."""

    many: str
    rows: list[review.Row]
    href: str


def open_cases(space: Space, name: str, by: str, now: int, *, sees_all: bool) -> OpenCases:
    filter = Filter(source=name, now=now)
    asked = Asked(Filter(source=name))
    rows = queue.page(space, filter, size=_CASES).rows
    href = reverse("review", args=[space.name]) + asked.query()
    return OpenCases(
        capped(*queue.count(space, filter)), review.listed(space, rows, asked, by, now, sees_all=sees_all), href
    )


class Sources(NamedTuple):
    """A page of sources, and the addresses of the pages beside it, of its figure ('': nothing was found of any of
    these) and of its table for machines."""

    rows: list[Listed]
    next: str
    previous: str
    src: str
    csv: str


def page(space: Space, by: sources.By, after: sources.Place | None) -> Sources:
    """Sources by name, or the least reliable first."""
    found = sources.page(space, by, after, SIZE)
    rows = [listed(space, each) for each in found.rows]
    query = _query(by, after)
    return Sources(
        rows,
        f"?{_query(by, found.next)}" if found.next else "",
        f"?{_query(by, found.previous)}" if found.previous else "",
        f"{reverse('sources-figure', args=[space.name])}?{query}" if any(each.mean for each in rows) else "",
        f"{reverse('sources-csv', args=[space.name])}?{query}",
    )


def _query(by: sources.By, after: sources.Place | None) -> str:
    said = {"sort": by, "after": "" if after is None else str(after)}
    return urlencode({name: value for name, value in said.items() if value and (name, value) != ("sort", "name")})


HEAD = ("source", "facts", *(each.replace(" ", "_") for each in BANDS), "right", "wrong", "mean", "low", "high")


def exact(source: Source) -> tuple[object, ...]:
    """A source as a row for machines, in the order of HEAD."""
    share: tuple[object, ...] = reliability(source) if source.right + source.wrong else (None, None, None)
    return source.name, sum(source.bands), *source.bands, source.right, source.wrong, *share
