"""Why each factor is what it is: one plain sentence with its arithmetic, at most two decimals."""

from collections.abc import Sequence
from typing import Any

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


def reasons(asked: Memory, row: Row, links: Sequence[Link]) -> dict[str, str]:
    """A sentence for each of the four factors of a fact, by the factor's name."""
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


def _confidence(row: Row, constants: Constants) -> str:
    r, s = row["r"], row["s"]
    prior, weight = number(row["opinion"]["a"]), number(constants.prior_weight)
    return say(
        "{supporting} for{evidence}, {opposing} against: {arithmetic}",
        supporting=_sources(r, constants),
        evidence=_evidence(row["evidence"]) if row["evidence"] > r else "",
        opposing=_sources(s, constants) if s else say("none"),
        arithmetic=f"({r} + {prior}·{weight}) / ({r} + {s} + {weight})",
    )


def _sources(count: int, constants: Constants) -> str:
    if constants.runs_per_source == 1:
        return counted(count, "{count} source", "{count} sources") if count else say("no sources")
    return (
        counted(count, "{count} independent run", "{count} independent runs") if count else say("no independent runs")
    )


def _evidence(runs: int) -> str:
    return counted(runs, " (evidence in {count} run)", " (evidence in {count} runs)")


def _freshness(row: Row, asked: Memory, constants: Constants) -> str:
    activation = row["activation"]
    if activation is None:
        return say("no instant is known from which to reckon, so it counts as one half")
    times = asked.folded.stored.reinforcements
    mine = times.owner == asked.row[row["id"]]
    uses = int(times.is_use[mine].sum())
    return say(
        "{confirmed}, {uses}: {arithmetic}{without_uses}",
        confirmed=_last_confirmed(times.at[mine & ~times.is_use], row, asked),
        uses=counted(uses, "{count} use", "{count} uses") if uses else say("no uses"),
        arithmetic=f"B = {number(activation)}, {_squash(constants)}",
        without_uses=_without_uses(row),
    )


def _squash(constants: Constants) -> str:
    return f"1 / (1 + e^(({number(constants.activation_midpoint)} − B)/{number(constants.activation_scale)}))"


def _without_uses(row: Row) -> str:
    helped, without = f"{row['freshness']:.2f}", f"{row['freshness_without_use']:.2f}"
    return "" if helped == without else say("; without its uses {freshness}", freshness=without)


def _last_confirmed(confirmed: Ints, row: Row, asked: Memory) -> str:
    stored, at = asked.folded.stored, asked.row[row["id"]]
    count, first_seen = int(stored.baseline_count[at]), int(stored.first_seen[at])
    parts = []
    if len(confirmed):
        parts.append(say("last confirmed {ago}", ago=ago(int(confirmed.max()), asked.now)))
    if count:
        parts.append(
            counted(
                count,
                "a total of {count} reinforcement from before, the first {ago}",
                "a total of {count} reinforcements from before, the first {ago}",
                ago=ago(first_seen, asked.now),
            )
        )
    return "; ".join(parts) or say("confirmed at no known instant")


def _supersession(row: Row, asked: Memory, links: Sequence[Link], constants: Constants) -> str:
    k = row["depth"]
    if not k:
        return say("no newer claim stands above it")
    newer = [_named(asked, link.id) for link in links if link.step == 1]
    if len(newer) > _MOST_NAMED:
        more = len(newer) - _MOST_NAMED
        newer[_MOST_NAMED:] = [counted(more, "{count} more", "{count} more")]
    above = counted(k, "a newer claim stands above it", "{count} newer claims stand above it, one over the other")
    power = f"{number(constants.supersession_factor)}^{k}"
    return say("{above}: {power}; updated by {newer}", above=above, power=power, newer=", ".join(newer))


def _named(asked: Memory, id: str) -> str:
    text = asked.text(id)
    return f"{id} “{say('(erased)') if text is None else shortened(text, _SHORT)}”"


def _provenance(row: Row, asked: Memory) -> str:
    if row["tier"] == "auto":
        return say("auto: no person accepted it, and no key signed it")
    if row["tier"] == "signed":
        return say("signed: its signature verifies")
    if asked.scores.accepted[asked.row[row["id"]]]:
        return say("human: a person accepted it")
    return say("human: a person stands behind it, so its importer says")
