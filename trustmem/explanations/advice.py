"""What a person should do about a fact: one short sentence a flag and a state (section 6 of the model)."""

from trustmem.explanations.words import say


def by_flag() -> dict[str, str]:
    """What to do about a live fact, by its flag."""
    return {
        "superseded": say("a newer claim holds: use that one"),
        "disputed": say("resolve: decide which claim holds"),
        "challenged": say("rule on it: uphold or dismiss the challenge"),
        "stale": say("re-verify: long not confirmed, hardly used"),
        "use-only": say("re-verify: use alone keeps it fresh, long confirmed by nobody"),
        "age-unknown": say("find out since when it is so: no instant is known"),
        "uncertain": say("corroborate: ask another source"),
        "settled": say("nothing: it can be served as it is"),
    }


def by_state() -> dict[str, str]:
    """What to do about a fact that is not live, by its state."""
    return {
        "pruned": say("nothing, or say it again if it still holds: it faded, and that brings it back"),
        "forgotten": say("nothing, if that was right: its history says who forgot it, and a person can restore it"),
        "erased": say("nothing: its text is gone for good"),
    }


def advice(state: str, flags: list[str]) -> list[tuple[str, str]]:
    """What to do about one fact: (what it is, what to do) in the order of the flags."""
    if state != "live":
        return [(state, by_state()[state])]
    words = by_flag()
    return [(flag, words[flag]) for flag in flags]
