"""A conflict that a rule has found between two facts."""

from typing import Any, NamedTuple


class Conflict(NamedTuple):
    """The rule that found it, what it rests on as JSON values, and which side is newer by what the texts say."""

    rule: str
    features: dict[str, Any]
    newer: int | None = None
