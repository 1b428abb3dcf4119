"""What a pass did, or would do, to a fact, why a promotion waits, and why a pass does, in words with numbers."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from trustmem.actions import breaker
from trustmem.actions.breaker import Verdict
from trustmem.actions.previews import DISPUTED, SUPERSEDED
from trustmem.core.consolidation import NO_STAMP
from trustmem.core.constants import Constants
from trustmem.core.vocabulary import GLOBAL
from trustmem.explanations.words import counted, say

Values = Mapping[str, Any]


def changes(before: Values, after: Values, weight: float, constants: Constants) -> list[str]:
    """What differs of a fact before and after a pass, under the constants of its instant; `weight` is the one after."""
    return [
        *_standing(after, constants),
        *_numbers(before, after),
        *_anchored(after, weight),
        *_stamp(after, constants),
    ]


def _standing(after: Values, constants: Constants) -> Iterator[str]:
    if after.get("pruned") is True:
        yield say("its weight lies below {least}, where facts are pruned", least=_two(constants.prune_threshold))
    if after.get("pruned") is False:
        yield say("it was confirmed again since it faded")
    if after.get("scope") == GLOBAL:
        yield say("scope session → global")


def _numbers(before: Values, after: Values) -> Iterator[str]:
    if "derived" in after:
        yield say("derived weight {before} → {after}", **_both("derived", before, after))
    if "half_life" in after:
        yield say("half-life {before} → {after} days", **_both("half_life", before, after))


def _both(name: str, before: Values, after: Values) -> dict[str, str]:
    return {"before": _two(before[name]), "after": _two(after[name])}


def _anchored(after: Values, weight: float) -> Iterator[str]:
    """That its weight begins to fade anew, where nothing else says why it moved."""
    if ("anchor" in after or "anchored_at" in after) and after.keys().isdisjoint(("derived", "half_life", "scope")):
        yield say("confirmed again: it fades anew from {weight}", weight=_two(weight))


def _stamp(after: Values, constants: Constants) -> Iterator[str]:
    if "stamp" not in after:
        return
    threshold = _two(constants.promote_threshold)
    if after["stamp"] == NO_STAMP:
        yield say("derived weight below {threshold} again: no longer stamped", threshold=threshold)
    else:
        yield say("stamped: derived weight {threshold} or more from now on", threshold=threshold)


def waits_for(reason: str) -> str:
    """Why the promotion of a fact waits."""
    return {
        SUPERSEDED: say("a newer claim stands above it"),
        DISPUTED: say("a contradiction stands against it"),
    }[reason]


def reasons(verdict: Verdict, whole: Callable[[int], str] = str) -> list[str]:
    """Why a pass waits for a person, each as a sentence; `whole` writes counts."""
    told = {"pruned": _pruned, "moved": _moved}
    return [told[reason](verdict, whole) for reason in verdict.reasons]


def _pruned(verdict: Verdict, whole: Callable[[int], str]) -> str:
    return counted(
        verdict.preview.global_pruned,
        "It would prune {facts} global fact of {live} that are live; {more} need a person's word.",
        "It would prune {facts} global facts of {live} that are live; {more} need a person's word.",
        facts=whole(verdict.preview.global_pruned),
        live=whole(verdict.preview.live),
        more=_more_than(breaker.PRUNED),
    )


def _moved(verdict: Verdict, whole: Callable[[int], str]) -> str:
    if not verdict.moved.exact:
        return counted(
            verdict.moved.facts,
            "Up to {facts} fact of {live} that are live may be forgotten, or in another band, by what came since the "
            "last pass; {more} need a person's word.",
            "Up to {facts} facts of {live} that are live may be forgotten, or in another band, by what came since the "
            "last pass; {more} need a person's word.",
            facts=whole(verdict.moved.facts),
            live=whole(verdict.preview.live),
            more=_more_than(breaker.MOVED),
        )
    return counted(
        verdict.moved.facts,
        "{facts} fact of {live} that are live is forgotten, or in another band, by what came since the last pass; "
        "{more} need a person's word.",
        "{facts} facts of {live} that are live are forgotten, or in another band, by what came since the last pass; "
        "{more} need a person's word.",
        facts=whole(verdict.moved.facts),
        live=whole(verdict.preview.live),
        more=_more_than(breaker.MOVED),
    )


def limits() -> str:
    """What makes any pass wait for a person."""
    return say(
        "That it would prune {pruned} of the facts that are live, counting global facts alone; or that what came since "
        "the last pass made {moved} of them forgotten, or moved them into another band. It then waits for a person's "
        "word.",
        pruned=_more_than(breaker.PRUNED),
        moved=_more_than(breaker.MOVED),
    )


def _more_than(share: float) -> str:
    return say("more than {few} and {share} %", few=breaker.FEW, share=f"{100 * share:.0f}")


def _two(value: float) -> str:
    """A number of at most two decimals.

    >>> _two(3.0), _two(0.7125)
    ('3', '0.71')
    """
    return f"{value:.0f}" if value == round(value) else f"{value:.2f}"
