"""What became of each line about a fact where it did not simply count: a code, and what people read of it."""

import numpy as np

from trustmem.core.columns import STATEMENTS, Bools
from trustmem.explanations.memory import Memory
from trustmem.explanations.words import say

ECHO = "echo"
CHALLENGE = "challenge"
DISMISSED = "dismissed"
UPHELD = "upheld"
WITHDRAWN = "withdrawn"
CIRCULAR = "circular"
UNDONE = "undone"
WAITING = "waiting"


def words(effect: str) -> str:
    """An effect as people read it."""
    return {
        ECHO: say("echo: use, no evidence"),
        CHALLENGE: say("challenge: without effect until a person rules on it"),
        DISMISSED: say("dismissed"),
        UPHELD: say("upheld"),
        WITHDRAWN: say("withdrawn"),
        CIRCULAR: say("in a circle of updates: none of them counts"),
        UNDONE: say("undone"),
        WAITING: say("waiting for what it names"),
    }[effect]


def effects(asked: Memory, fact: str) -> dict[str, str]:
    """What became of each statement about a fact, by id, where it did not simply count."""
    statements, row = asked.folded.history.statements, asked.row[fact]
    about = np.flatnonzero((statements.fact == row) | (statements.newer == row)).tolist()
    echoes = _echoes(asked)
    return {statements.ids[each]: effect for each in about if (effect := _effect(asked, each, echoes))}


def _echoes(asked: Memory) -> Bools:
    """Over statements: which make a touch that is echo."""
    touches, heard = asked.folded.touches, asked.folded.seen.heard
    touch = np.repeat(np.arange(len(touches.starts)), np.diff(touches.starts, append=len(touches.statement)))
    echoes = np.zeros(len(asked.folded.history.statements), bool)
    echoes[touches.statement[heard.echo[touch]]] = True
    return echoes


def _effect(asked: Memory, row: int, echoes: Bools) -> str | None:
    folded = asked.folded
    statements, standing = folded.history.statements, folded.seen.standing
    if standing.ruling[row] >= 0:
        return UPHELD if standing.ruling[row] else DISMISSED
    if standing.withdrawn[row] and not statements.removed[row]:
        return WITHDRAWN
    if standing.challenges[row]:
        return CHALLENGE
    if (
        STATEMENTS[statements.kind[row]] == "updates"
        and (statements.newer[row], statements.fact[row]) in standing.circular
    ):
        return CIRCULAR
    return ECHO if echoes[row] else None
