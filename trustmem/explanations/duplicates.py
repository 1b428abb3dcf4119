"""Duplicates in words: why a fact that says the same as another cannot be merged into it."""

from trustmem.explanations.words import say
from trustmem.store.duplicates import CHALLENGED, DENIED, DISPUTED, SUPERSEDED, SUPERSEDES


def why_not(obstacle: str) -> str:
    """What stands in the way of merging a fact, and what to do first."""
    return {
        SUPERSEDED: say("A newer claim holds in its place: that one can be merged."),
        SUPERSEDES: say("It took the place of another claim, which would hold again: keep this one."),
        DISPUTED: say("A contradiction stands against it: decide about that first, or keep this one."),
        CHALLENGED: say("An objection to it waits for a ruling: rule on it first, or keep this one."),
        DENIED: say("Somebody spoke against it, which would be lost: keep this one, or dismiss that."),
    }[obstacle]
