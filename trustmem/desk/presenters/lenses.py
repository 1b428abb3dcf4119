"""The other two lenses on a fact: its weight, and whether it keeps proving useful."""

from typing import NamedTuple

from django.utils.translation import gettext, gettext_lazy, ngettext

from trustmem.core.constants import Constants
from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.claim import Found
from trustmem.desk.words import word
from trustmem.formats import rfc3339


class Weight(NamedTuple):
    """The lens of weight. `waits` is what promotion waits for; None: there is none to wait for."""

    derived: str
    weight: str
    clock: str
    last_pass: When | None
    anchor: str
    anchored: str
    anchored_at: When | None
    half_life: str
    scope: str
    waits: list[str] | None


def weight(found: Found, now: int) -> Weight:
    """A pass that was undone changed nothing, but keeps its place on the clock; so what is told is the clock."""
    given = found["weight"]
    anchored, last = given["anchored_at"], given["as_of"]
    return Weight(
        derived=two(given["derived"]),
        weight=two(given["weight"]),
        clock=_days(given["clock"]),
        last_pass=when(rfc3339.parse(last), now) if last else None,
        anchor=two(min(max(given["anchor"], 0), 1)),
        anchored=_days(anchored["clock"]),
        anchored_at=when(rfc3339.parse(anchored["instant"]), now) if anchored["instant"] else None,
        half_life=_half_life(given["half_life_days"]),
        scope=word(given["scope"]),
        waits=given["promotion_waits_until"],
    )


def _days(clock: float) -> str:
    return gettext("day {clock} of the running clock").format(clock=two(clock))


def _half_life(days: float | None) -> str:
    if days is None:
        return gettext("none: it does not fade")
    return gettext("{days} running days").format(days=two(days))


class Output(NamedTuple):
    """One of the results of the newest evaluation, and what it means."""

    title: str
    value: str
    meaning: str


class Usefulness(NamedTuple):
    """The lens of reinforcement."""

    priority: str
    evaluations: str
    suppressed: str
    outputs: list[Output]


_OUTPUTS = {
    "reinforcement": (gettext_lazy("Reinforcement"), gettext_lazy("how well it served, over all channels")),
    "decay_adjustment": (gettext_lazy("Decay"), gettext_lazy("how fast it fades: the lower, the slower")),
    "retrieval_priority": (gettext_lazy("Retrieval"), gettext_lazy("how far ahead this evaluation alone would put it")),
    "policy_delta": (gettext_lazy("Policy"), gettext_lazy("how much more, or less, to lean on it when acting")),
    "identity_impact": (gettext_lazy("Identity"), gettext_lazy("how much it shapes who the agent takes itself for")),
    "tool_dependence_delta": (gettext_lazy("Tools"), gettext_lazy("how much more, or less, it leans on tools")),
}


def usefulness(found: Found, constants: Constants) -> Usefulness | None:
    """What feedback came to; None where there was none."""
    scores = found["scores"]
    if scores["reinforcement"] is None:
        return None
    count = scores["reinforcement_count"]
    return Usefulness(
        priority=two(scores["retrieval_priority"]),
        evaluations=ngettext("{count} evaluation", "{count} evaluations", count).format(count=whole(count)),
        suppressed=_suppressed(found["suppressed"], two(constants.suppress_threshold)),
        outputs=[
            Output(str(title), two(scores["reinforcement"][name]), str(meaning))
            for name, (title, meaning) in _OUTPUTS.items()
        ],
    )


def _suppressed(is_so: bool, least: str) -> str:
    if is_so:
        return gettext("suppressed: below {least} agents are not served it").format(least=least)
    return gettext("not suppressed: it is at least {least}").format(least=least)
