"""What speaks against a fact: who contradicts it, what waits for a ruling, and what holds in its place."""

from collections.abc import Sequence
from typing import NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.desk.forms import ReasonForm
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.claim import Found
from trustmem.desk.presenters.links import linked
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations.effects import CHALLENGE, UPHELD
from trustmem.explanations.memory import Memory
from trustmem.formats import rfc3339

#: So many statements are shown at once, and so many at all: once one is ruled on, the next has its place.
_AT_ONCE, _MOST = 3, 12
_LONGEST_NOTE = 240


class Ruling(NamedTuple):
    """What a person can make of a statement: an act with its form, and what that sends beside the reason."""

    label: str
    button: str
    form: ReasonForm
    hidden: Sequence[tuple[str, str]]


class Stated(NamedTuple):
    """A statement against a fact. `other` is the claim that it sets against this one ('': none), `stands` what it does
    as things are."""

    what: str
    other: SafeString | str
    by: str
    run: str
    at: When
    note: str
    stands: str
    is_challenge: bool
    rulings: list[Ruling]


class Against(NamedTuple):
    """All that speaks against a fact: the first statements, those behind one click, how many more there are, what came
    as a mere count, and what each act does to it ('' and []: none)."""

    first: list[Stated]
    then: list[Stated]
    show: str
    more: str
    before: str
    acts: list[str]

    def __bool__(self) -> bool:
        return bool(self.first or self.before)


def against(asked: Memory, found: Found, space: str) -> Against:
    """What waits for a ruling first, then what holds in place of the fact, then what contradicts it; newest first."""
    if found["scores"]["state"] == "erased":
        return Against([], [], "", "", "", [])
    told = [*reversed(found["challenges"]), *reversed(_newer(found)), *reversed(found["contradictions"])]
    said = [_stated(asked, each, space, place) for place, each in enumerate(told[:_MOST])]
    then, more = said[_AT_ONCE:], len(told) - len(said)
    show = ngettext("Show {count} more", "Show {count} more", len(then)).format(count=whole(len(then)))
    left = ngettext("and {count} more, in its history", "and {count} more, in its history", more)
    before = _before(int(asked.folded.history.facts.baseline_contradictions[asked.row[found["id"]]]))
    return Against(
        first=said[:_AT_ONCE],
        then=then,
        show=show if then else "",
        more=left.format(count=whole(more)) if more else "",
        before=before,
        acts=_acts(found["scores"], said, contradicts=any(each["other"] for each in found["contradictions"])),
    )


def _newer(found: Found) -> list[Found]:
    """The statements in force by which newer claims stand right above the fact."""
    above = {link["id"] for link in found["chain"] if link["step"] == 1}
    return [each for each in found["history"] if _updates(each) and each["other"]["id"] in above]


def _updates(told: Found) -> bool:
    is_update = told["kind"] == "edge.updates" and told["direction"] == "to" and not told["removed"]
    return is_update and told["became"] in (None, UPHELD)


def _stated(asked: Memory, told: Found, space: str, place: int) -> Stated:
    other, is_challenge = told["other"], told["became"] == CHALLENGE
    return Stated(
        what=str((_WAITING if is_challenge else _STANDING)[told["kind"]]),
        other=linked(space, other["id"], other["text"], other["state"]) if other else "",
        by=told["by"],
        run=told["run"],
        at=when(rfc3339.parse(told["at"]), asked.now),
        note=beginning(told["note"] or "", _LONGEST_NOTE),
        stands=_stands(told),
        is_challenge=is_challenge,
        rulings=[_ruling(each, told["id"], place) for each in (("upheld",) if is_challenge else ()) + ("dismissed",)],
    )


def _ruling(name: str, of: str, place: int) -> Ruling:
    """`place` tells the fields of this form from those of others on the page."""
    label, button = {
        "upheld": (gettext("Uphold…"), gettext("Uphold it")),
        "dismissed": (gettext("Dismiss…"), gettext("Dismiss it")),
    }[name]
    form = ReasonForm(prefix="rule", auto_id=f"{name}-{place}-%s")
    return Ruling(label, button, form, (("of", of), ("ruling", name)))


_STANDING = {
    "edge.updates": gettext_lazy("A newer claim holds"),
    "edge.contradicts": gettext_lazy("Another claim contradicts it"),
    "event.contradicted": gettext_lazy("It was said to be wrong"),
    "feedback.corrected": gettext_lazy("It was corrected by feedback"),
}
_WAITING = _STANDING | {
    "edge.updates": gettext_lazy("Another claim is to take its place"),
    "edge.contradicts": gettext_lazy("Another claim is said to contradict it"),
    "event.forgotten": gettext_lazy("It is to be forgotten"),
}


def _stands(told: Found) -> str:
    """What a statement does as things are."""
    if told["became"] == CHALLENGE:
        return gettext("Waits for a ruling: without effect until a person upholds it.")
    if told["kind"] == "edge.updates":
        said = gettext("In force: the newer claim stands above this one.")
    elif told["other"]:
        said = gettext("In force: it counts against both claims.")
    else:
        said = gettext("In force: it counts against this claim.")
    return said + " " + gettext("A person upheld it.") if told["became"] == UPHELD else said


def _before(count: int) -> str:
    said = ngettext(
        "{count} contradiction came as a mere count, which names nobody.",
        "{count} contradictions came as a mere count, which names nobody.",
        count,
    )
    return said.format(count=whole(count)) if count else ""


def _acts(scores: Found, said: Sequence[Stated], *, contradicts: bool) -> list[str]:
    """What each act does to what speaks against a fact, a sentence each."""
    accept = gettext("Accept says that a person stands behind it; what speaks against it stays until dismissed.")
    dismiss = gettext("Dismiss makes a statement count as if it had never been said.")
    uphold = gettext("Uphold puts in force a statement that waits.")
    return [
        *([accept, _correct(scores), _forget(contradicts)] if scores["state"] == "live" else []),
        *([dismiss] if said else []),
        *([uphold] if any(each.is_challenge for each in said) else []),
    ]


def _correct(scores: Found) -> str:
    if "superseded" in scores["flags"]:
        return gettext("Correct the newer claim if that is wrong: this one has had its correction.")
    return gettext("Correct puts a new claim in its place; what speaks against this one stays with this one.")


def _forget(contradicts: bool) -> str:
    if contradicts:
        return gettext("Forget takes it out of use; what it contradicts keeps that against it until dismissed.")
    return gettext("Forget takes it out of use: agents are served it no more.")
