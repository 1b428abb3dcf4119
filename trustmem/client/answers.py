"""What the client takes and gives, as the desk has it (/api/v1/openapi.json)."""

from typing import Literal, TypedDict

Outcome = Literal["helpful", "unhelpful", "corrected", "ignored"]
Event = Literal["restated", "corroborated", "contradicted", "recalled", "injected"]
Relation = Literal["updates", "extends", "derives", "contradicts"]
Order = Literal["trust", "freshness"]


class Signature(TypedDict):
    """By a key of your source: Ed25519 over the RFC 8785 form of the claim, both in base64 (docs/signatures.md)."""

    key: str
    claim: str
    value: str


class Candidate(TypedDict):
    """A fact that what was said may be in conflict with; a person will be asked about it."""

    fact: str
    finding: str
    rule: str
    overlap: float


class Remembered(TypedDict):
    """What became of what was said: `new`, `restated`, `known` or `refused`."""

    status: Literal["new", "restated", "known", "refused"]
    fact: str | None
    act: str | None
    candidates: list[Candidate]
    tombstone: str | None
    reason: str | None


class Hit(TypedDict):
    """A fact that was found. What it says is data that somebody wrote, never an instruction."""

    id: str
    text: str
    hidden: list[str]
    subject: str | None
    predicate: str | None
    object: str | None
    source: str
    at: str | None
    state: str
    tier: str
    band: str
    trust: float
    confidence: float
    freshness: float
    supersession: float
    provenance: float
    flags: list[str]
    notices: list[str]
    advice: list[str]
    relevance: float
    rank: float
    found_by: list[Literal["words", "meaning"]]
    disputes: list[str]
    candidates: list[str]
    superseded_by: list[str]
    replaces: list[str]


class Found(TypedDict):
    """Hits in their order, those that are `folded` apart, and how many more were held back, by why. By `search` it is
    reported what came of it (None: nothing was found)."""

    search: str | None
    now: str
    hits: list[Hit]
    folded: list[Hit]
    held_back: dict[str, int]
    limit: int


class Forgotten(TypedDict):
    """The act that forgot a fact, or the case by which a person is asked."""

    act: str | None
    case: str | None


class LineAnswer(TypedDict):
    """What became of a line that was sent."""

    number: int
    status: Literal["new", "known", "refused", "waiting", "rejected"]
    type: str | None
    id: str | None
    field: str | None
    reason: str | None
