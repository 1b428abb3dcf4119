"""The page of one fact: what it says, what that is worth and why, what would lift it, and all that happened to it."""

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from trustmem.desk import charts, clock
from trustmem.desk.access import DeskRequest, in_space, may, wants_part
from trustmem.desk.forms import CorrectForm, ReasonForm
from trustmem.desk.numbers import whole
from trustmem.desk.presenters import duplicates, past
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.deeds import done_then, done_to, passes_over
from trustmem.desk.presenters.fact import page
from trustmem.desk.presenters.freshness import curve, fall
from trustmem.desk.presenters.graph import leads_around
from trustmem.desk.presenters.history import history
from trustmem.desk.presenters.impact import impact
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.explanations.history import instants
from trustmem.explanations.memory import Memory
from trustmem.explanations.past import as_of
from trustmem.explanations.text import shortened, visible
from trustmem.store import queries
from trustmem.store.models import Entity, Fact, Line, Role, Space
from trustmem.store.states import GUARDED, NOTHING, shows

#: A claim longer than this is not put in the form: what holds instead is written anew.
_LONGEST_TO_CHANGE = 2000
_SHORT = 60


@require_safe
@in_space(Role.READER)
@shows(GUARDED)
def show(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    now, then = clock.now(), past.instant(request.GET)
    if then is not None:
        return _then(request, space, fact, then, now)
    asked = _guarded(request, _asked(space, fact, now))
    found = explanation(asked, fact)
    told = history(asked, found, space.name, all_of_it=request.GET.get("history") == "all")
    if _wants_history(request):
        return render(request, "fact/fact.html#happened", {"history": told})
    shown = page(asked, found, _titles(space, found), space.name) | _acts(space, found, asked)
    stops = [*instants(asked.reading.records, asked.imports, fact), *passes_over(space, fact)]
    passes = done_to(space, fact, asked.folded.history.constants_at, asked.now)
    more: dict[str, Any] = {"id": fact, "history": told, "behind": _behind(space), "passes": passes}
    more["merges"] = duplicates.of_fact(space, fact, sees_all=may(request.role, Role.REVIEWER))
    more |= {"graph_href": leads_around(space.name, fact=fact)}
    return render(request, "fact/fact.html", shown | more | {"as_of": past.as_of(None, now, stops, {})})


def _guarded(request: DeskRequest, asked: Memory) -> Memory:
    """What of a memory is told to whoever asks: by how its facts stand now, whatever they were."""
    sees_all = may(request.role, Role.REVIEWER)
    return replace(asked, untold=queries.untold(request.space, asked.row, sees_all=sees_all))


def _wants_history(request: DeskRequest) -> bool:
    """Whether the part is asked for that has all of the history; the time slider asks for a page."""
    return wants_part(request) and request.htmx.target != "main"


def _then(request: DeskRequest, space: Space, fact: str, then: int, now: int) -> HttpResponse:
    """The page as of an instant: whoever looks can decide nothing there."""
    told = as_of(space, [fact], then)
    asked, stops = _guarded(request, told.memory), [*told.instants, *passes_over(space, fact)]
    came = past.came(space, fact)
    if came is None:
        raise Http404(_missing(space, fact))
    shown = {"id": fact, "as_of": past.as_of(then, now, stops, {}), "may_review": False}
    missing = past.to_come(then, now) or ("" if fact in asked.row else past.not_yet(came, then))
    if missing:
        return render(request, "fact/missing.html", shown | {"missing": missing})
    found = explanation(asked, fact)
    shown["history"] = history(asked, found, space.name, all_of_it=request.GET.get("history") == "all")
    if _wants_history(request):
        return render(request, "fact/fact.html#happened", shown)
    shown |= page(asked, found, _titles(space, found), space.name, today=gettext("then"))
    return render(request, "fact/fact.html", shown | {"passes": done_then(told, fact)})


@require_safe
@in_space(Role.READER)
@shows(NOTHING)
def freshness(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """The figure of freshness over time. 404 where there is nothing to reckon from."""
    now, then = clock.now(), past.instant(request.GET)
    asked = _asked(space, fact, now) if then is None else as_of(space, [fact], then).memory
    if fact not in asked.row:
        raise Http404(_missing(space, fact))
    drawn = curve(asked, fact, fall(asked, fact))
    if drawn is None:
        raise Http404(gettext("No instant is known from which to reckon how fresh this fact is."))
    today = gettext("now") if then is None else gettext("then")
    return HttpResponse(charts.freshness_over_time(drawn, today), content_type="application/json")


def _asked(space: Space, name: str, now: int) -> Memory:
    """What the space holds about a fact, now. Raises Http404 with a sentence where that is nothing."""
    if Fact.objects.filter(space=space, name=name).exists():
        asked = stored.memory(space, name, now)
        if name in asked.row:
            return asked
    raise Http404(_missing(space, name))


def _missing(space: Space, name: str) -> str:
    position = Line.objects.filter(space=space, name=name, tag="fact").values_list("position", flat=True).first()
    if position is None:
        said = gettext("This space holds no fact “{name}”.")
    elif position > space.folded_to:
        said = gettext("The fact “{name}” has come in, and is not reckoned yet: its import is under way.")
    else:
        said = gettext("The fact “{name}” counts as never written: its act was undone.")
    return said.format(name=shortened(name, _SHORT))


def _titles(space: Space, found: Found) -> dict[str, str]:
    """What the entities of a fact are called, by id."""
    named = Entity.objects.filter(space=space, name__in=found["provenance"]["entities"])
    return dict(named.exclude(title="").values_list("name", "title"))


def _acts(space: Space, found: Found, asked: Memory) -> dict[str, Any]:
    """What a person can decide about a fact: each act with its form, where it goes, and its key; and of forgetting what
    that comes to."""
    gone = [("restore", "r", gettext("Restore…"), gettext("Restore it"), ReasonForm(prefix="restore"))]
    possible = {"live": _of_live(found), "pruned": gone, "forgotten": gone}.get(found["scores"]["state"], [])
    names = ("key", "label", "button", "form")
    told = {"forget": impact(asked, found["id"], space.name)}
    acts = [
        {
            "href": reverse(name, args=[space.name, found["id"]]),
            "impact": told.get(name, []),
            **dict(zip(names, given, strict=True)),
        }
        for name, *given in possible
    ]
    return {"acts": acts}


def _of_live(found: Found) -> list[tuple[str, str, str, str, ReasonForm]]:
    """Of a superseded fact it is the newer claim that can be corrected."""
    text = found["text"]
    # What hides in a text would go on hiding in what a person makes of it.
    is_plain = text and len(text) <= _LONGEST_TO_CHANGE and visible(text) == text
    form = CorrectForm(prefix="correct", initial={"text": text} if is_plain else None)
    correct = ("correct", "c", gettext("Correct…"), gettext("Correct it"), form)
    return [
        ("accept", "a", gettext("Accept…"), gettext("Accept it"), ReasonForm(prefix="accept")),
        *([] if "superseded" in found["scores"]["flags"] else [correct]),
        ("forget", "f", gettext("Forget…"), gettext("Forget it"), ReasonForm(prefix="forget")),
    ]


def _behind(space: Space) -> str:
    """What is said where the newest lines are not in the numbers yet; '': all are."""
    count = space.head_position - space.folded_to
    said = ngettext(
        "{count} line of an import that is under way, or was cut short, is not in this yet.",
        "{count} lines of an import that is under way, or was cut short, are not in this yet.",
        count,
    )
    return said.format(count=whole(count)) if count else ""
