"""All that there is to say about one fact, as data in full precision; `explanation_page` shows it to people."""

from typing import Any

import numpy as np

from trustmem.core.consolidation import NO_STAMP
from trustmem.core.instants import days, to_text
from trustmem.core.lift import lift
from trustmem.core.reinforcement import suppressed
from trustmem.core.vocabulary import BANDS
from trustmem.explanations.advice import advice
from trustmem.explanations.chain import chain
from trustmem.explanations.history import Happening, history
from trustmem.explanations.memory import Memory
from trustmem.explanations.reasons import reasons
from trustmem.formats import scores

FACTORS = ("confidence", "freshness", "supersession", "provenance")


def explanation(asked: Memory, id: str) -> dict[str, Any]:
    """The explanation of one fact: JSON values only, instants as text."""
    row = next(row for row in scores.rows(asked.scores) if row["id"] == id)
    happened, links = history(asked, id), chain(asked, id)
    return {
        "id": id,
        "text": asked.text(id),
        "now": to_text(asked.now),
        "scores": row,
        "what_to_do": [{"about": about, "advice": words} for about, words in advice(row["state"], row["flags"])],
        "why": _waterfall(row, reasons(asked, row, links)),
        "lift": _lifts(asked, id),
        "weight": _weight(asked, row),
        "suppressed": bool(suppressed(asked.scores.retrieval_priority, asked.folded.stored.constants)[asked.row[id]]),
        "contradictions": [_told(asked, each) for each in happened if each.is_contradiction],
        "challenges": [_told(asked, each) for each in happened if each.is_challenge],
        "chain": [{"step": link.step, "at": to_text(link.at), **_named(asked, link.id)} for link in links],
        "history": [_told(asked, each) for each in happened],
    }


def _waterfall(row: dict[str, Any], because: dict[str, str]) -> list[dict[str, Any]]:
    """The factors in order, each with the product down to and with it."""
    products = np.cumprod([row[factor] for factor in FACTORS]).tolist()
    return [
        {"factor": factor, "value": row[factor], "product": product, "because": because[factor]}
        for factor, product in zip(FACTORS, products, strict=True)
    ]


def _lifts(asked: Memory, id: str) -> list[dict[str, Any]]:
    row = asked.row[id]
    return [
        {"change": each.change, "trust": float(each.trust[row]), "band": BANDS[each.band[row]]}
        for each in lift(asked.scores, asked.folded.stored.constants)
        if each.applies[row]
    ]


def _weight(asked: Memory, row: dict[str, Any]) -> dict[str, Any]:
    weights, at = asked.folded.stored.weights, asked.row[row["id"]]
    half_life = float(weights.half_life[at])
    last = max((each.at for each in asked.passes), default=None)
    return {
        "derived": row["derived_weight"],
        "weight": row["weight"],
        "as_of": None if last is None else to_text(last),
        "half_life_days": half_life if np.isfinite(half_life) else None,
        "scope": row["scope"],
        "served": row["weight"] >= asked.folded.stored.constants.min_weight,
        "promotion_waits_until": _promotion_waits_until(asked, row),
    }


def _promotion_waits_until(asked: Memory, row: dict[str, Any]) -> list[str] | None:
    """What has to come true before a session fact becomes global; None for other facts. Section 7.4, step 5."""
    if row["state"] != "live" or row["scope"] == "global":
        return None
    constants, at = asked.folded.stored.constants, asked.row[row["id"]]
    record = asked.reading.records[row["id"]]
    fast = record["core"] or record["producer"] == "user" or asked.scores.accepted[at]
    high, needed, above = constants.promote_threshold, constants.promote_evidence, _days_above(asked, at)
    conditions = (
        (row["derived_weight"] < high, f"its derived weight is {high:.2f}"),
        (not fast and row["evidence"] < needed, f"its evidence comes from {needed} runs (now {row['evidence']})"),
        (
            not fast and above < constants.promote_stable_days,
            f"it stood that high for {constants.promote_stable_days:.2f} running days (now {above:.2f})",
        ),
        (row["depth"] > 0, "no newer claim stands above it"),
        (asked.folded.stored.contradicted[at], "no contradiction stands against it"),
    )
    return [until for lacking, until in conditions if lacking]


def _days_above(asked: Memory, at: int) -> float:
    clocks, since = asked.folded.clock.clocks, asked.folded.stored.weights.stamp[at]
    return 0.0 if since == NO_STAMP else float(days(clocks[-1] - since))


def _named(asked: Memory, id: str) -> dict[str, Any]:
    return {"id": id, "text": asked.text(id) if id in asked.row else None}


def _told(asked: Memory, happening: Happening) -> dict[str, Any]:
    told = {name: getattr(happening, name) for name in ("id", "what", "by", "run", "note", "effect")}
    other = happening.other and _named(asked, happening.other)
    return {"at": to_text(happening.at), **told, "other": other}
