"""What the promotion of a session fact waits for (section 7.4, step 5)."""

from typing import Any

from trustmem.core.consolidation import NO_STAMP
from trustmem.core.instants import days
from trustmem.explanations.memory import Memory
from trustmem.explanations.words import counted, say


def waits_until(asked: Memory, row: dict[str, Any]) -> list[str] | None:
    """What has to come true before a session fact becomes global; None for other facts."""
    if row["state"] != "live" or row["scope"] == "global":
        return None
    constants, at = asked.folded.stored.constants, asked.row[row["id"]]
    record = asked.reading.records[row["id"]]
    fast = record["core"] or record["producer"] == "user" or asked.scores.accepted[at]
    above = _days_above(asked, at)
    conditions = (
        (row["derived_weight"] < constants.promote_threshold, _weight(constants.promote_threshold)),
        (
            not fast and row["evidence"] < constants.promote_evidence,
            _evidence(constants.promote_evidence, row["evidence"]),
        ),
        (not fast and above < constants.promote_stable_days, _stable(constants.promote_stable_days, above)),
        (row["depth"] > 0, say("no newer claim stands above it")),
        (asked.folded.stored.contradicted[at], say("no contradiction stands against it")),
    )
    return [until for lacking, until in conditions if lacking]


def _weight(threshold: float) -> str:
    return say("its derived weight is {weight}", weight=f"{threshold:.2f}")


def _evidence(needed: int, now: int) -> str:
    return counted(
        needed,
        "its evidence comes from {count} run (now {now})",
        "its evidence comes from {count} runs (now {now})",
        now=now,
    )


def _stable(needed: float, now: float) -> str:
    return say("it stood that high for {needed} running days (now {now})", needed=f"{needed:.2f}", now=f"{now:.2f}")


def _days_above(asked: Memory, at: int) -> float:
    clocks, since = asked.folded.clock.clocks, asked.folded.stored.weights.stamp[at]
    return 0.0 if since == NO_STAMP else float(days(clocks[-1] - since))
