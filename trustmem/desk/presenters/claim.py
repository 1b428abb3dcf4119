"""The head of a fact's page: the claim, what it is worth, what to do about it, and what would lift it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext, gettext_lazy, pgettext

from trustmem.core.constants import Constants
from trustmem.core.vocabulary import BANDS
from trustmem.desk.numbers import two
from trustmem.desk.presenters.texts import about, beginning, show_whole
from trustmem.desk.words import advice_on, word

Found = Mapping[str, Any]

#: How much of a claim stands as the heading; the whole is one click away.
_BEGINNING = 600
#: What is longer is set smaller.
_LONG = 160


class Claim(NamedTuple):
    """What a fact says (None: erased, or not told to whoever looks), what it is about where it does not say so, and the
    whole of it where that is longer ('': it is not)."""

    text: str | None
    about: str
    whole: str
    show_whole: str
    is_long: bool


def claim(text: str | None, subject: str = "") -> Claim:
    """A claim as a heading of bearable length."""
    if text is None:
        return Claim(None, "", "", "", is_long=False)
    named = about(subject, text)
    if len(text) <= _BEGINNING:
        return Claim(text, named, "", "", is_long=len(text) > _LONG)
    return Claim(beginning(text, _BEGINNING), named, text, show_whole(text), is_long=True)


class Advice(NamedTuple):
    """A flag, a notice or a state, and what to do about it; `is_calm`: nothing."""

    word: str
    advice: str
    is_calm: bool


def advice(found: Found) -> list[Advice]:
    """What a fact is, each with what to do about it."""
    told = [(each["about"], each["advice"]) for each in found["what_to_do"]]
    told += [(name, advice_on(name)) for name in found["scores"]["notices"]]
    return [Advice(word(name), said, name == "settled") for name, said in told]


class Serving(NamedTuple):
    """Whether agents are served a fact, and why not."""

    is_served: bool
    says: str


def serving(found: Found, constants: Constants) -> Serving:
    """Agents are served what is live, weighs enough, is not suppressed (section 8) and holds."""
    state, weight = found["scores"]["state"], found["weight"]
    if state != "live":
        return Serving(False, gettext("Not served to agents: it is {state}.").format(state=word(state)))
    if not weight["served"]:
        said = gettext("Not served to agents: its weight is {weight}, and {least} is the least that is served.")
        return Serving(False, said.format(weight=two(weight["weight"]), least=two(constants.min_weight)))
    if found["suppressed"]:
        said = gettext("Not served to agents: by feedback it is of little use ({priority}, and {least} is the least).")
        priority = two(found["scores"]["retrieval_priority"])
        return Serving(False, said.format(priority=priority, least=two(constants.suppress_threshold)))
    if "superseded" in found["scores"]["flags"]:
        return Serving(
            False, gettext("Served to agents only where they ask for what was replaced: a newer claim holds.")
        )
    said = gettext("Agents may be served it: its weight {weight} is at least {least}.")
    may = said.format(weight=two(weight["weight"]), least=two(constants.min_weight))
    disputed = gettext("They see its flag: it is disputed.") if "disputed" in found["scores"]["flags"] else ""
    return Serving(True, " ".join(filter(None, (may, disputed))))


class Lifted(NamedTuple):
    """What a change would lead to; `target`: where on the page a reviewer makes it; `rises`: into a higher band."""

    change: str
    target: str
    trust: str
    band: str
    band_word: str
    rises: bool


_CHANGES = {
    "one more source": gettext_lazy("One more independent source says it"),
    "a person's acceptance": gettext_lazy("You accept it"),
    "a confirmation now": gettext_lazy("Confirmed now by a source that counts already"),
    "a contradiction dismissed": gettext_lazy("A contradiction is dismissed"),
}
#: The field in the form of an act, which opens when one goes there; and what can be ruled on.
_BY_ACTS = {"a person's acceptance": "id_accept-reason", "a contradiction dismissed": "against"}


def lifts(found: Found) -> list[Lifted]:
    """What would lift a fact by as much as people are shown, the highest first."""
    now, shown = BANDS.index(found["scores"]["band"]), two(found["scores"]["trust"])
    higher: Sequence[Found] = [each for each in found["lift"] if two(each["trust"]) > shown]
    ordered = sorted(higher, key=lambda each: -each["trust"])
    return [
        Lifted(
            change=str(_CHANGES[each["change"]]),
            target=_BY_ACTS.get(each["change"], ""),
            trust=two(each["trust"]),
            band=each["band"],
            band_word=word(each["band"]),
            rises=BANDS.index(each["band"]) > now,
        )
        for each in ordered
    ]


def no_lift(state: str) -> str:
    """Why nothing would lift a fact of this state."""
    return {
        "live": pgettext("lift", "Nothing that one line could say would lift it."),
        "pruned": pgettext("lift", "It faded, and counts again once somebody says it again or a person restores it."),
        "forgotten": pgettext("lift", "It is forgotten, and counts again only when a person restores it."),
        "erased": pgettext("lift", "Nothing: its text is gone for good."),
    }[state]
