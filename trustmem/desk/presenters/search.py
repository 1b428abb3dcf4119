"""What a space knows of a question: the view that an address holds, and hits as people see them, with what of each an
agent is told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast, get_args
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.actions.search import MOST, Found, Hit, Order
from trustmem.core.constants import Constants
from trustmem.core.vocabulary import STATES
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters import claim
from trustmem.desk.presenters.links import to_other
from trustmem.desk.presenters.texts import about, beginning, show_whole
from trustmem.desk.words import word
from trustmem.explanations.advice import advice
from trustmem.formats import scores
from trustmem.store import full_text, lists, queries
from trustmem.store.models import Space
from trustmem.store.states import GUARDED

#: As long as a question of an agent may be.
LONGEST = 2000
#: So many hits an agent is served that does not say how many.
_OF_AGENTS = 10
#: How much of a claim a hit shows, and so many of what stands around it.
_BEGINNING, _AROUND = 400, 3
_KNOWN = ("q", "order", "history", "as", "limit")


@dataclass(frozen=True, slots=True)
class View:
    """What is asked, in which order and how many hits at most; `by_agent`: what an agent is served. All of it stands in
    the address."""

    question: str = ""
    order: Order = "freshness"
    history: bool = False
    by_agent: bool = False
    limit: int = MOST

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "View":
        """The view that an address asks for. Raises ValueError for what it cannot mean: nothing is left out."""
        given = {name: value for name, value in asked.items() if value.strip()}
        unknown = [name for name in given if name not in _KNOWN]
        if unknown:
            raise ValueError(gettext("A search knows nothing of “{name}”.").format(name=unknown[0]))
        seen_by, history = given.get("as", "people"), given.get("history", "off")
        usual = _USUAL.get(seen_by, {})
        order, limit = given.get("order", usual.get("order")), given.get("limit", usual.get("limit"))
        if order not in get_args(Order) or history not in ("on", "off") or limit not in _LIMITS.get(seen_by, ()):
            raise ValueError(gettext("One cannot search so."))
        question = given.get("q", "").strip()
        if len(question) > LONGEST:
            says = gettext("A question has at most {most} characters.")
            raise ValueError(says.format(most=whole(LONGEST)))
        return cls(question, cast(Order, order), history == "on", seen_by == "agent", int(limit or MOST))

    def asked(self, **changes: str | None) -> dict[str, str]:
        """What stands in the address; with changes, of which None takes something out. What is usual for whoever sees
        it is not said."""
        given: dict[str, str | None] = {
            "q": self.question,
            "as": "agent" if self.by_agent else None,
            "order": self.order,
            "history": "on" if self.history else None,
            "limit": str(self.limit),
        }
        given |= changes
        usual = _USUAL[given["as"] or "people"]
        return {name: value for name, value in given.items() if value and value != usual.get(name)}

    def address(self, **changes: str | None) -> str:
        """The query of the address of a view that differs from this one."""
        return "?" + urlencode(self.asked(**changes))

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What stays where something else is asked."""
        return list(self.asked(q=None).items())


#: By who sees the hits, what is usual, and how many there may be.
_USUAL = {
    "people": {"order": "freshness", "limit": str(MOST)},
    "agent": {"order": "trust", "limit": str(_OF_AGENTS)},
}
_LIMITS = {"people": (str(MOST),), "agent": (str(_OF_AGENTS), str(MOST))}


class Option(NamedTuple):
    """One of what can be chosen, and the address with it."""

    title: str
    href: str
    is_set: bool


class Choice(NamedTuple):
    """What can be chosen of a view, in which one is set."""

    title: str
    options: list[Option]


def choices(view: View) -> list[Choice]:
    """What can be chosen; whoever looks as an agent does, or as people do again, begins with what is usual for that."""
    usual: dict[str, None] = {"order": None, "limit": None}
    people = Option(gettext("as people see it"), view.address(**usual, **{"as": None}), not view.by_agent)
    agents = Option(gettext("as an agent sees it"), view.address(**usual, **{"as": "agent"}), view.by_agent)
    fresh = Option(gettext("by freshness"), view.address(order="freshness"), view.order == "freshness")
    useful = Option(gettext("by trust and usefulness"), view.address(order="trust"), view.order == "trust")
    holds = Option(gettext("what holds"), view.address(history=None), not view.history)
    replaced = Option(gettext("with what was replaced"), view.address(history="on"), view.history)
    many = [
        Option(gettext("{most} at most").format(most=each), view.address(limit=each), view.limit == int(each))
        for each in _LIMITS["agent"]
    ]
    found = [
        Choice(gettext("Who sees it"), [people, agents]),
        Choice(gettext("Order beside relevance"), [fresh, useful]),
        Choice(gettext("History"), [holds, replaced]),
    ]
    return [*found, Choice(gettext("How many hits"), many)] if view.by_agent else found


def page(space: Space, view: View, *, sees_all: bool) -> dict[str, Any]:
    """What stands on the page whatever is found; `sees_all`: for somebody who decides about facts."""
    words = urlencode({"text": view.question})
    return {
        "view": view,
        "longest": LONGEST,
        "choices": choices(view),
        "facts_href": reverse("facts", args=[space.name]) + (f"?{words}" if view.question else ""),
        "sees_all": sees_all,
    }


class Around(NamedTuple):
    """What stands around a hit, by what it is to it: links, how many more ('': none), and whether its chain tells
    more."""

    title: str
    links: list[SafeString]
    more: str
    is_chain: bool


class Row(NamedTuple):
    """A hit. `why_here` are the factors of its place, by name; `held` says in short why agents are not served it ('':
    they are), `serving` whether and why, and `told` what they are told to do about which flag."""

    name: str
    about: str
    text: str | None
    state: str
    show_whole: str
    band: str
    trust: str
    chips: list[str]
    source: str
    source_href: str
    born: When | None
    why_here: list[tuple[str, str]]
    around: list[Around]
    held: str
    serving: str
    told: list[tuple[str, str]]


def results(space: Space, view: View, found: Found, *, sees_all: bool) -> dict[str, Any]:
    """The hits, those that are folded apart, and what was held back from agents."""
    teller = _Teller(space, view, found, sees_all=sees_all)
    rows = [(hit.folded, teller.row(hit)) for hit in found.hits]
    folded, held = [row for is_folded, row in rows if is_folded], found.held_back
    count, all_held = len(rows), sum(held.values())
    return {
        "title": ngettext("{count} hit", "{count} hits", count).format(count=whole(count)),
        "is_full": count == view.limit,
        "rows": [row for is_folded, row in rows if not is_folded],
        "folded": folded,
        "folded_title": ngettext(
            "{count} of a source that nobody has reviewed",
            "{count} of sources that nobody has reviewed",
            len(folded),
        ).format(count=whole(len(folded))),
        "held_title": ngettext(
            "Of all that was found, {count} is held back from agents",
            "Of all that was found, {count} are held back from agents",
            all_held,
        ).format(count=whole(all_held)),
        "held": [(str(_HELD[why]), whole(held[why])) for why in _HELD if held.get(why)],
        "says_nothing": not full_text.words(view.question),
    }


#: Why agents are not served what was found.
_HELD = {
    "not live": gettext_lazy("not live"),
    "faint": gettext_lazy("too faint"),
    "suppressed": gettext_lazy("suppressed, as it proved useless"),
    "superseded": gettext_lazy("superseded"),
}


class _Teller:
    """Tells hits, which name others around them: as many queries for many as for one."""

    def __init__(self, space: Space, view: View, found: Found, *, sees_all: bool) -> None:
        self.space, self.view, self.now, self.sees_all = space, view, found.now, sees_all
        self.scores, self.constants = list(scores.rows(found.scores)), queries.constants(space)
        self.facts_href = reverse("facts", args=[space.name])
        named = {name for hit in found.hits for names in _around(hit).values() for name in names[:_AROUND]}
        self.others = {row.name: to_other(space.name, row) for row in lists.named(space, sorted(named))}

    def row(self, hit: Hit) -> Row:
        fact, score = hit.fact, self.scores[hit.row]
        text = GUARDED.told(fact.text, fact.state, sees_all=self.sees_all) or None
        shown = None if text is None else beginning(text, _BEGINNING)
        return Row(
            name=fact.name,
            about="" if text is None else about(fact.subject, text),
            text=shown,
            state=STATES[fact.state],
            show_whole="" if text is None or shown == text else show_whole(text),
            band=score["band"],
            trust=two(score["trust"]),
            chips=_chips(score),
            source=fact.source,
            source_href=f"{self.facts_href}?{urlencode({'source': fact.source})}",
            born=when(fact.at, self.now) if fact.at_known else None,
            why_here=self._why_here(hit, score),
            around=[self._around(what, names) for what, names in _around(hit).items() if names],
            held=str(_HELD[hit.held]) if hit.held else "",
            serving=_serving(hit, score, self.constants),
            told=[] if hit.held else [(word(name), says) for name, says in advice(score["state"], score["flags"])],
        )

    def _why_here(self, hit: Hit, score: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The factors by which hits are ordered."""
        relevance = (str(_RELEVANT[hit.found_by]), two(hit.relevance))
        if self.view.order == "freshness":
            return [relevance, (gettext("freshness"), two(score["freshness"]))]
        priority = score["retrieval_priority"]
        useful = (
            (gettext("usefulness not reported"), "") if priority is None else (gettext("usefulness"), two(priority))
        )
        return [relevance, (gettext("trust"), two(score["trust"])), useful]

    def _around(self, what: str, names: Sequence[str]) -> Around:
        links = [self.others[name] for name in names[:_AROUND] if name in self.others]
        more = len(names) - _AROUND
        said = ngettext("and {count} more", "and {count} more", more).format(count=whole(more)) if more > 0 else ""
        return Around(str(_TITLES[what]), links, said, is_chain=what in ("replaces", "superseded_by"))


#: By how a hit was found, what its relevance is called.
_RELEVANT = {
    ("words",): gettext_lazy("relevance by words"),
    ("meaning",): gettext_lazy("relevance by meaning"),
    ("words", "meaning"): gettext_lazy("relevance by words and meaning"),
}
_TITLES = {
    "replaces": gettext_lazy("replaces:"),
    "superseded_by": gettext_lazy("superseded by:"),
    "disputes": gettext_lazy("in dispute with:"),
    "candidates": gettext_lazy("perhaps in conflict with:"),
}


def _around(hit: Hit) -> dict[str, tuple[str, ...]]:
    """What stands around a hit, by name."""
    return {what: getattr(hit, what) for what in _TITLES}


def _chips(score: Mapping[str, Any]) -> list[str]:
    """Its state, if it is not live, its flags and notices."""
    state: Iterable[str] = [] if score["state"] == "live" else [score["state"]]
    return [*state, *score["flags"], *score["notices"]]


def _serving(hit: Hit, score: Mapping[str, Any], constants: Constants) -> str:
    """Whether an agent is served it, and why not."""
    if hit.held == "superseded":
        return gettext("Not served to agents, unless they ask for history: they are served what holds in its place.")
    weight = {"weight": score["weight"], "served": hit.held != "faint"}
    return claim.serving({"scores": score, "weight": weight, "suppressed": hit.held == "suppressed"}, constants).says
