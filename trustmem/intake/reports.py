"""What an agent reports of using facts, at whichever door: of facts, or of a search as a whole."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from trustmem.actions import agents, feedback
from trustmem.actions.errors import Unfit
from trustmem.actions.speakers import Speaker
from trustmem.intake import fact


class Reported(NamedTuple):
    """What an agent says: the `outcome` of `facts`, or what of a `search` it `used` (None: it does not say)."""

    facts: Collection[str] = ()
    outcome: str | None = None
    search: str | None = None
    used: Collection[str] | None = None
    confirmed: bool = False
    signals: Mapping[str, float] = {}
    note: str = ""


def report(who: Speaker, said: Reported, *, now: int) -> str:
    """Write what is reported; the act. Raises Unfit for what is neither of the two, or both; Missing for facts and
    searches that there are not; and what the actions raise."""
    facts, outcome, search, used, *about = said
    of_facts, of_search = bool(facts or outcome or any(about)), bool(search) or used is not None
    if of_facts and of_search:
        raise Unfit("a report is about facts or about a search, and not about both")
    if search and used is not None:
        return feedback.of_answer(who, search, used, now=now)
    if facts and outcome:
        names = [fact.told(who.space, name).name for name in facts]
        return agents.report(
            who, names, outcome, now=now, signals=said.signals, confirmed=said.confirmed, note=said.note
        )
    goes_with = ("search", "used") if of_search else ("facts", "outcome")
    missing = next(name for name in goes_with if not getattr(said, name))
    raise Unfit(f'a report has "facts" and "outcome", or "search" and "used"; "{missing}" is missing or empty', missing)
