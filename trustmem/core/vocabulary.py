"""The words of the model, each list in the order that its codes have in columns (int8)."""

TIERS = ("auto", "human", "signed")
AUTO, HUMAN, SIGNED = range(3)

PRODUCERS = ("unknown", "document", "inference", "user")

SCOPES = ("session", "global")
SESSION, GLOBAL = range(2)

STATES = ("live", "pruned", "forgotten", "erased")
LIVE, PRUNED, FORGOTTEN, ERASED = range(4)

RELATIONS = ("updates", "extends", "derives", "contradicts")

TOUCH_KINDS = ("restated", "corroborated", "linked", "recalled", "injected", "contradicted")
RESTATED, CORROBORATED, LINKED, RECALLED, INJECTED, CONTRADICTED = range(6)

FACT_EVENTS = (
    "restated",
    "corroborated",
    "recalled",
    "injected",
    "contradicted",
    "accepted",
    "forgotten",
    "restored",
    "erased",
)
RULINGS = ("dismissed", "upheld")
OF_EVENTS = (*RULINGS, "undone", "revoked", "lifted", "closed")

#: Events that only a person can make, whatever their line says (section 1, *Tier of an author*).
BY_PEOPLE = ("accepted", "restored", "erased", "undone", *RULINGS)

OUTCOMES = ("helpful", "unhelpful", "corrected", "ignored")

CHANNELS = (
    "importance",
    "usage_frequency",
    "goal_relevance",
    "novelty",
    "prediction_accuracy",
    "emotional_weight",
    "contradiction_risk",
    "policy_alignment",
    "tool_usefulness",
)

BANDS = ("very low", "low", "moderate", "high", "very high")

FLAGS = (
    "superseded",
    "disputed",
    "challenged",
    "stale",
    "use-only",
    "age-unknown",
    "uncertain",
    "settled",
)
NOTICES = ("bad-signature", "future-time")


def code_of(word: str, words: tuple[str, ...]) -> int:
    """The code of a word of one of these lists; ValueError for any other word.

    >>> code_of("human", TIERS)
    1
    """
    if word not in words:
        raise ValueError(f'"{word}" is none of {", ".join(words)}')
    return words.index(word)
