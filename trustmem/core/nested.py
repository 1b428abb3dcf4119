"""Constants that are made of several values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ByTier:
    """One value for each tier of a fact."""

    auto: float
    human: float
    signed: float


@dataclass(frozen=True, slots=True)
class ByProducer:
    """One value for each producer of a fact, and one for core facts."""

    core: float
    user: float
    document: float
    inference: float
    unknown: float


@dataclass(frozen=True, slots=True)
class ByRule:
    """One value for each rule by which two facts may be found to be in conflict (`core.contradictions`)."""

    negation: float
    number: float
    name: float
    order: float
    antonym: float
    word: float
    slot: float
    change: float


#: Values that are made of several.
Nested = ByTier | ByProducer | ByRule
