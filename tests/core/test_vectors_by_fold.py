"""The section vectors once more, as histories: what the fold makes of lines equals what the formulas give."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tests.makers import day, edge, event, fact, feedback
from trustmem.core.constants import Constants, changed
from trustmem.core.fold import fold
from trustmem.core.instants import MICROSECONDS_PER_DAY
from trustmem.core.lines import Baseline, Line, Pass
from trustmem.core.scores import Scores, score
from trustmem.core.vocabulary import FLAGS

VECTORS = Path(__file__).parents[1] / "vectors"
NOW = day(21)


def vector_rows(name: str) -> list[dict[str, Any]]:
    return json.loads((VECTORS / f"{name}.json").read_text())["rows"]


def born(tier: str, **values: Any) -> Line:
    return fact(
        "f", tier="human" if tier == "human" else "auto", signature=True if tier == "signed" else None, **values
    )


def said(r: int, s: int, on: float = 1) -> list[Line]:
    """What `r` sources say for a fact and `s` against it, the latter with a person's authority."""
    pro = [event("corroborated", "f", on, source=f"for {number}") for number in range(r)]
    contra = [event("contradicted", "f", on, source=f"against {number}", id=f"c{number}") for number in range(s)]
    return pro + contra + [event("upheld", of=line.id, on=on) for line in contra]


def close(found: Any, right: Any) -> Any:
    np.testing.assert_allclose(found, right, rtol=0, atol=1e-9)


def test_confidence_from_as_many_sources():
    for row in vector_rows("confidence"):
        given, right = row["in"], row["out"]
        scores = score(fold([born(given["tier"]), *said(given["r"], given["s"])]).stored, NOW)
        found = [scores.confidence, scores.belief, scores.disbelief, scores.uncertainty, scores.base_rate]
        close(np.concatenate(found), [right[name] for name in ("confidence", "b", "d", "u", "a")])


def test_freshness_from_as_many_confirmations():
    for row in vector_rows("freshness"):
        given, right = row["in"], row["out"]
        ago = [NOW - round(age * MICROSECONDS_PER_DAY) for age in given["event_ages_days"]]
        events = [event("restated", "f", run=f"r{number}") for number, _ in enumerate(ago)]
        first = given["baseline_first_age_days"]
        baseline = Baseline(
            reinforcements=given["baseline_count"],
            first_seen=None if first is None else NOW - round(first * MICROSECONDS_PER_DAY),
        )
        lines = [fact("f", at_known=False, baseline=baseline), *map(moved, events, ago)]
        scores = score(fold(lines).stored, NOW)
        # Ages are given finer than the microseconds that lines carry.
        np.testing.assert_allclose(scores.activation[0], right["activation"], rtol=0, atol=1e-8)
        np.testing.assert_allclose(scores.freshness[0], right["freshness"], rtol=0, atol=1e-8)


def moved(line: Line, at: int) -> Line:
    return replace(line, at=at, arrived=at)


def test_depth_of_every_chain_and_the_members_of_every_cycle():
    for row in vector_rows("supersession"):
        edges = [edge(newer, "updates", older) for newer, older in row["in"]["updates"]]
        folded = fold([*map(fact, row["in"]["facts"]), *edges])
        ids, standing = folded.history.facts.ids, folded.seen.standing
        assert dict(zip(ids, standing.depth.tolist(), strict=True)) == row["out"]["depth"]
        assert [id for id, on_cycle in zip(ids, standing.circular.ends(len(ids)), strict=True) if on_cycle] == row[
            "out"
        ]["cycle"]


def test_reinforcement_from_signals():
    for row in vector_rows("reinforcement"):
        scores = score(fold([fact("f"), feedback("helpful", "f", signals=row["in"])]).stored, NOW)
        close(scores.reinforcement[0], list(row["out"].values()))


def test_an_outcome_fills_what_its_feedback_does_not_say():
    for outcome, preset in json.loads((VECTORS / "outcomes.json").read_text())["rows"].items():
        said_all, said_nothing = (
            score(fold([fact("f"), feedback(outcome, "f", signals=signals)]).stored, NOW).reinforcement
            for signals in (preset, {})
        )
        close(said_nothing, said_all)


def test_retrieval_priority_compounds_over_feedback_in_order():
    for row in vector_rows("hebbian"):
        constants = changed(Constants(), row["constants"])
        steps = [feedback("helpful", "f", on, signals=step["in"]) for on, step in enumerate(row["steps"], start=1)]
        for number, step in enumerate(row["steps"], start=1):
            scores = score(fold([fact("f"), *reversed(steps[:number])], constants=constants).stored, NOW)
            close(scores.retrieval_priority[0], step["out"]["retrieval_priority"])
            assert scores.reinforcement_count[0] == step["out"]["reinforcement_count"]


def test_derived_weight_and_half_life_once_a_pass_has_weighed_the_fact():
    for row in vector_rows("weight"):
        given, right = row["in"], row["out"]
        if given["decay_adjustment"] is None:
            baseline = Baseline(given["evidence"], given["contradictions"], given["use_count"])
            values = {"prior": given["prior"], "core": given["core"], "scope": given["scope"], "baseline": baseline}
            newer = [fact("newer"), edge("newer", "updates", "f")] if given["superseded"] else []
            weights = fold([fact("f", **values), *newer], [Pass(day(2))]).stored.weights
            close(weights.derived[0], right["derived_weight"])
            promoted = given["scope"] == "session" and weights.scope[0] == 1
            if not promoted:
                close(weights.half_life[0], right["half_life_days"] or np.inf)


def test_trust_of_signed_human_and_auto_facts_with_their_sources_and_chains():
    for row in vector_rows("trust"):
        given, right = row["in"], row["out"]
        chain = [fact(f"newer {number}", 1, tier="human", signature=True) for number in range(given["depth"])]
        ends = ["f", *(link.id for link in chain)]
        edges = [edge(newer, "updates", older, id=f"over {older}") for older, newer in itertools.pairwise(ends)]
        upheld = [event("upheld", of=link.id) for link in edges]
        scores = score(fold([born(given["tier"]), *said(given["r"], given["s"]), *chain, *edges, *upheld]).stored, NOW)
        of = scores.ids.index("f")
        assert_trust(scores, of, right)


def assert_trust(scores: Scores, of: int, right: dict[str, Any]) -> None:
    """All but what hangs on the activation, which a history sets only through its times."""
    close(scores.confidence[of], right["confidence"])
    close(scores.supersession[of], right["supersession"])
    close(scores.provenance[of], right["provenance"])
    close(scores.trust[of] / scores.freshness[of], right["trust"] / right["freshness"])
    timeless = {"superseded", "uncertain"}
    found = {FLAGS[flag] for flag in np.flatnonzero(scores.flags[of])}
    assert found & timeless == set(right["flags"]) & timeless
