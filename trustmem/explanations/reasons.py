"""Why each factor is what it is: one plain sentence with its arithmetic, at most two decimals."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from trustmem.core.columns import Ints
from trustmem.core.constants import Constants
from trustmem.explanations.chain import Link
from trustmem.explanations.memory import Memory
from trustmem.explanations.text import shortened
from trustmem.explanations.times import ago
from trustmem.explanations.words import counted, say

Row = dict[str, Any]

_SHORT = 40
_MOST_NAMED = 3


class Reason(NamedTuple):
    """Why a factor is what it is: a whole sentence, and of that the words alone and the arithmetic alone ('': none)."""

    sentence: str
    words: str
    arithmetic: str


def reasons(asked: Memory, row: Row, links: Sequence[Link]) -> dict[str, Reason]:
    """Why each of the four factors of a fact is what it is, by the factor's name."""
    constants = asked.folded.stored.constants
    return {
        "confidence": _confidence(row, constants),
        "freshness": _freshness(row, asked, constants),
        "supersession": _supersession(row, asked, links, constants),
        "provenance": _provenance(row, asked),
    }


def number(value: float) -> str:
    """A number for people: at most two decimals, none where it is whole, and a minus as wide as a plus."""
    text = f"{value:.0f}" if value == round(value) else f"{value:.2f}"
    return text.replace("-", "−")


def _reckoned(words: str, arithmetic: str) -> Reason:
    return Reason(say("{words}: {arithmetic}", words=words, arithmetic=arithmetic), words, arithmetic)


def _confidence(row: Row, constants: Constants) -> Reason:
    r, s = row["r"], row["s"]
    prior, weight = number(row["opinion"]["a"]), number(constants.prior_weight)
    words = say(
        "{supporting}{evidence}, {opposing} against",
        supporting=_supporting(r, constants),
        evidence=_evidence(row["evidence"]) if row["evidence"] > r else "",
        opposing=_sources(s, constants) if s else say("none"),
    )
    return _reckoned(words, f"({r} + {prior}·{weight}) / ({r} + {s} + {weight})")


def _supporting(count: int, constants: Constants) -> str:
    """What counts for a fact; its birth does not, whoever wrote it."""
    if count:
        return say("{supporting} for", supporting=_sources(count, constants))
    if constants.runs_per_source == 1:
        return say("no source beside its own birth speaks for it")
    return say("no independent run beside its own birth speaks for it")


def _sources(count: int, constants: Constants) -> str:
    if constants.runs_per_source == 1:
        return counted(count, "{count} source", "{count} sources")
    return counted(count, "{count} independent run", "{count} independent runs")


def _evidence(runs: int) -> str:
    return counted(runs, " (evidence in {count} run)", " (evidence in {count} runs)")


def _freshness(row: Row, asked: Memory, constants: Constants) -> Reason:
    activation = row["activation"]
    if activation is None:
        return _plain(say("no instant is known from which to reckon, so it counts as one half"))
    times = asked.folded.stored.reinforcements
    mine = times.owner == asked.row[row["id"]]
    uses = int(times.is_use[mine].sum())
    words = say(
        "{confirmed}, {uses}{without_use}",
        confirmed=_last_confirmed(times.at[mine & ~times.is_use], row, asked),
        uses=counted(uses, "{count} use", "{count} uses") if uses else say("no uses"),
        without_use=_without_use(row),
    )
    return _reckoned(words, f"B = {number(activation)}, {_squash(constants)}")


def _plain(words: str) -> Reason:
    return Reason(words, words, "")


def _squash(constants: Constants) -> str:
    return f"1 / (1 + e^(({number(constants.activation_midpoint)} − B)/{number(constants.activation_scale)}))"


def _without_use(row: Row) -> str:
    helped, without = f"{row['freshness']:.2f}", f"{row['freshness_without_use']:.2f}"
    return "" if helped == without else say(" (without use {freshness})", freshness=without)


def _last_confirmed(confirmed: Ints, row: Row, asked: Memory) -> str:
    stored, at = asked.folded.stored, asked.row[row["id"]]
    if count := int(stored.baseline_count[at]):
        before = _before(count, int(stored.first_seen[at]), asked)
        return f"{_confirmed(confirmed, asked)}; {before}" if len(confirmed) else before
    since = _without_birth(confirmed, at, asked)
    if len(since):
        return _confirmed(since, asked)
    if len(confirmed):
        return say("born {ago}, confirmed by nobody since", ago=ago(int(confirmed.max()), asked.now))
    return say("confirmed at no known instant")


def _without_birth(confirmed: Ints, at: int, asked: Memory) -> Ints:
    """Of a fact that came without totals from before, birth is among the times, if its instant is known."""
    facts = asked.folded.history.facts
    return np.delete(confirmed, np.flatnonzero((confirmed == facts.at[at]) & facts.at_known[at])[:1])


def _before(count: int, first_seen: int, asked: Memory) -> str:
    return counted(
        count,
        "a total of {count} reinforcement from before, the first {ago}",
        "a total of {count} reinforcements from before, the first {ago}",
        ago=ago(first_seen, asked.now),
    )


def _confirmed(times: Ints, asked: Memory) -> str:
    return say("last confirmed {ago}", ago=ago(int(times.max()), asked.now))


def _supersession(row: Row, asked: Memory, links: Sequence[Link], constants: Constants) -> Reason:
    k = row["depth"]
    if not k:
        return _plain(say("no newer claim stands above it"))
    newer = [_named(asked, link.id) for link in links if link.step == 1]
    if len(newer) > _MOST_NAMED:
        more = len(newer) - _MOST_NAMED
        newer[_MOST_NAMED:] = [counted(more, "{count} more", "{count} more")]
    above = counted(k, "a newer claim stands above it", "{count} newer claims stand above it, one over the other")
    power = f"{number(constants.supersession_factor)}^{k}"
    sentence = say("{above}: {power}; updated by {newer}", above=above, power=power, newer=", ".join(newer))
    return Reason(sentence, above, power)


def _named(asked: Memory, id: str) -> str:
    text = asked.text(id)
    return f"{id} “{say('(erased)') if text is None else shortened(text, _SHORT)}”"


def _provenance(row: Row, asked: Memory) -> Reason:
    if row["tier"] == "auto":
        return _plain(say("auto: no person accepted it, and no key signed it"))
    if row["tier"] == "signed":
        return _plain(say("signed: its signature verifies"))
    if asked.scores.accepted[asked.row[row["id"]]]:
        return _plain(say("human: a person accepted it"))
    return _plain(say("human: a person stands behind it, so its importer says"))
