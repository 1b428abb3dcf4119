"""Verdicts as pages offer and name them: each with its key, what it comes to, and the form that asks for words."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from trustmem.actions.drafts import Words
from trustmem.actions.verdicts import OF_ONE, OFFERED
from trustmem.desk.components import marked
from trustmem.desk.forms import VerdictForm
from trustmem.desk.numbers import whole
from trustmem.desk.presenters.impact import Told, impact
from trustmem.desk.presenters.links import called
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations import cases as said
from trustmem.explanations.memory import Memory
from trustmem.store.cases import CONTRADICTION, RESTORED_VALUE
from trustmem.store.decisions import Decision
from trustmem.store.models import Fact, Space
from trustmem.store.states import KEPT

#: The verdict on a pair that looks at what was said, and not at the claims, has a key apart.
_LAST_KEYS = {"not a contradiction": "0"}
#: Which of the facts each puts away.
_FORGETS: Mapping[str, tuple[int, ...]] = {
    "keep left": (1,),
    "keep right": (0,),
    "neither": (0, 1),
    "forget it": (0,),
}
#: By which of the facts a decision is called, where it is not the first.
_CALLED_BY = {"keep right": 1, "right updates left": 1}
_BEGINNING = 60


class Forgotten(NamedTuple):
    """What forgetting a claim would come to; `which` of them ('': there is one)."""

    which: str
    told: list[Told]


class Offer(NamedTuple):
    """A verdict on its button, with the form behind it. `is_last`: it stands apart from those before it."""

    name: str
    key: str
    label: str
    button: str
    means: str
    forgets: list[Forgotten]
    form: VerdictForm
    is_last: bool


def offers(kind: str, asked: Sequence[tuple[Memory, str]], space: str, given: Mapping[str, str]) -> list[Offer]:
    """What can be decided about a case of a kind, whose facts are these; `given` is what somebody sent already, which
    stands in the form of that verdict."""
    return [_offer(kind, place, name, asked, space, given) for place, name in enumerate(OFFERED[kind], 1)]


def _offer(
    kind: str, place: int, name: str, asked: Sequence[tuple[Memory, str]], space: str, given: Mapping[str, str]
) -> Offer:
    label = said.verdict(name)
    words = {field: given.get(field, "") for field in Words._fields} if given.get("verdict") == name else {}
    return Offer(
        name=name,
        key=_LAST_KEYS.get(name, str(place)),
        label=gettext("{verdict}…").format(verdict=label) if name in OF_ONE else label,
        button=label[:1].upper() + label[1:],
        means=means(name, kind),
        forgets=_forgets(name, asked, space),
        form=VerdictForm(name, initial=words, auto_id=f"verdict-{place}-%s"),
        is_last=name in _LAST_KEYS,
    )


def means(name: str, kind: str) -> str:
    """What a verdict on a case of a kind comes to."""
    if name == "write the right one" and len(OFFERED[kind]) < len(OFFERED[CONTRADICTION]):
        return gettext("A new claim, which you stand behind, takes the place of this one.")
    if name == "let it stand" and kind == RESTORED_VALUE:
        return gettext("It stays forgotten and kept out.")
    return said.means(name)


def _forgets(name: str, asked: Sequence[tuple[Memory, str]], space: str) -> list[Forgotten]:
    sides = (
        ("",) if name == "forget it" else (gettext("Of the claim on the left:"), gettext("Of the claim on the right:"))
    )
    places = [place for place in _FORGETS.get(name, ()) if place < len(asked)]
    found = [Forgotten(sides[place], impact(*asked[place], space)) for place in places]
    return [each for each in found if each.told]


def word(verdict: str) -> SafeString | str:
    """A verdict as it stands on its button, or as somebody wrote it."""
    known = {name for names in OFFERED.values() for name in names}
    return said.verdict(verdict) if verdict in known else called(beginning(verdict, _BEGINNING))


def names(space: Space, decisions: Sequence[Decision]) -> list[SafeString]:
    """What decisions are called: the verdict with the claim that it is for, or how many cases it closed."""
    texts = claims(space, [_called_by(each) for each in decisions if each.many == 1])
    return [_name(each, texts) for each in decisions]


def _called_by(decision: Decision) -> str:
    place = _CALLED_BY.get(decision.verdict, 0)
    return next(iter([*decision.facts[place:], *decision.facts]), "")


def _name(decision: Decision, texts: Mapping[str, SafeString]) -> SafeString:
    if decision.many > 1:
        cases = ngettext("{count} case", "{count} cases", decision.many).format(count=whole(decision.many))
        return format_html(gettext("{verdict}, {of}"), verdict=word(decision.verdict), of=cases)
    claim = texts.get(_called_by(decision), SafeString())
    if not claim:
        return format_html("{}", word(decision.verdict))
    return format_html(gettext("{verdict}, “{of}”"), verdict=word(decision.verdict), of=claim)


def claims(space: Space, names: Sequence[str]) -> dict[str, SafeString]:
    """The beginnings of claims, by the names of their facts, for those who may decide about them."""
    rows = Fact.objects.filter(space=space, name__in=set(names)).values_list("name", "text", "state")
    return {name: _claim(text, state) for name, text, state in rows}


def _claim(text: str, state: int) -> SafeString:
    told = KEPT.told(beginning(text, _BEGINNING), state)
    return format_html('<bdi translate="no">{}</bdi>', marked(told))
