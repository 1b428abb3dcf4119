"""What the doors for agents answer, as models: the schema of HTTP and the structured output of MCP say what these say.

What a fact says stands in `text`, `subject`, `predicate` and `object`, and nowhere else.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from trustmem.core.vocabulary import BANDS, FLAGS, NOTICES, SCOPES, STATES, TIERS
from trustmem.formats.interchange import STATUSES


def one_of(words: tuple[str, ...]) -> Any:
    """Says of a text that it is one of these words."""
    return Field(json_schema_extra={"enum": list(words)})


Band = Annotated[str, one_of(BANDS)]
Flag = Annotated[str, one_of(FLAGS)]
Notice = Annotated[str, one_of(NOTICES)]
State = Annotated[str, one_of(STATES)]
Tier = Annotated[str, one_of(TIERS)]
Scope = Annotated[str, one_of(SCOPES)]
Status = Annotated[str, one_of(STATUSES)]
#: RFC 3339, UTC.
Instant = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
FoundBy = Literal["words", "meaning"]
Share = Annotated[float, Field(ge=0, le=1)]


class Answer(BaseModel):
    """Nothing is answered that is not said here."""

    model_config = ConfigDict(extra="forbid")


class Problem(Answer):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    field: str = ""


class Claim(Answer):
    """What a fact says, what of that hides or passes for something else, who said it, and when."""

    id: str
    text: str | None
    hidden: list[str]
    subject: str | None
    predicate: str | None
    object: str | None
    source: str
    at: Instant | None


class Opinion(Answer):
    """Belief, disbelief, uncertainty and base rate; the first three add up to one."""

    b: Share
    d: Share
    u: Share
    a: Share


class Reinforcement(Answer):
    """What feedback came to."""

    reinforcement: Share
    decay_adjustment: Share
    retrieval_priority: Share
    policy_delta: float
    identity_impact: float
    tool_dependence_delta: float


class Scores(Answer):
    """The scores of a fact, in full precision."""

    id: str
    state: State
    tier: Tier
    scope: Scope
    depth: int
    r: int
    s: int
    evidence: int
    contradictions: int
    use_count: int
    activation: float | None
    opinion: Opinion | None
    confidence: Share
    freshness: Share
    freshness_without_use: Share
    supersession: Share
    provenance: Share
    trust: Share
    band: Band
    flags: list[Flag]
    derived_weight: float
    weight: float
    retrieval_priority: Share | None
    reinforcement_count: int
    reinforcement: Reinforcement | None
    notices: list[Notice]


class ScoresUnder(Scores):
    """The same, and under which constants."""

    constants_version: int | None
    constants_fingerprint: str


class Listed(Claim):
    """A fact of a list."""

    scores: Scores


class Page(Answer):
    """A page of a list; `next` is where the following one begins."""

    now: Instant
    facts: list[Listed]
    next: str | None


class Exported(Claim):
    """A line of an export."""

    now: Instant
    scores: ScoresUnder


class Shown(Claim):
    """One fact."""

    now: Instant
    scores: Scores


class Candidate(Answer):
    """A fact that what was said restates, or may be in conflict with; what decided, and how much they have in
    common."""

    fact: str
    finding: str
    rule: str
    overlap: Share


class Remembered(Answer):
    """What became of what was said; `tombstone` and `reason` say so where it is kept out."""

    status: Literal["new", "restated", "known", "refused"]
    fact: str | None
    act: str | None
    candidates: list[Candidate]
    tombstone: str | None
    reason: str | None


class Hit(Claim):
    """A fact that was found."""

    tier: Tier
    band: Band
    trust: Share
    flags: list[Flag]
    confidence: Share
    freshness: Share
    supersession: Share
    provenance: Share
    notices: list[Notice]
    state: State
    relevance: Share
    rank: float
    found_by: list[FoundBy]
    advice: list[str]
    disputes: list[str]
    candidates: Annotated[list[str], Field(description="what it may be in conflict with: nobody has decided that yet")]
    superseded_by: list[str]
    replaces: list[str]


class Found(Answer):
    """What a search came to; `folded` are hits of sources that nobody has reviewed, beyond their share, and `held_back`
    says how many are not served, by why. By `search` it may be reported what came of it, within a day."""

    search: str | None
    now: Instant
    hits: list[Hit]
    folded: list[Hit]
    held_back: dict[str, int]
    limit: int


class Acted(Answer):
    """What was done; a person can undo the act."""

    act: str


class Said(Answer):
    """What was said of facts: whether it counts, or waits for a person. No act: it was said before."""

    act: str | None
    counts: bool


class Forgotten(Answer):
    """The act that forgot a fact, or the case by which a person is asked."""

    act: str | None
    case: str | None


class Change(Answer):
    """What was said, and of which facts."""

    at: Instant
    what: str
    facts: list[str]


class Changes(Answer):
    """What changed, oldest first; ask again from `until` on where there is `more`."""

    changes: list[Change]
    until: Annotated[str, Field(description="the `since` of the next question: an instant and a place")]
    more: bool


class Pass(Answer):
    """A consolidation pass; undone, it is void."""

    at: Instant
    void: bool


class Passes(Answer):
    """The latest passes."""

    passes: list[Pass]


class Health(Answer):
    """That the store answers."""

    status: Literal["ok"]
    now: Instant


class LineAnswer(Answer):
    """What became of a line that was sent; `field` and `reason` where something is wrong with it."""

    number: int
    status: Status
    type: str | None
    id: str | None
    field: str | None
    reason: str | None
