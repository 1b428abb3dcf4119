"""Lift: what named changes would do to a fact's trust and band (sections 1 to 6).

Each change stands for one line that could really be written, and gives what `fold` would give with it.
"""

from typing import NamedTuple

import numpy as np

from trustmem.core.bands import band
from trustmem.core.columns import Bools, Codes, Floats
from trustmem.core.constants import Constants
from trustmem.core.instants import MICROSECONDS_PER_DAY, MICROSECONDS_PER_SECOND
from trustmem.core.scores import Scores
from trustmem.core.trust import trust
from trustmem.core.vocabulary import HUMAN, LIVE

CHANGES = ("one more source", "a person's acceptance", "a confirmation now", "a contradiction dismissed")


class Lift(NamedTuple):
    """What one change would lead to, over facts; `applies` is False where there is nothing to change."""

    change: str
    applies: Bools
    trust: Floats
    band: Codes


def lift(scores: Scores, constants: Constants) -> list[Lift]:
    """What each of CHANGES would do to every live fact, all else as it is, at the instant of the scores.

    one more source: a source not heard before corroborates now (r + 1, and a confirmation now) ·
    a person's acceptance: by a person not heard before (the same, and tier at least human) ·
    a confirmation now: a source already counted says it again (a confirming time at age 0) ·
    a contradiction dismissed: a statement on which alone a source's word against the fact rests (s − 1)

    Sections 1 to 6.

    >>> from trustmem.core.fold import fold
    >>> from trustmem.core.lines import Fact
    >>> from trustmem.core.scores import score
    >>> scores = score(fold([Fact(id="f", at=0, arrived=0)]).stored, now=7 * 86_400_000_000)
    >>> [(each.change, each.trust.round(2).tolist()) for each in lift(scores, Constants())][0]
    ('one more source', [0.59])
    """
    r, s, tier = scores.r, scores.s, scores.tier
    live, human = scores.state == LIVE, np.maximum(tier, HUMAN).astype(np.int8)
    confirmed = _confirmed_now(scores.activation, constants)
    changed = [
        (live, (r + 1, s, tier, confirmed)),
        (live & ~scores.accepted, (r + 1, s, human, confirmed)),
        (live, (r, s, tier, confirmed)),
        (live & scores.dismissible, (r, np.maximum(s - 1, 0), tier, scores.activation)),
    ]
    return [
        Lift(change, applies, after := trust(*columns, scores.depth, constants).trust, band(after, constants))
        for change, (applies, columns) in zip(CHANGES, changed, strict=True)
    ]


def _confirmed_now(activation: Floats, constants: Constants) -> Floats:
    """ln(e^B + floor^(−δ)): a confirming time at age 0, which counts as `age_floor_seconds`; NaN is no term yet."""
    floor = constants.age_floor_seconds * MICROSECONDS_PER_SECOND / MICROSECONDS_PER_DAY
    term = -constants.activation_decay * np.log(floor)
    total: Floats = np.logaddexp(np.where(np.isnan(activation), -np.inf, activation), term)
    return total
