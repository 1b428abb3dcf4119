"""Pairs as a detector would have found them, written by hand."""

from typing import Any

from trustmem.core.contradictions import FINDINGS, RESTATEMENT
from trustmem.store.models import Fact, Pair, Space


def pairs(space: Space, *names: tuple[str, str], finding: str = RESTATEMENT, **values: Any) -> None:
    """Pairs of facts by their names."""
    facts = {fact.name: fact for fact in Fact.objects.filter(space=space)}
    told = {"finding": FINDINGS.index(finding), "rule": "", "overlap": 0.9, "detector": "1", "at": 0} | values
    rows = []
    for pair in names:
        older, newer = sorted((facts[name] for name in pair), key=lambda fact: (fact.at, fact.name))
        rows.append(Pair(space=space, older=older, newer=newer, **told))
    Pair.objects.bulk_create(rows)
