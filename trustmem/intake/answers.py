"""What the doors for agents answer, as models: the schema of HTTP and the structured output of MCP say what these say.

What a fact says stands in `text`, `subject`, `predicate` and `object`, and nowhere else.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from trustmem.core.vocabulary import BANDS, FLAGS, NOTICES, PRODUCERS, SCOPES, STATES, TIERS, TOUCH_KINDS
from trustmem.formats.interchange import STATUSES


def _one_of(words: tuple[str, ...]) -> Any:
    return Field(json_schema_extra={"enum": list(words)})


Band = Annotated[str, _one_of(BANDS)]
Flag = Annotated[str, _one_of(FLAGS)]
Notice = Annotated[str, _one_of(NOTICES)]
State = Annotated[str, _one_of(STATES)]
Tier = Annotated[str, _one_of(TIERS)]
Scope = Annotated[str, _one_of(SCOPES)]
Producer = Annotated[str, _one_of(PRODUCERS)]
Touched = Annotated[str, _one_of(TOUCH_KINDS)]
Status = Annotated[str, _one_of(STATUSES)]
#: RFC 3339, UTC.
Instant = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Share = Annotated[float, Field(ge=0, le=1)]


class _Answer(BaseModel):
    """Nothing is answered that is not said here."""

    model_config = ConfigDict(extra="forbid")


class Problem(_Answer):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    field: str = ""


class Claim(_Answer):
    """What a fact says, who said it, and when."""

    id: str
    text: str | None
    subject: str | None
    predicate: str | None
    object: str | None
    source: str
    at: Instant | None


class Opinion(_Answer):
    """Belief, disbelief, uncertainty and base rate; the first three add up to one."""

    b: Share
    d: Share
    u: Share
    a: Share


class Reinforcement(_Answer):
    """What feedback came to."""

    reinforcement: Share
    decay_adjustment: Share
    retrieval_priority: Share
    policy_delta: float
    identity_impact: float
    tool_dependence_delta: float


class Scores(_Answer):
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


class Page(_Answer):
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


class Candidate(_Answer):
    """A fact that what was said restates, or may be in conflict with; what decided, and how much they have in
    common."""

    fact: str
    finding: str
    rule: str
    overlap: Share


class Remembered(_Answer):
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
    advice: list[str]
    disputes: list[str]
    superseded_by: list[str]
    replaces: list[str]


class Found(_Answer):
    """What a search came to; `folded` are hits of sources that nobody has reviewed, beyond their share, and `held_back`
    says how many are not served, by why."""

    now: Instant
    hits: list[Hit]
    folded: list[Hit]
    held_back: dict[str, int]
    limit: int


class Acted(_Answer):
    """What was done; a person can undo the act."""

    act: str


class Said(_Answer):
    """What was said of facts: whether it counts, or waits for a person. No act: it was said before."""

    act: str | None
    counts: bool


class Forgotten(_Answer):
    """The act that forgot a fact, or the case by which a person is asked."""

    act: str | None
    case: str | None


class Advice(_Answer):
    """What to do about a flag or a state."""

    about: str
    advice: str


class Factor(_Answer):
    """A factor of trust, the product down to and with it, and why it is what it is."""

    factor: str
    value: Share
    product: Share
    because: str
    words: str
    arithmetic: str


class Lift(_Answer):
    """What would lift a fact, and where to."""

    change: str
    words: str
    trust: Share
    band: Band


class Anchored(_Answer):
    """When a weight was as it is: days of the running clock, and the instant."""

    clock: float
    instant: Instant | None


class Weight(_Answer):
    """What a fact weighs, from what it fades, and how fast."""

    derived: float
    weight: float
    as_of: Instant | None
    anchor: float
    anchored_at: Anchored
    clock: float
    half_life_days: float | None
    scope: Scope
    served: bool
    promotion_waits_until: list[str] | None


class Signed(_Answer):
    """The key of a signature, and whether that counts."""

    key: str
    counts: bool


class Provenance(_Answer):
    """Where a fact comes from."""

    source: str
    run: str
    born: Instant
    tier: Tier
    accepted: bool
    signature: Signed | None
    imported: str | None
    producer: Producer
    core: bool
    at_known: bool
    subject: str | None
    predicate: str | None
    object: str | None
    tags: list[str]
    entities: list[str]


class Touches(_Answer):
    """What a source had to say of a fact, by kind: in how many runs, in how many of them for or against trust."""

    source: str
    kind: Touched
    runs: int
    speaking: int
    last: Instant


class Served(_Answer):
    """To whom a fact was handed out."""

    source: str
    run: str
    kind: Touched
    at: Instant


class Other(_Answer):
    """Another fact, as far as it is told of."""

    id: str
    text: str | None
    state: str | None


class Link(Other):
    """A claim of a chain, so many steps above the fact."""

    step: int
    at: Instant


class Happening(_Answer):
    """A line about a fact, and what became of it."""

    at: Instant
    id: str
    act: str | None
    kind: str
    removed: bool | None
    direction: Literal["from", "to"] | None
    what: str
    by: str
    run: str
    note: str | None
    became: str | None
    effect: str | None
    other: Other | None


class Explained(_Answer):
    """Why a fact is worth what it is."""

    id: str
    text: str | None
    now: Instant
    scores: ScoresUnder
    what_to_do: list[Advice]
    why: list[Factor]
    lift: list[Lift]
    weight: Weight
    suppressed: bool
    provenance: Provenance
    touches: list[Touches]
    served: list[Served]
    contradictions: list[Happening]
    challenges: list[Happening]
    chain: list[Link]
    history: list[Happening]
    constants_version: int | None


class Change(_Answer):
    """What was said, and of which facts."""

    at: Instant
    what: str
    facts: list[str]


class Changes(_Answer):
    """What changed, oldest first; ask again from `until` on where there is `more`."""

    changes: list[Change]
    until: Instant
    more: bool


class Pass(_Answer):
    """A consolidation pass; undone, it is void."""

    at: Instant
    void: bool


class Passes(_Answer):
    """The latest passes."""

    passes: list[Pass]


class Health(_Answer):
    """That the store answers."""

    status: Literal["ok"]
    now: Instant


class LineAnswer(_Answer):
    """What became of a line that was sent; `field` and `reason` where something is wrong with it."""

    number: int
    status: Status
    type: str | None
    id: str | None
    field: str | None
    reason: str | None
