"""The offer of constants that fit a space: what they are, and what they would make of it."""

from typing import NamedTuple

from django.utils.translation import gettext

from trustmem.actions.calibration import Preview
from trustmem.core.calibration import Fit
from trustmem.core.vocabulary import BANDS
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters import fits
from trustmem.store.models import Space

#: The constants that a fit proposes.
FITTED = Fit._fields


class Compared(NamedTuple):
    """Something as it is, and as it would be."""

    name: str
    before: str
    after: str


class Offer(NamedTuple):
    """A sentence; and where there is something to adopt, its `values` in full, with the constants and the bands."""

    says: str
    values: dict[str, str]
    constants: list[Compared]
    bands: list[Compared]


def too_large() -> Offer:
    return _only(gettext("This space is so large that no fit is worked out here; “trustmem calibrate” does it."))


def offer(space: Space, preview: Preview | None, now: int) -> Offer:
    """What to say of a fit; nothing is offered where the constants in force fit well enough, or none would."""
    if preview is None:
        return _only(
            gettext("Too few live facts have a known age to tell whether the constants of freshness fit them.")
        )
    if not preview.is_off:
        said = gettext("The constants of freshness in force fit these facts: half of them are above {freshness}.")
        return _only(said.format(freshness=two(preview.freshness)))
    if preview.is_of_one_age:
        why = gettext(
            "A fit would not help: these facts are nearly all of one age, so it would tell none from another."
        )
        return _only(f"{_is_off(preview)} {why}")
    values = {name: repr(value) for name, value in preview.fit._asdict().items()}
    signed = fits.signed(space, "quartiles", preview.fit, now, {})
    constants = [
        Compared(name, two(before), two(after))
        for name, before, after in zip(values, preview.in_force, preview.fit, strict=True)
    ]
    bands = [
        Compared(name, whole(before), whole(after))
        for name, before, after in zip(BANDS, preview.before, preview.after, strict=True)
    ]
    return Offer(_is_off(preview), values | {fits.NAME: signed}, constants, bands[::-1])


def _only(says: str) -> Offer:
    return Offer(says, {}, [], [])


def _is_off(preview: Preview) -> str:
    if preview.freshness < 1 / 2:
        told = gettext(
            "Half of these facts have a freshness below {freshness}: they are older than the constants in force expect."
        )
    else:
        told = gettext(
            "Half of these facts have a freshness above {freshness}: "
            "they are younger than the constants in force expect."
        )
    return told.format(freshness=two(preview.freshness))
