"""Trial constants: what somebody tries in place of what is in force, field by field, and what is wrong with one."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.utils.translation import gettext, ngettext, pgettext

from trustmem.core.calibration import Fit
from trustmem.core.constants import REGISTRY, ConstantError, Constants, Meta, differences, flat, trial
from trustmem.core.vocabulary import BANDS
from trustmem.desk.numbers import constant, plain, whole
from trustmem.desk.presenters import constants as shown
from trustmem.desk.presenters import fits
from trustmem.desk.words import word

#: Before the name of a number of the constants in an address.
PREFIX = "c."


class Trial(NamedTuple):
    """What is tried: numbers as they were `given` that are not those in force, by their flat names; the `constants`
    that this comes to, which are those in force where something is wrong; and what is wrong, by the same names.
    `fitted`: the fit that some of them are said to come from (presenters.fits)."""

    given: dict[str, str]
    constants: Constants
    errors: dict[str, str]
    fitted: str = ""

    @property
    def is_changed(self) -> bool:
        return bool(self.given) and not self.errors

    @property
    def sent(self) -> list[tuple[str, str]]:
        """What a form sends of it."""
        return list(self._said().items())

    @property
    def wrong(self) -> list[tuple[str, str]]:
        """What is wrong, by the ids of fields."""
        return [(_id(name), says) for name, says in self.errors.items()]

    def query(self, without: str = "", **more: str) -> str:
        """What stands in an address for this, and `more`; but for one number."""
        return urlencode({**self._said(without), **more})

    def _said(self, without: str = "") -> dict[str, str]:
        kept = {f"{PREFIX}{name}": text for name, text in self.given.items() if name != without}
        return kept | {fits.NAME: self.fitted} if kept and self.fitted else kept


def tried(in_force: Constants, asked: Mapping[str, str]) -> Trial:
    """What an address asks to be tried. Raises BadRequest for a name that is no number of a tunable constant."""
    numbers = flat(in_force)
    given: dict[str, str] = {}
    errors: dict[str, str] = {}
    for name, text in ((name.removeprefix(PREFIX), text.strip()) for name, text in asked.items() if _is_ours(name)):
        meta = REGISTRY.get(name.partition(".")[0])
        if name not in numbers or meta is None or not meta.tunable:
            raise BadRequest(gettext("There is no constant “{name}” to be tried.").format(name=name))
        wrong = _wrong(in_force, name, text, meta)
        if wrong:
            errors[name] = wrong
        if wrong or float(text) not in (numbers[name], float(plain(numbers[name]))):  # as fields say what is in force
            given[name] = text
    constants = in_force
    if not errors:
        try:
            constants = trial(in_force, given)
        except ConstantError:  # each by itself is right
            errors = {
                name: gettext("Each edge must be higher than the one before it.") for name in given if _edge(name)
            }
    return Trial(given, constants, errors, asked.get(fits.NAME, ""))


def _is_ours(name: str) -> bool:
    return name.startswith(PREFIX)


def _edge(name: str) -> bool:
    return name.startswith("band_edges.")


def _wrong(in_force: Constants, name: str, text: str, meta: Meta) -> str:
    """What is wrong with a number by itself, in a sentence; ''."""
    if _edge(name):  # its neighbours may be changed as well
        in_force = Constants()
    try:
        trial(in_force, {name: text})
    except ConstantError:
        is_number = _is_number(text)
        if is_number and meta.low <= float(text) <= meta.high:
            return "" if _edge(name) else gettext("This must be a whole number.")
        low, high = f"{meta.low:.15g}", f"{meta.high:.15g}"
        if is_number:
            return gettext("This must lie from {low} to {high}.").format(low=low, high=high)
        return gettext("This must be a number from {low} to {high}.").format(low=low, high=high)
    return ""


def _is_number(text: str) -> bool:
    try:
        return text.isascii() and "_" not in text and abs(float(text)) < float("inf")
    except ValueError:
        return False


def _id(name: str) -> str:
    return f"c-{name.replace('.', '-')}"


class Field(NamedTuple):
    """A number of a constant: its `name` in an address, which one it is (`of`, '' for the only one), as it was given or
    is in force, and what is wrong with it. `back` leads to the page without it."""

    name: str
    id: str
    of: str
    value: str
    in_force: str
    shown: str
    low: str
    high: str
    error: str
    is_changed: bool
    back: str


class Tunable(NamedTuple):
    """A constant with its fields; none where it is fixed. `is_on_bench`: they stand there."""

    about: shown.Constant
    fields: list[Field]
    is_changed: bool
    is_on_bench: bool


class Group(NamedTuple):
    title: str
    constants: list[Tunable]
    is_changed: bool


def groups(in_force: Constants, trial: Trial) -> list[Group]:
    """All constants by group, with fields for those that can be tried."""
    fields: dict[str, list[Field]] = {}
    for name, number in flat(in_force).items():
        fields.setdefault(name.partition(".")[0], []).append(_field(name, number, trial))
    found = []
    for group in shown.groups(in_force):
        constants = [_tunable(each, fields[each.name]) for each in group.constants]
        found.append(Group(group.title, constants, any(each.is_changed for each in constants)))
    return found


def fields(in_force: Constants, trial: Trial, *names: str) -> list[Field]:
    """The fields of some constants that are a number each."""
    numbers = flat(in_force)
    return [_field(name, numbers[name], trial) for name in names]


def _tunable(about: shown.Constant, fields: list[Field]) -> Tunable:
    is_changed = any(each.is_changed for each in fields)
    return Tunable(about, fields if about.is_tunable else [], is_changed, about.name in Fit._fields)


def _field(name: str, number: float, trial: Trial) -> Field:
    root, _, part = name.partition(".")
    meta = REGISTRY[root]
    in_force = plain(number)
    return Field(
        f"{PREFIX}{name}",
        _id(name),
        _part(root, part),
        trial.given.get(name, in_force),
        in_force,
        constant(number),
        f"{meta.low:.15g}",
        f"{meta.high:.15g}",
        trial.errors.get(name, ""),
        name in trial.given,
        "?" + trial.query(without=name),
    )


def _part(constant: str, part: str) -> str:
    if constant == "band_edges":
        return gettext("{band} from").format(band=word(BANDS[int(part) + 1]))
    if part == "core":
        return pgettext("producer", "core")
    return word(part) if part else ""


def many_changed(trial: Trial) -> str:
    """How much is tried that is not in force; '': nothing."""
    many = len(trial.given)
    return ngettext("{count} number changed", "{count} numbers changed", many).format(count=whole(many)) if many else ""


def with_fit(in_force: Constants, trial: Trial, fit: Fit, signed: str) -> Trial:
    """The same trial, with the squash of a fit, and the fit as it is carried on."""
    given = {f"{PREFIX}{name}": text for name, text in trial.given.items()} | {fits.NAME: signed}
    return tried(in_force, given | {f"{PREFIX}{name}": f"{value:.15g}" for name, value in fit._asdict().items()})


def values(trial: Trial, in_force: Constants) -> dict[str, Any]:
    """What would be adopted, as it stands in a line."""
    return differences(in_force, trial.constants)
