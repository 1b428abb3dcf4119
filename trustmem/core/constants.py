"""Every constant of the model: value, bounds, group, origin and meaning (section 11).

Pages, docs and the lab are made from this registry, so what is said here is what people read.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from trustmem.core.nested import ByProducer, ByRule, ByTier, Nested

Group = Literal["confidence", "freshness", "supersession", "provenance", "bands", "weight", "feedback", "edges"]

#: About what a double holds; JSON has whole numbers beyond it, and NaN is not below it.
_LARGEST = 1e308

#: A number as people write it in a field.
_WRITTEN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)

#: Constants that earlier designs had; a file that still names one is read, with a notice.
RETIRED = frozenset({"reconfirm_boost"})


class ConstantError(ValueError):
    """A constant that is unknown, fixed or out of its bounds; the message names it."""


@dataclass(frozen=True, slots=True)
class Meta:
    """What is known about a constant beside its value."""

    low: float
    high: float
    group: Group
    tunable: bool
    origin: str
    meaning: str


def _tunable(default: Any, low: float, high: float, group: Group, origin: str, meaning: str) -> Any:
    return field(default=default, metadata={"meta": Meta(low, high, group, True, origin, meaning)})


def _fixed(value: float, group: Group, origin: str, meaning: str) -> Any:
    """A code constant by design (ADR-0091: not a tunable): its bounds leave it no room."""
    return field(default=value, metadata={"meta": Meta(value, value, group, False, origin, meaning)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """One version of all constants. Raises ConstantError where a value is of another shape or leaves its bounds.

    >>> Constants().prior_weight, Constants(prior_weight=3.0).prior_weight
    (2.0, 3.0)
    """

    prior_weight: float = _tunable(
        2.0, 0.01, 100.0, "confidence", "paper (Jøsang: W = 2)",
        "W: how much evidence outweighs the base rate",
    )
    base_rate: ByTier = _tunable(
        ByTier(auto=0.6, human=0.85, signed=0.95), 0.01, 1.0, "confidence", "ADR-029",
        "confidence of a fact for and against which nothing was said, by tier",
    )
    dispute_threshold: float = _tunable(
        0.25, 0.0, 1.0, "confidence", "taste",
        "disbelief from which a fact is flagged disputed",
    )
    uncertainty_threshold: float = _tunable(
        0.5, 0.0, 1.0, "confidence", "taste",
        "uncertainty from which a fact is flagged uncertain",
    )
    runs_per_source: int = _tunable(
        1, 1, 1000, "confidence", "ours: independence means sources",
        "how many runs of one source count as evidence for trust",
    )
    activation_decay: float = _tunable(
        0.5, 0.01, 0.99, "freshness", "paper (ACT-R d = 0.5)",
        "δ: how fast a reinforcement loses its effect",
    )
    activation_midpoint: float = _tunable(
        -1.7, -10.0, 10.0, "freshness", "two ages: seen once, 0.8 at 7 d and 0.26 at 90 d; replace by a fit",
        "B0: the activation at which freshness is one half",
    )
    activation_scale: float = _tunable(
        0.525, 0.05, 10.0, "freshness", "two ages: seen once, 0.8 at 7 d and 0.26 at 90 d; replace by a fit",
        "σ: how widely freshness spreads around the midpoint",
    )
    age_floor_seconds: float = _fixed(
        60.0, "freshness", "ours: numerical",
        "no age counts as less than this",
    )
    use_activation: float = _tunable(
        1.0, 0.0, 1.0, "freshness", "paper (ACT-R counts every access)",
        "how much a use refreshes, beside a confirmation",
    )
    stale_threshold: float = _tunable(
        0.25, 0.0, 1.0, "freshness", "taste",
        "freshness below which a fact is flagged stale",
    )
    supersession_factor: float = _tunable(
        0.5, 0.05, 1.0, "supersession", "ADR-029",
        "γ: what each newer claim above a fact leaves of its trust",
    )
    provenance_gate: ByTier = _tunable(
        ByTier(auto=0.8, human=0.9, signed=1.0), 0.01, 1.0, "provenance", "ADR-029",
        "the most that a fact of a tier can be trusted",
    )
    band_edges: tuple[float, float, float, float] = _tunable(
        (0.2, 0.4, 0.6, 0.8), 0.001, 0.999, "bands", "taste: five equal bands",
        "where each trust band after the first begins",
    )
    birth_weight: ByProducer = _tunable(
        ByProducer(core=1.0, user=0.95, document=0.75, inference=0.7, unknown=0.6), 0.0, 1.0, "weight",
        "inference: ADR-0091; user above what corroboration alone can reach: ADR-0091; the rest taste",
        "prior of a fact by who produced it",
    )
    corroboration_max: float = _fixed(
        0.25, "weight", "ADR-0091",
        "the most that evidence adds to a weight",
    )
    corroboration_half_saturation: float = _fixed(
        2.0, "weight", "ADR-0091",
        "evidence at which half of that is reached",
    )
    contradiction_delta: float = _fixed(
        0.1, "weight", "ADR-0091",
        "what each contradiction takes from a weight",
    )
    contradiction_max: float = _fixed(
        0.3, "weight", "ADR-0091",
        "the most that contradictions take",
    )
    superseded_penalty: float = _fixed(
        0.1, "weight", "ADR-0091",
        "what being superseded takes from a weight",
    )
    reconfirm_cap: float = _tunable(
        0.9, 0.0, 1.0, "weight", "ADR-0053/0091",
        "the most that evidence can lift a weight to, unless its prior is higher",
    )
    session_half_life_days: float = _tunable(
        3.0, 0.01, 36500.0, "weight", "ADR-0090 (v3)",
        "half-life of a session fact",
    )
    global_half_life_days: float = _tunable(
        60.0, 0.01, 36500.0, "weight", "ADR-0090 (v3)",
        "half-life of a global fact",
    )
    global_floor: float = _tunable(
        0.2, 0.0, 1.0, "weight", "ADR-0090 (v3)",
        "weight towards which a global fact decays",
    )
    use_decay_slowing: float = _fixed(
        0.25, "weight", "ADR-0091",
        "what each use adds to a half-life, as a share of it",
    )
    use_decay_slowing_cap: int = _fixed(
        4, "weight", "ADR-0091",
        "uses after which a half-life grows no more",
    )
    superseded_half_life: float = _fixed(
        0.5, "weight", "ADR-0091",
        "what being superseded leaves of a half-life",
    )
    max_pass_gap_days: float = _tunable(
        1.0, 0.01, 365.0, "weight", "ours: what running time means for a server",
        "the most that the running clock moves between two passes",
    )
    min_weight: float = _tunable(
        0.3, 0.0, 1.0, "weight", "taste (ADR-0091 calls it min_confidence; it reads W)",
        "weight below which agents are not served a fact",
    )
    prune_threshold: float = _tunable(
        0.05, 0.0, 1.0, "weight", "taste",
        "weight below which a pass prunes a fact",
    )
    promote_threshold: float = _tunable(
        0.8, 0.0, 1.0, "weight", "ADR-0091",
        "derived weight from which a session fact can become global",
    )
    promote_evidence: int = _tunable(
        2, 0, 1000, "weight", "ADR-0091",
        "evidence that promotion asks for",
    )
    promote_stable_days: float = _tunable(
        1.0, 0.0, 365.0, "weight", "ADR-0091",
        "how long a derived weight must stay above the threshold before promotion",
    )
    restatement_jaccard: float = _tunable(
        0.6, 0.0, 1.0, "edges", "ADR-0091",
        "overlap of words that makes a candidate for a restatement",
    )
    candidate_overlap: ByRule = _tunable(
        ByRule(negation=0.05, number=0.1, name=0.1, order=0.3, antonym=0.1, word=0.25, slot=0.0, change=0.0),
        0.0, 1.1, "edges", "ours",
        "overlap of words from which what a rule finds waits for a person; above 1: never",
    )
    hebbian_count_bonus: float = _tunable(
        0.03, 0.0, 0.2, "feedback", "Cognitive Substrate (0.02–0.05)",
        "what each doubling of the feedback count adds to retrieval priority, times R",
    )
    hebbian_prior_weight: float = _tunable(
        0.6, 0.0, 1.0, "feedback", "ours: slow loss of influence",
        "share of the old retrieval priority that a new evaluation keeps",
    )
    decay_neutral: float = _fixed(
        0.675, "feedback", "ours: R = 0.5 neither slows nor hastens",
        "decay adjustment that leaves a half-life as it is",
    )
    suppress_threshold: float = _tunable(
        0.35, 0.0, 1.0, "feedback", "Cognitive Substrate's suppression level",
        "retrieval priority below which agents are not served a fact with feedback",
    )
    neighbours: int = _tunable(
        10, 1, 1000, "edges", "ADR-029",
        "how many nearest facts each fact may be linked with",
    )

    def __post_init__(self) -> None:
        for name, meta in REGISTRY.items():
            value = _parse(name, getattr(self, name))
            _check(name, value, meta)
            object.__setattr__(self, name, value)  # what JSON gives is given its own type: 3 is 3.0
        if list(self.band_edges) != sorted(set(self.band_edges)):
            raise ConstantError('"band_edges" must rise')


REGISTRY: dict[str, Meta] = {each.name: each.metadata["meta"] for each in fields(Constants)}
_DEFAULTS: dict[str, Any] = {each.name: each.default for each in fields(Constants)}


def _check(name: str, value: object, meta: Meta) -> None:
    for number in _numbers(value):
        if not meta.low <= number <= meta.high:
            bounds = f"must lie from {meta.low:g} to {meta.high:g}" if meta.tunable else f"is fixed at {meta.low:g}"
            raise ConstantError(f'"{name}" {bounds}, not {number:.15g}')


def _numbers(value: object) -> list[float]:
    if isinstance(value, Nested):
        return list(asdict(value).values())
    return list(value) if isinstance(value, tuple) else [value]  # type: ignore[list-item]


def to_json(constants: Constants) -> dict[str, Any]:
    """All constants as JSON values, nested ones whole.

    >>> to_json(Constants())["base_rate"]
    {'auto': 0.6, 'human': 0.85, 'signed': 0.95}
    """
    values = asdict(constants)
    return values | {"band_edges": list(constants.band_edges)}


def changed(constants: Constants, values: Mapping[str, Any]) -> Constants:
    """`constants` with the JSON `values` that change; retired names are passed over.

    Raises ConstantError, naming the constant, where one is unknown, not given whole, or out of bounds.

    >>> changed(Constants(), {"prior_weight": 3}).prior_weight
    3.0
    """
    for name in values:
        if name not in REGISTRY and name not in RETIRED:
            raise ConstantError(f'"{name}" is not a constant')
    return replace(constants, **{name: value for name, value in values.items() if name in REGISTRY})


def differences(before: Constants, after: Constants) -> dict[str, Any]:
    """What of `after` is another than `before`, as JSON values: adopted, they make the one of the other.

    >>> differences(Constants(), Constants(prior_weight=3.0))
    {'prior_weight': 3.0}
    """
    was = to_json(before)
    return {name: value for name, value in to_json(after).items() if value != was[name]}


def fingerprint(constants: Constants) -> str:
    """What these constants and no others have: SHA-256 (hex) over the canonical JSON of all of them.

    >>> fingerprint(Constants())[:12], fingerprint(Constants(prior_weight=3.0))[:12]
    ('aa3ed6b2832f', '4716c46a85ee')
    """
    text = json.dumps(to_json(constants), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def flat(constants: Constants) -> dict[str, float]:
    """Every number of the constants by a name of its own: of nested ones, with the name or place of the part.

    >>> [(name, number) for name, number in flat(Constants()).items() if name.startswith("ba")][-2:]
    [('band_edges.2', 0.6), ('band_edges.3', 0.8)]
    """
    return {
        f"{name}.{part}" if part else name: number
        for name, value in to_json(constants).items()
        for part, number in _by_part(value).items()
    }


def _by_part(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {str(place): each for place, each in enumerate(value)}
    return value if isinstance(value, dict) else {"": value}


def trial(in_force: Constants, given: Mapping[str, str]) -> Constants:
    """`in_force` with the numbers that are `given` as text, by the names of `flat`.

    Raises ConstantError, naming the field, for one that is unknown, fixed, out of bounds or no number.

    >>> trial(Constants(), {"base_rate.auto": "0.5", "prior_weight": "3"}).base_rate.auto
    0.5
    """
    values, known = to_json(in_force), flat(in_force)
    for flat_name, text in given.items():
        if flat_name not in known:
            raise ConstantError(f'"{flat_name}" is not a constant')
        name, _, part = flat_name.partition(".")
        meta = REGISTRY[name]
        if not meta.tunable:
            raise ConstantError(f'"{flat_name}" is fixed at {meta.low:g}')
        number = _written(flat_name, text, isinstance(known[flat_name], int))
        _check(flat_name, number, meta)
        if part:
            values[name][int(part) if isinstance(values[name], list) else part] = number
        else:
            values[name] = number
    return changed(in_force, values)


def _written(name: str, text: str, is_whole: bool) -> float:
    if not _WRITTEN.fullmatch(text.strip()):
        raise ConstantError(f'"{name}" must be a number')
    number = float(text)
    if is_whole and not number.is_integer():
        raise ConstantError(f'"{name}" must be a whole number')
    return number


def _parse(name: str, value: Any) -> Any:
    default = _DEFAULTS[name]
    if isinstance(default, Nested):
        return _parse_nested(name, value, type(default))
    if isinstance(default, tuple):
        if not isinstance(value, list | tuple) or len(value) != len(default):
            raise ConstantError(f'"{name}" must be a list of {len(default)} numbers')
        return tuple(_number(name, each) for each in value)
    number = _number(name, value)
    if isinstance(default, int) and number != int(number):
        raise ConstantError(f'"{name}" must be a whole number')
    return int(number) if isinstance(default, int) else number


def _parse_nested(name: str, value: Any, kind: type[Nested]) -> Nested:
    keys = [each.name for each in fields(kind)]
    if isinstance(value, kind):
        value = asdict(value)
    if not isinstance(value, Mapping) or set(value) != set(keys):
        raise ConstantError(f'"{name}" must be given whole: {", ".join(keys)}')
    return kind(**{key: _number(name, each) for key, each in value.items()})


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_LARGEST <= value <= _LARGEST:
        raise ConstantError(f'"{name}" must be a number')
    return float(value) + 0.0  # of the two zeros, the one without a sign
