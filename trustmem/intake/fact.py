"""A fact that an agent asks for by its id, at whichever door."""

from typing import Any

from trustmem.actions.errors import Missing
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.formats import scores as formats
from trustmem.intake import shapes
from trustmem.store import queries
from trustmem.store.models import Fact, Space
from trustmem.store.states import STANDING


class Unknown(Missing):
    """There is no such fact: in another space, in none, or forgotten, which nobody can tell apart."""

    def __init__(self) -> None:
        super().__init__("there is no such fact in this space")


def told(space: Space, name: str) -> Fact:
    """A fact of a space that agents are told of. Raises Unknown."""
    row = None if "\0" in name else Fact.objects.filter(space=space, name=name).first()
    if row is None or row.state not in STANDING.to_readers:
        raise Unknown
    return row


def brief(space: Space, name: str, now: int) -> dict[str, Any]:
    """A fact with its scores at an instant, as `answers.Shown` has it. Raises Unknown."""
    row = told(space, name)
    (scores,) = formats.rows(score(queries.stored(space, [row.pk]), now))
    return {"now": to_text(now), **shapes.claim(row, row.text), "scores": scores}


def explain(space: Space, name: str, now: int) -> dict[str, Any]:
    """Why it is worth what it is at an instant, as `explained.Explained` has it. Raises Unknown."""
    row = told(space, name)
    why = explanation(stored.memory(space, row.name, now), row.name)
    return why | {"hidden": shapes.hidden(why["text"]), "constants_version": queries.version(space)}
