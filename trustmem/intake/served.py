"""What an agent is served that asks what is known of something, at whichever door."""

from typing import Any

from trustmem.actions import serving
from trustmem.actions.search import search
from trustmem.actions.serving import Question
from trustmem.actions.speakers import Speaker
from trustmem.intake import shapes
from trustmem.store.states import STANDING, shows


@shows(STANDING)
def served(who: Speaker, asked: Question, *, now: int) -> dict[str, Any]:
    """The hits, as an answer tells of them; that they were handed out goes on record. What is forgotten is neither
    found nor counted: else whoever guesses its words would learn that they are right."""
    words, limit, order, history = asked
    found = search(who.space, words, now=now, limit=limit, order=order, history=history, searched=STANDING.to_readers)
    search_id = serving.note(who, asked, [hit.fact.name for hit in found.hits], now=now)
    return shapes.found(found, limit, search_id)
