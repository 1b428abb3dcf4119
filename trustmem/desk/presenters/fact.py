"""The page of one fact: all of its parts, as text."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from trustmem.core.vocabulary import BANDS
from trustmem.desk.numbers import two
from trustmem.desk.presenters import against, claim, evaluations, freshness, lenses, opinion, origin, why
from trustmem.desk.presenters.chain import chain
from trustmem.desk.presenters.claim import Found
from trustmem.explanations.memory import Memory


def page(
    asked: Memory, found: Found, titles: Mapping[str, str], space: str, *, today: str | None = None
) -> dict[str, Any]:
    """The parts of the page by name, but for its history. `titles` is what entities are called, by id; `space` is the
    name by which links lead into it; `today` what the instant from which one looks is called (None: now)."""
    scores, constants, now = found["scores"], asked.folded.stored.constants, asked.now
    from_where = origin.provenance(found, titles, now)
    return {
        "claim": claim.claim(found["text"], found["provenance"]["subject"] or ""),
        "by_now": asked.untold.get(found["id"], scores["state"]),
        "crumb": next(iter(from_where.entities), from_where.subject),
        "state": scores["state"],
        "band": scores["band"],
        "place": str(BANDS.index(scores["band"]) + 1),
        "trust": two(scores["trust"]),
        "advice": claim.advice(found),
        "serving": claim.serving(found, constants),
        "against": against.against(asked, found, space),
        "held_down": why.held_down(found, space),
        "factors": why.waterfall(found, space),
        "sum": why.percent_of_trust(found),
        "lifts": claim.lifts(found),
        "no_lift": claim.no_lift(scores["state"]),
        "axes": opinion.axes(found, constants),
        "freshness": _freshness(asked, found["id"], today or gettext("now")),
        "chain": chain(asked, found),
        "weight": lenses.weight(found, now),
        "usefulness": lenses.usefulness(found, constants),
        "evaluations": evaluations.history(asked, found["id"]),
        "voices": origin.voices(found, now),
        "provenance": from_where,
        "served": origin.served(found, now),
    }


def _freshness(asked: Memory, id: str, today: str) -> dict[str, Any] | None:
    """What stands above and behind the figure; None where there is none."""
    fall = freshness.fall(asked, id)
    drawn = freshness.curve(asked, id, fall)
    if drawn is None:
        return None
    head = [gettext("instant (UTC)"), gettext("what happened"), gettext("with use"), gettext("without use")]
    says = freshness.sentence(asked, id, fall)
    return {"says": says, "head": head, "rows": freshness.table(asked, id, drawn, today)}
