"""What the doors for agents answer to who asks why a fact is worth what it is, as models."""

from typing import Annotated, Literal

from trustmem.core.vocabulary import PRODUCERS, TOUCH_KINDS
from trustmem.intake.answers import Answer, Band, Instant, Scope, ScoresUnder, Share, Tier, one_of

Producer = Annotated[str, one_of(PRODUCERS)]
Touched = Annotated[str, one_of(TOUCH_KINDS)]


class Advice(Answer):
    """What to do about a flag or a state."""

    about: str
    advice: str


class Factor(Answer):
    """A factor of trust, the product down to and with it, and why it is what it is."""

    factor: str
    value: Share
    product: Share
    because: str
    words: str
    arithmetic: str


class Lift(Answer):
    """What would lift a fact, and where to."""

    change: str
    words: str
    trust: Share
    band: Band


class Anchored(Answer):
    """When a weight was as it is: days of the running clock, and the instant."""

    clock: float
    instant: Instant | None


class Weight(Answer):
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


class Signed(Answer):
    """The key of a signature, and whether that counts."""

    key: str
    counts: bool


class Provenance(Answer):
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


class Touches(Answer):
    """What a source had to say of a fact, by kind: in how many runs, in how many of them for or against trust."""

    source: str
    kind: Touched
    runs: int
    speaking: int
    last: Instant


class Served(Answer):
    """To whom a fact was handed out."""

    source: str
    run: str
    kind: Touched
    at: Instant


class Other(Answer):
    """Another fact, as far as it is told of."""

    id: str
    text: str | None
    state: str | None


class Link(Other):
    """A claim of a chain, so many steps above the fact."""

    step: int
    at: Instant


class Happening(Answer):
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


class Explained(Answer):
    """Why a fact is worth what it is."""

    id: str
    text: str | None
    hidden: list[str]
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
