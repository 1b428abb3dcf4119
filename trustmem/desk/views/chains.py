"""Chains of claims: all of a space, and one from its head to its tail, as of any instant."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, NamedTuple

from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from trustmem.actions import past as actions
from trustmem.actions import past_chains
from trustmem.actions.past import Past
from trustmem.desk import clock
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.presenters import past
from trustmem.desk.presenters.chains import ChainRow, Reader, View, listed, timeline
from trustmem.desk.presenters.paging import Place
from trustmem.explanations.past import claims
from trustmem.explanations.text import shortened
from trustmem.store import chain_lists, chains, lists, queries
from trustmem.store.chain_lists import Chain, Key
from trustmem.store.chains import Whole
from trustmem.store.lists import Row
from trustmem.store.models import Pass, Role, Space
from trustmem.store.states import GUARDED, shows

SIZE = 20
_SHORT = 60


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space) -> HttpResponse:
    """All chains, what changed last before the rest."""
    view, now = View.of(request.GET.dict()), clock.now()
    passes = Pass.objects.filter(space=space).values_list("instant", flat=True)
    shown = (
        _all_now(request, space, view, now) if view.then is None else _all_then(request, space, view, view.then, now)
    )
    shown |= {"view": view, "as_of": past.as_of(view.then, now, passes, view.kept)}
    is_part = wants_part(request) and request.htmx.target != "main"
    return render(request, "chains/chains.html#found" if is_part else "chains/chains.html", shown)


def _all_now(request: DeskRequest, space: Space, view: View, now: int) -> dict[str, Any]:
    place = Place.of(request.GET)
    page = chain_lists.page(space, view.filter, place.number, SIZE, back=place.back)

    def rows(keys: Collection[int]) -> dict[int, Row]:
        return {row.pk: row for row in lists.rows(sorted(keys))}

    return _page(view, page, listed(space, page.chains, rows, now, sees_all=_sees_all(request)))


def _sees_all(request: DeskRequest) -> bool:
    return may(request.role, Role.REVIEWER)


def _all_then(request: DeskRequest, space: Space, view: View, then: int, now: int) -> dict[str, Any]:
    """As they stood at an instant."""
    if then > now:
        return {"missing": past.to_come(then, now)}
    place = Place.of(request.GET)
    page = past_chains.page(space, view.filter, then, place.number, SIZE, back=place.back)

    def rows(names: Collection[str]) -> dict[str, Row]:
        return {row.name: row for row in past.rows(claims(space, names, then), names)} if names else {}

    found = _found(space, page.chains, sees_all=_sees_all(request)) if view.filter.text else page.chains
    return _page(view, page, listed(space, found, rows, then, sees_all=_sees_all(request)))


def _found(space: Space, found: list[Chain[str]], *, sees_all: bool) -> list[Chain[str]]:
    """The chains in which a claim says some words to whoever looks."""
    untold = queries.untold(space, {name for each in found for name in each.found}, sees_all=sees_all)
    told = [each._replace(found=each.found - untold.keys()) for each in found]
    return [each for each in told if each.found]


def _page(view: View, page: chain_lists.Page[Key], rows: list[ChainRow]) -> dict[str, Any]:
    return {"rows": rows, "next": view.at("after", page.next), "previous": view.at("before", page.previous)}


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def chain(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """The chain of a fact."""
    now, then, came = clock.now(), past.instant(request.GET), past.came(space, fact)
    found = _now(space, fact) if then is None else _then(space, fact, then)
    if came is None or (found is None and then is None):
        raise Http404(gettext("This space holds no fact “{name}”.").format(name=shortened(fact, _SHORT)))
    at, as_of = now if then is None else then, past.as_of(then, now, chains.arrivals(space, fact) or [came], {})
    shown = {"id": fact, "as_of": as_of, "missing": past.to_come(at, now) or ("" if found else past.not_yet(came, at))}
    if found is None or shown["missing"]:
        return render(request, "chains/chain.html", shown)
    kept = {"as_of": as_of.text} if as_of.text else {}
    reader = Reader(space, at, _sees_all(request), found.rows, kept)
    try:
        # Before it came itself, the head of what there was stands for it.
        shown_of = fact if fact in found.chain.members else next(iter(found.chain.members))
        told = timeline(found.chain, shown_of, request.GET.get("from", ""), reader)
    except ValueError:
        raise BadRequest(gettext("This claim is not in this chain.")) from None
    return render(request, "chains/chain.html", {**shown, "chain": told})


class _Found(NamedTuple):
    """A chain, and how its claims are looked up."""

    chain: Whole
    rows: Callable[[Collection[str]], list[Row]]


def _now(space: Space, fact: str) -> _Found | None:
    found = chains.whole(space, fact)
    return found and _Found(found, lambda names: lists.named(space, list(names)))


def _then(space: Space, fact: str, then: int) -> _Found | None:
    """The chain as it was; before a claim of it came, by one that had come."""
    for name in [fact, *_members(space, fact)]:
        folded = actions.about(space, [name], then)
        found = actions.chain(folded, name)
        if found:
            return _Found(found, partial(_rows, space, then, folded))
    return None


def _members(space: Space, fact: str) -> list[str]:
    """The tail of the chain of a fact, which came first of all, as a rule."""
    found = chains.whole(space, fact)
    return list(found.members)[-1:] if found else []


def _rows(space: Space, then: int, folded: Past, names: Collection[str]) -> list[Row]:
    return past.rows(claims(space, names, then, folded), names)
