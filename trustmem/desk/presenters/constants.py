"""Constants as settings show them: group by group, what each is, where it comes from, and what it was before."""

from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from typing import Any, NamedTuple

from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from trustmem.actions import constants as adopting
from trustmem.core.constants import REGISTRY, Constants, Meta
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import constant
from trustmem.desk.words import word
from trustmem.store.models import ConstantsVersion, Line, Space

_GROUPS = {
    "confidence": pgettext_lazy("constants", "Confidence"),
    "freshness": pgettext_lazy("constants", "Freshness"),
    "supersession": pgettext_lazy("constants", "Supersession"),
    "provenance": pgettext_lazy("constants", "Provenance"),
    "bands": pgettext_lazy("constants", "Bands"),
    "weight": pgettext_lazy("constants", "Weight"),
    "feedback": pgettext_lazy("constants", "Feedback"),
    "edges": pgettext_lazy("constants", "Edges"),
}
#: The words with which origins begin; the rest of one says more.
_ORIGINS = (
    (pgettext_lazy("origin", "paper"), _("a published study, which it names")),
    (pgettext_lazy("origin", "ADR-…"), _("a design decision of the model, by its number")),
    (
        pgettext_lazy("origin", "two ages"),
        _("worked out so that two ages have these freshnesses; a fit takes its place"),
    ),
    (pgettext_lazy("origin", "Cognitive Substrate"), _("an earlier system, by what it used")),
    (pgettext_lazy("origin", "ours"), _("follows from how the model is built here")),
    (pgettext_lazy("origin", "taste"), _("chosen by judgement: nothing was measured")),
    (pgettext_lazy("origin", "fit"), _("worked out from the facts of this space, and adopted by an admin")),
)
_CORE = pgettext_lazy("producer", "core")


class Part(NamedTuple):
    """A number of a constant; `of` says which it is where there are several, `exact` what it is in full."""

    of: str
    value: str
    exact: str


class Constant(NamedTuple):
    """A constant: its value in force, and its default where that is another."""

    name: str
    meaning: str
    origin: str
    value: list[Part]
    default: list[Part]
    low: Part
    high: Part
    is_tunable: bool


class Group(NamedTuple):
    title: str
    constants: list[Constant]


class Origin(NamedTuple):
    """A word by which constants say where they come from, and what it means."""

    word: str
    meaning: str


class Version(NamedTuple):
    """A version of the constants; `since` is None from the beginning on."""

    number: str
    since: When | None
    by: str
    reason: str


def groups(in_force: Constants) -> list[Group]:
    """All constants, in the order of the registry."""
    defaults = Constants()
    found: dict[str, list[Constant]] = {group: [] for group in _GROUPS}
    for name, meta in REGISTRY.items():
        found[meta.group].append(_constant(name, meta, getattr(in_force, name), getattr(defaults, name)))
    return [Group(str(_GROUPS[group]), constants) for group, constants in found.items()]


def origins() -> list[Origin]:
    return [Origin(str(word), str(meaning)) for word, meaning in _ORIGINS]


def _constant(name: str, meta: Meta, value: Any, default: Any) -> Constant:
    return Constant(
        name,
        gettext(meta.meaning),
        gettext(meta.origin),
        list(_parts(value)),
        list(_parts(default)) if default != value else [],
        _part("", meta.low),
        _part("", meta.high),
        meta.tunable,
    )


def _parts(value: Any) -> Iterator[Part]:
    if is_dataclass(value) and not isinstance(value, type):
        for name, number in asdict(value).items():
            yield _part(str(_CORE) if name == "core" else word(name), number)
    else:
        for number in value if isinstance(value, tuple) else (value,):
            yield _part("", number)


def _part(of: str, number: float) -> Part:
    return Part(of, constant(number), f"{number:.15g}")


def version(version: ConstantsVersion, now: int) -> Version:
    # What a space begins with is in force from before all that may ever be told.
    since = when(version.since, now) if version.since > 0 else None
    return Version(str(version.number), since, version.author, version.reason)


class Back(NamedTuple):
    """How a version is taken back: by its act, or with the import that brought it; both '': a space began with it."""

    act: str
    imported: str


def back(space: Space, version: ConstantsVersion | adopting.Version) -> Back:
    """How the version in force is taken back."""
    if version.number == 1:
        return Back("", "")
    act, imported = Line.objects.values_list("act", "imported").get(space=space, name=version.name)
    return Back("", imported) if imported else Back(act, "")
