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
from trustmem.desk.presenters import outcomes
from trustmem.desk.presenters.cards import Known, accepted
from trustmem.desk.presenters.impact import Told, impact
from trustmem.desk.presenters.links import called
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations import cases as said
from trustmem.store.cases import CONTRADICTION, RESTORED_VALUE
from trustmem.store.decisions import Decision
from trustmem.store.duplicates import MERGE
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
    MERGE: (1,),
}
#: Which of the facts each keeps, and which it puts behind another one.
_KEEPS: Mapping[str, tuple[int, ...]] = {
    "keep left": (0,),
    "keep right": (1,),
    "left updates right": (0,),
    "right updates left": (1,),
    "it holds": (0,),
    MERGE: (0,),
}
_SUPERSEDES: Mapping[str, tuple[int, ...]] = {
    "left updates right": (1,),
    "right updates left": (0,),
    "write the right one": (0, 1),
}
_SIDES = ("left", "right")
#: By which of the facts a decision is called, where it is not the first.
_CALLED_BY = {"keep right": 1, "right updates left": 1}
_BEGINNING = 60


class Forgotten(NamedTuple):
    """What forgetting a claim would come to; `which` of them ('': there is one)."""

    which: str
    told: list[Told]


class Offer(NamedTuple):
    """A verdict on its button, with the form behind it. `keeps` and `drops`: on which sides it falls, for the cards.
    `is_last`: it stands apart from those before it."""

    name: str
    key: str
    label: str
    button: str
    means: str
    keeps: str
    drops: str
    forgets: list[Forgotten]
    form: VerdictForm
    is_last: bool


class _Falls(NamedTuple):
    """On which facts a verdict falls, by their places: what it keeps, what it puts away; and that in words ('': what
    the verdict means says it)."""

    keeps: Sequence[int]
    drops: Sequence[int]
    says: str = ""


def offers(kind: str, asked: Sequence[Known], space: str, given: Mapping[str, str]) -> list[Offer]:
    """What can be decided about a case of a kind, whose facts are these; `given` is what somebody sent already, which
    stands in the form of that verdict."""
    return [_offer(kind, place, name, asked, space, given) for place, name in enumerate(OFFERED[kind], 1)]


def _offer(kind: str, place: int, name: str, asked: Sequence[Known], space: str, given: Mapping[str, str]) -> Offer:
    label = said.verdict(name)
    falls = _falls(name, asked)
    words = {field: given.get(field, "") for field in Words._fields} if given.get("verdict") == name else {}
    return Offer(
        name=name,
        key=_LAST_KEYS.get(name, str(place)),
        label=gettext("{verdict}…").format(verdict=label) if name in OF_ONE else label,
        button=label[:1].upper() + label[1:],
        means=" ".join(filter(None, [means(name, kind), falls.says])),
        keeps=" ".join(_SIDES[each] for each in falls.keeps),
        drops=" ".join(_SIDES[each] for each in falls.drops),
        forgets=_forgets(name, asked, falls, space),
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


def _falls(name: str, asked: Sequence[Known]) -> _Falls:
    if name not in outcomes.RULING:
        return _Falls(_KEEPS.get(name, ()), _FORGETS.get(name, ()))
    newer, harmed = _objected(asked)
    if name == "dismiss":
        return _Falls(harmed, (), _stays(harmed, len(asked)))
    return _Falls(newer, harmed, _harms(newer, harmed, asked))


def _objected(asked: Sequence[Known]) -> tuple[list[int], list[int]]:
    """What the objections of a case would have hold in place of another claim, and which claims they harm."""
    newer, harmed, names = set[int](), set[int](), [each.name for each in asked]
    for place, each in enumerate(asked):
        for told in each.found["challenges"]:
            ends = {each.name} | ({told["other"]["id"]} if told["other"] else set())
            if ends == set(names):
                harmed.add(place)
                newer |= {1 - place} if told["kind"] == "edge.updates" else set()
    return sorted(newer - harmed), sorted(harmed)


def _stays(harmed: Sequence[int], count: int) -> str:
    if len(harmed) > 1:
        return gettext("Both claims stay as they are.")
    if count < 2:
        return gettext("The claim stays as it is.")
    sides = (gettext("The claim on the left stays as it is."), gettext("The claim on the right stays as it is."))
    return next((sides[each] for each in harmed), "")


def _harms(newer: Sequence[int], harmed: Sequence[int], asked: Sequence[Known]) -> str:
    if newer:
        left, right = gettext("the claim on the left"), gettext("the claim on the right")
        one, other = (right, left) if newer[0] else (left, right)
        return gettext("It puts {one} in the place of {other}.").format(one=one, other=other)
    if len(harmed) > 1:
        return gettext("It counts against both claims.")
    if any(told["kind"] == "event.forgotten" for each in asked for told in each.found["challenges"]):
        return gettext("The claim is forgotten by that.")
    return gettext("It counts against the claim.") if harmed else ""


def _forgets(name: str, asked: Sequence[Known], falls: _Falls, space: str) -> list[Forgotten]:
    """What it comes to that claims are put away, and that a person had accepted them."""
    sides = [gettext("Of the claim on the left:"), gettext("Of the claim on the right:")]
    sides = [""] if name == "forget it" or len(asked) < 2 else sides
    gone, behind = _FORGETS.get(name, ()), {*falls.drops, *_SUPERSEDES.get(name, ())}
    found = list[Forgotten]()
    for place in sorted(behind):
        if place < min(len(asked), len(sides)):
            each = asked[place]
            told = impact(each.asked, each.name, space) if place in gone else []
            found.append(Forgotten(sides[place], [*(Told(says, []) for says in accepted(each)), *told]))
    return [each for each in found if each.told]


def word(verdict: str) -> SafeString | str:
    """A verdict as it stands on its button, or as somebody wrote it."""
    known = {name for names in OFFERED.values() for name in names}
    return said.verdict(verdict) if verdict in known else called(beginning(verdict, _BEGINNING))


def names(space: Space, decisions: Sequence[Decision]) -> list[SafeString]:
    """What decisions are called: the verdict with the claim that it is for or the objection that it is about, or how
    many cases it closed."""
    texts = claims(space, [_called_by(each) for each in decisions if each.many == 1])
    ruled = [each.act for each in decisions if each.many == 1 and each.verdict in outcomes.RULING]
    said = outcomes.objections(space, ruled) if ruled else {}
    return [_name(each, texts, said.get(each.act)) for each in decisions]


def _called_by(decision: Decision) -> str:
    place = _CALLED_BY.get(decision.verdict, 0)
    return next(iter([*decision.facts[place:], *decision.facts]), "")


def _name(decision: Decision, texts: Mapping[str, SafeString], objection: SafeString | None) -> SafeString:
    if decision.many > 1:
        cases = ngettext("{count} case", "{count} cases", decision.many).format(count=whole(decision.many))
        return format_html(gettext("{verdict}, {of}"), verdict=word(decision.verdict), of=cases)
    if objection:
        return format_html(gettext("{verdict}: {what}"), verdict=word(decision.verdict), what=objection)
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
