"""The lines of a history as the core reads them: what happened, by whom and when, without any free text.

Instants are int microseconds (`instants`). `arrived` is when a line came in; `act` names what wrote it.
A `source`, `run` or `by` of None takes its default from the fact (section 1). `signature` is the verdict
that was reached above the core: True verifies, False does not count, None there is none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Baseline:
    """What an imported store knew only as totals."""

    evidence: int = 0
    contradictions: int = 0
    uses: int = 0
    reinforcements: int = 0
    first_seen: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What every line has. When it `arrived`, and the import that brought it, are no content: comparison ignores them.
    Undoing an import voids its lines whatever their act.
    """

    id: str
    at: int
    arrived: int = field(compare=False)
    act: str | None = None
    imported: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(Line):
    """A claim is born at `at`, or was only first met then (`at_known` False). `source`, `run`, `producer`, `scope` and
    `tier` as in section 1; `prior` and `weight` where an import gives them.
    """

    source: str = "unknown"
    run: str | None = None
    producer: str = "unknown"
    core: bool = False
    scope: str = "session"
    tier: str = "auto"
    at_known: bool = True
    prior: float | None = None
    weight: float | None = None
    baseline: Baseline = Baseline()
    erased: bool = False
    signature: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge(Line):
    """`newer` is the line's `from`, `older` its `to`: the deriving or newer claim, the supporting or older one."""

    newer: str
    older: str
    relation: str
    run: str | None = None
    by: str | None = None
    tier: str = "auto"
    removed: bool = False
    signature: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Line):
    """Something that befell a `fact`, or a statement, act, key, tombstone or case (`of`)."""

    kind: str
    fact: str | None = None
    of: str | None = None
    run: str | None = None
    source: str | None = None
    tier: str = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Line):
    """What came of using a fact (section 8); `signals` fills channels with numbers from 0 to 1."""

    fact: str
    outcome: str
    run: str | None = None
    source: str | None = None
    tier: str = "auto"
    confirmed: bool = False
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantsChange(Line):
    """New values from then on; only those that change (section 11)."""

    version: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Pass:
    """A consolidation pass at an instant; its id is that instant as text."""

    at: int
    act: str | None = None
    imported: str | None = field(default=None, compare=False)
