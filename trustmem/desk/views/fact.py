"""The page of one fact: what it says, what that is worth and why, what would lift it, and all that happened to it."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from trustmem.desk import charts, clock
from trustmem.desk.access import DeskRequest, in_space, wants_part
from trustmem.desk.forms import CorrectForm, ReasonForm
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.deeds import done_to
from trustmem.desk.presenters.fact import page
from trustmem.desk.presenters.freshness import curve, fall
from trustmem.desk.presenters.history import history
from trustmem.desk.presenters.impact import impact
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.explanations.memory import Memory
from trustmem.explanations.text import shortened, visible
from trustmem.store.models import Entity, Fact, Line, Role, Space

#: A claim longer than this is not put in the form: what holds instead is written anew.
_LONGEST_TO_CHANGE = 2000
_SHORT = 60


@require_safe
@in_space(Role.READER)
def show(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    asked = _asked(space, fact)
    found = explanation(asked, fact)
    told = history(asked, found, space.name, all_of_it=request.GET.get("history") == "all")
    if wants_part(request):
        return render(request, "fact/fact.html#happened", {"history": told})
    shown = page(asked, found, _titles(space, found), space.name) | _acts(space, found, asked)
    passes = done_to(space, fact, asked.folded.history.constants_at, asked.now)
    more = {"id": fact, "history": told, "behind": _behind(space), "passes": passes}
    return render(request, "fact/fact.html", shown | more)


@require_safe
@in_space(Role.READER)
def freshness(request: DeskRequest, space: Space, fact: str) -> HttpResponse:
    """The figure of freshness over time. 404 where there is nothing to reckon from."""
    asked = _asked(space, fact)
    drawn = curve(asked, fact, fall(asked, fact))
    if drawn is None:
        raise Http404(gettext("No instant is known from which to reckon how fresh this fact is."))
    return HttpResponse(charts.freshness_over_time(drawn), content_type="application/json")


def _asked(space: Space, name: str) -> Memory:
    """What the space holds about a fact, now. Raises Http404 with a sentence where that is nothing."""
    if Fact.objects.filter(space=space, name=name).exists():
        asked = stored.memory(space, name, clock.now())
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
