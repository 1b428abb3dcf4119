"""Why each factor is what it is: one plain sentence with its arithmetic, at most two decimals."""

from collections.abc import Sequence
from typing import Any

from trustmem.core.columns import Ints
from trustmem.core.constants import Constants
from trustmem.intake.shell.chain import Link
from trustmem.intake.shell.memory import Memory
from trustmem.intake.shell.text import shortened
from trustmem.intake.shell.times import ago, counted

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
    noun = "source" if constants.runs_per_source == 1 else "independent run"
    runs = f" (evidence in {counted(row['evidence'], 'run')})" if row["evidence"] > r else ""
    against = counted(s, noun) if s else "none"
    prior, weight = number(row["opinion"]["a"]), number(constants.prior_weight)
    return f"{counted(r, noun)} for{runs}, {against} against: ({r} + {prior}·{weight}) / ({r} + {s} + {weight})"


def _freshness(row: Row, asked: Memory, constants: Constants) -> str:
    activation = row["activation"]
    if activation is None:
        return "no instant is known from which to reckon, so it counts as one half"
    squash = f"1 / (1 + e^(({number(constants.activation_midpoint)} − B)/{number(constants.activation_scale)}))"
    without = f"; without its uses {row['freshness_without_use']:.2f}" if _helped_by_use(row) else ""
    times = asked.folded.stored.reinforcements
    mine = times.owner == asked.row[row["id"]]
    uses = counted(int(times.is_use[mine].sum()), "use")
    confirmed = _last_confirmed(times.at[mine & ~times.is_use], row, asked)
    return f"{confirmed}, {uses}: B = {number(activation)}, {squash}{without}"


def _helped_by_use(row: Row) -> bool:
    return bool(f"{row['freshness']:.2f}" != f"{row['freshness_without_use']:.2f}")


def _last_confirmed(confirmed: Ints, row: Row, asked: Memory) -> str:
    stored, at = asked.folded.stored, asked.row[row["id"]]
    count, first_seen = int(stored.baseline_count[at]), int(stored.first_seen[at])
    parts = []
    if len(confirmed):
        parts.append(f"last confirmed {ago(int(confirmed.max()), asked.now)}")
    if count:
        parts.append(
            f"a total of {counted(count, 'reinforcement')} from before, the first {ago(first_seen, asked.now)}"
        )
    return "; ".join(parts) or "confirmed at no known instant"


def _supersession(row: Row, asked: Memory, links: Sequence[Link], constants: Constants) -> str:
    k = row["depth"]
    if not k:
        return "no newer claim stands above it"
    newer = [f"{link.id} “{shortened(asked.text(link.id) or '(erased)', _SHORT)}”" for link in links if link.step == 1]
    if len(newer) > _MOST_NAMED:
        newer[_MOST_NAMED:] = [f"{len(newer) - _MOST_NAMED} more"]
    above = "a newer claim stands above it" if k == 1 else f"{k} newer claims stand above it, one over the other"
    return f"{above}: {number(constants.supersession_factor)}^{k}; updated by {', '.join(newer)}"


def _provenance(row: Row, asked: Memory) -> str:
    tier = row["tier"]
    if tier == "human" and bool(asked.scores.accepted[asked.row[row["id"]]]):
        return "human: a person accepted it"
    return {
        "auto": "auto: no person accepted it, and no key signed it",
        "human": "human: a person stands behind it, so its importer says",
        "signed": "signed: its signature verifies",
    }[str(tier)]
