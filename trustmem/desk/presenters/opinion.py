"""Evidence and disagreement as the two axes of a drawing."""

from typing import NamedTuple

from django.utils.translation import gettext

from trustmem.core.constants import Constants
from trustmem.desk.numbers import two
from trustmem.desk.presenters.claim import Found

#: The field of the drawing, which components/axes.html has in its viewBox.
_LEFT, _TOP, _WIDTH, _HEIGHT = 24, 8, 288, 168
_STEPS = 24


class Axes(NamedTuple):
    """Where a fact stands: the dot, from where on little is evidence enough, and the area in which it is disputed."""

    x: str
    y: str
    little: str
    disputed: str
    says: str
    numbers: str


def axes(found: Found, constants: Constants) -> Axes:
    """Across the evidence 1 − u, upwards the share of it that speaks against: d / (1 − u), 0 where there is none."""
    opinion, flags = found["scores"]["opinion"], found["scores"]["flags"]
    evidence = 1 - opinion["u"]
    against = opinion["d"] / evidence if evidence > 0 else 0.0
    says = [_says(evidence, against)]
    if "disputed" in flags and opinion["d"] < constants.dispute_threshold:
        says.append(gettext("It counts as disputed though it lies outside the shaded area: a contradiction stands."))
    numbers = gettext("belief {b} · disbelief {d} · uncertainty {u}")
    return Axes(
        x=_across(evidence),
        y=_up(against),
        little=_across(1 - constants.uncertainty_threshold),
        disputed=_disputed(constants.dispute_threshold),
        says=" ".join(says),
        numbers=numbers.format(b=two(opinion["b"]), d=two(opinion["d"]), u=two(opinion["u"])),
    )


def _says(evidence: float, against: float) -> str:
    if evidence == 0:
        return gettext("Nothing was said for or against it since it was born: evidence 0.00, disagreement 0.00.")
    said = gettext("Evidence {evidence} of 1; the share of it that speaks against is {against}.")
    return said.format(evidence=two(evidence), against=two(against))


def _disputed(threshold: float) -> str:
    """The outline of where d reaches the threshold: a share of the evidence, the less of it the more there is."""
    if threshold <= 0:
        return ""
    shares = [threshold + (1 - threshold) * step / _STEPS for step in range(_STEPS + 1)]
    return "M" + "L".join(f"{_across(each)} {_up(threshold / each)}" for each in shares) + f"L{_across(1)} {_up(1)}Z"


def _across(share: float) -> str:
    return f"{_LEFT + _WIDTH * share:.1f}"


def _up(share: float) -> str:
    return f"{_TOP + _HEIGHT * (1 - share):.1f}"
