"""What a person should do about a fact: one short sentence a flag and a state (section 6 of the model)."""

BY_FLAG = {
    "superseded": "a newer claim holds: use that one",
    "disputed": "resolve: decide which claim holds",
    "challenged": "rule on it: uphold or dismiss the challenge",
    "stale": "re-verify: long not confirmed, hardly used",
    "use-only": "re-verify: use alone keeps it fresh, long confirmed by nobody",
    "age-unknown": "find out since when it is so: no instant is known",
    "uncertain": "corroborate: ask another source",
    "settled": "nothing: it can be served as it is",
}
BY_STATE = {
    "pruned": "nothing, or say it again if it still holds: it faded, and that brings it back",
    "forgotten": "nothing, if that was right: its history says who forgot it, and a person can restore it",
    "erased": "nothing: its text is gone for good",
}


def advice(state: str, flags: list[str]) -> list[tuple[str, str]]:
    """What to do about one fact: (what it is, what to do) in the order of the flags."""
    if state != "live":
        return [(state, BY_STATE[state])]
    return [(flag, BY_FLAG[flag]) for flag in flags]
