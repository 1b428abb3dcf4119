"""What agents are told, as JSON values: the same over HTTP and over MCP, as `answers` has them. What a fact says stands
in fields of its own, and nowhere else: it is data, whatever it says."""

from collections.abc import Iterable
from typing import Any

from trustmem.actions.agents import Alike, Forgotten, Remembered
from trustmem.actions.search import Found, Hit
from trustmem.core.instants import to_text
from trustmem.core.scores import Scores
from trustmem.explanations.advice import advice
from trustmem.explanations.text import LINE_END, marks
from trustmem.formats import scores as formats
from trustmem.formats.interchange import Answer
from trustmem.store.lists import Row
from trustmem.store.models import Fact

#: What of the scores stands beside a hit; all of it is told of a fact by itself.
_BRIEF = ("tier", "band", "trust", "flags", "confidence", "freshness", "supersession", "provenance", "notices")


def claim(fact: Fact | Row, text: str | None) -> dict[str, Any]:
    """A fact without its scores."""
    slot = {name: getattr(fact, name) or None for name in ("subject", "predicate", "object")}
    at = to_text(fact.at) if fact.at_known else None
    return {"id": fact.name, "text": text, "hidden": hidden(text), **slot, "source": fact.source, "at": at}


def hidden(text: str | None) -> list[str]:
    """What in a text hides, moves or passes for something else, by signs that name it: people see the same."""
    return [mark.sign for mark in marks(text or "") if mark.sign != LINE_END]


def found(answer: Found, limit: int, search: str | None = None) -> dict[str, Any]:
    """What a search came to: its id if it has one, hits, those that are folded apart, and how many more were held back,
    by why."""
    rows = list(formats.rows(answer.scores))
    told = [_hit(each, rows[each.row], each.fact.text) for each in answer.hits]
    folded = [hit for hit, each in zip(told, answer.hits, strict=True) if each.folded]
    open_ones = [hit for hit, each in zip(told, answer.hits, strict=True) if not each.folded]
    return {
        "search": search,
        "now": to_text(answer.now),
        "hits": open_ones,
        "folded": folded,
        "held_back": dict(answer.held_back),
        "limit": limit,
    }


def _hit(hit: Hit, row: dict[str, Any], text: str) -> dict[str, Any]:
    """Beside the claim: its scores, what to do about it, what it is in dispute with, and what stands above or below."""
    about = {name: row[name] for name in _BRIEF}
    return {
        **claim(hit.fact, text),
        **about,
        "state": row["state"],
        "relevance": hit.relevance,
        "rank": hit.rank,
        "found_by": list(hit.found_by),
        "advice": [words for _, words in advice(row["state"], row["flags"])],
        "disputes": list(hit.disputes),
        "candidates": list(hit.candidates),
        "superseded_by": list(hit.superseded_by),
        "replaces": list(hit.replaces),
    }


def remembered(told: Remembered) -> dict[str, Any]:
    """What became of what was said."""
    return {
        "status": told.status,
        "fact": told.fact or None,
        "act": told.act or None,
        "candidates": [_alike(each) for each in told.alike],
        "tombstone": told.tombstone or None,
        "reason": told.reason or None,
    }


def _alike(alike: Alike) -> dict[str, Any]:
    said = alike.comparison
    return {"fact": alike.fact, "finding": said.finding, "rule": said.rule, "overlap": said.overlap}


def listed(rows: Iterable[Row], scores: Scores) -> list[dict[str, Any]]:
    """Facts of a list with their scores, in its order."""
    by_name = {row["id"]: row for row in formats.rows(scores)}
    return [{**claim(row, row.text), "scores": by_name[row.name]} for row in rows if row.name in by_name]


def forgotten(told: Forgotten) -> dict[str, Any]:
    """What came of asking for a fact to be forgotten."""
    return {"act": told.act or None, "case": told.case or None}


def said(act: str, counts: bool) -> dict[str, Any]:
    """What came of saying something of facts."""
    return {"act": act or None, "counts": counts}


def line(answer: Answer) -> dict[str, Any]:
    """What became of a line."""
    return {name: getattr(answer, name) for name in ("number", "status", "type", "id", "field", "reason")}
