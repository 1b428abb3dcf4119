"""The reinforcement history of a fact, newest first."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy

from trustmem.desk.instants import When, when
from trustmem.desk.numbers import two, whole
from trustmem.desk.presenters.texts import beginning
from trustmem.explanations.evaluations import Evaluation, evaluations
from trustmem.explanations.memory import Memory

#: So many of the newest are shown.
_SHOWN = 12
_LONGEST_NOTE = 400
OUTCOMES: Mapping[str, Promise] = {
    "helpful": pgettext_lazy("outcome", "helpful"),
    "unhelpful": pgettext_lazy("outcome", "unhelpful"),
    "corrected": pgettext_lazy("outcome", "corrected"),
    "ignored": pgettext_lazy("outcome", "ignored"),
}
_CHANNELS: Mapping[str, Promise] = {
    "importance": pgettext_lazy("channel", "importance"),
    "usage_frequency": pgettext_lazy("channel", "frequency of use"),
    "goal_relevance": pgettext_lazy("channel", "relevance to the goal"),
    "novelty": pgettext_lazy("channel", "novelty"),
    "prediction_accuracy": pgettext_lazy("channel", "accuracy of prediction"),
    "emotional_weight": pgettext_lazy("channel", "emotional weight"),
    "contradiction_risk": pgettext_lazy("channel", "risk of contradiction"),
    "policy_alignment": pgettext_lazy("channel", "alignment with policy"),
    "tool_usefulness": pgettext_lazy("channel", "usefulness of tools"),
}


class Shown(NamedTuple):
    """A feedback with what it gave; what stood before it is '' where it was the first."""

    outcome: str
    is_confirmed: bool
    is_implicit: bool
    by: str
    run: str
    at: When
    note: str
    strength: str
    priority_before: str
    priority: str
    decay_before: str
    decay: str
    given: list[tuple[str, str]]
    filled: list[tuple[str, str]]


class History(NamedTuple):
    """The newest feedback, and how much there was before that ('': these are all)."""

    rows: list[Shown]
    earlier: str


def history(asked: Memory, id: str) -> History:
    found = evaluations(asked, id)
    rows = [_shown(each, asked.now) for each in reversed(found[-_SHOWN:])]
    earlier = len(found) - len(rows)
    return History(rows, gettext("{count} more before these").format(count=whole(earlier)) if earlier else "")


def _shown(each: Evaluation, now: int) -> Shown:
    return Shown(
        str(OUTCOMES[each.outcome]),
        each.confirmed,
        each.implicit,
        each.by,
        each.run,
        when(each.at, now),
        beginning(each.note, _LONGEST_NOTE),
        two(each.strength),
        "" if each.priority_before is None else two(each.priority_before),
        two(each.priority),
        "" if each.decay_before is None else two(each.decay_before),
        two(each.decay),
        _named(each.given),
        _named(each.filled),
    )


def _named(channels: Mapping[str, float]) -> list[tuple[str, str]]:
    return [(str(_CHANNELS[name]), two(value)) for name, value in channels.items()]
