"""Cases in words: what kind each is, what can be decided about it, and what is at stake while it is open."""

from collections.abc import Callable

from trustmem.explanations.words import counted, say

#: Up to here a number of sources is a word.
_TEN = 10


def kind(name: str) -> str:
    """A kind of case in a word."""
    return {
        "contradiction": say("contradiction"),
        "challenge": say("challenge"),
        "candidate": say("candidate"),
        "orphan": say("orphan"),
        "cycle": say("cycle"),
        "bad signature": say("bad signature"),
        "bulk change": say("bulk change"),
        "stale favourite": say("stale favourite"),
        "restored value": say("restored value"),
        "calibration sample": say("calibration sample"),
        "duplicate": say("duplicate"),
        "wish to forget": say("wish to forget"),
        "": say("case of a file"),
    }[name]


def kinds(name: str, count: int, whole: Callable[[int], str] = str) -> str:
    """So many cases of a kind; `whole` writes the count."""
    number = whole(count)
    return {
        "contradiction": counted(count, "{number} contradiction", "{number} contradictions", number=number),
        "challenge": counted(count, "{number} challenge", "{number} challenges", number=number),
        "candidate": counted(count, "{number} candidate", "{number} candidates", number=number),
        "orphan": counted(count, "{number} orphan", "{number} orphans", number=number),
        "cycle": counted(count, "{number} cycle", "{number} cycles", number=number),
        "bad signature": counted(count, "{number} bad signature", "{number} bad signatures", number=number),
        "bulk change": counted(count, "{number} bulk change", "{number} bulk changes", number=number),
        "stale favourite": counted(count, "{number} stale favourite", "{number} stale favourites", number=number),
        "restored value": counted(count, "{number} restored value", "{number} restored values", number=number),
        "calibration sample": counted(
            count, "{number} calibration sample", "{number} calibration samples", number=number
        ),
        "duplicate": counted(count, "{number} duplicate", "{number} duplicates", number=number),
        "wish to forget": counted(count, "{number} wish to forget", "{number} wishes to forget", number=number),
        "": counted(count, "{number} case of a file", "{number} cases of files", number=number),
    }[name]


def asks(kind: str) -> str:
    """What a person is asked by a case of a kind."""
    return {
        "contradiction": say("Which of these holds?"),
        "challenge": say("Is this challenge right?"),
        "candidate": say("Do these contradict each other?"),
        "orphan": say("The claim that replaced this was forgotten: does it hold again?"),
        "cycle": say("Each of these takes the place of the next, in a ring: which came last?"),
        "bad signature": say("The signature of this does not count: does it hold all the same?"),
        "bulk change": say("One source speaks against much of what others said: an attack, a mistake, or right?"),
        "stale favourite": say("This is served often, and nobody has confirmed it for long: does it still hold?"),
        "restored value": say("This was forgotten, and came back: is it to be let in?"),
        "calibration sample": say("This was drawn at random, to see how well trust predicts truth: does it hold?"),
        "duplicate": say("Do these say the same?"),
        "wish to forget": say("An agent asks that this be forgotten: is it to be?"),
        "": say("A file brought it."),
    }[kind]


def verdict(name: str) -> str:
    """A verdict as it stands on its button."""
    return {
        "keep left": say("keep left"),
        "keep right": say("keep right"),
        "right updates left": say("right updates left"),
        "left updates right": say("left updates right"),
        "both hold": say("both hold"),
        "neither": say("neither"),
        "write the right one": say("write the right one"),
        "not a contradiction": say("not a contradiction"),
        "uphold": say("uphold"),
        "dismiss": say("dismiss"),
        "it holds": say("it holds"),
        "forget it": say("forget it"),
        "by age": say("by age"),
        "let it in": say("let it in"),
        "let it stand": say("let it stand"),
        "merge": say("merge"),
        "not the same": say("not the same"),
    }[name]


def means(verdict: str) -> str:
    """What a verdict comes to."""
    return {
        "keep left": say("The older claim is accepted, the newer one is forgotten."),
        "keep right": say("The newer claim is accepted, the older one is forgotten."),
        "right updates left": say("The newer claim holds, and supersedes the older one."),
        "left updates right": say("The older claim holds, and supersedes the newer one."),
        "both hold": say("At different times, in different scopes, or for different holders."),
        "neither": say("Both claims are forgotten."),
        "write the right one": say("A new claim takes the place of both."),
        "not a contradiction": say("What was said against them is dismissed; both stay."),
        "uphold": say("What was said against it holds from now on."),
        "dismiss": say("What was said against it counts as never said."),
        "it holds": say("It is accepted: a person stands behind it."),
        "forget it": say("It is forgotten: served to nobody any more."),
        "by age": say("Where an older claim updates a newer one, that is dismissed."),
        "let it in": say("What keeps it out is lifted."),
        "let it stand": say("Nothing changes; the case is closed."),
        "merge": say("They say the same: what was said of the newer claim counts for the older one from now on."),
        "not the same": say("Both stay, and are not found to be duplicates again."),
    }[verdict]


def stakes(served: int, support: int, opposition: int) -> str:
    """Why a case stands where it does in the queue: how often its facts were handed out lately, and how many sources
    are for and against the one that is trusted most.

    >>> stakes(41, 2, 1)
    'served 41 times this month, two sources for, one against'
    """
    return ", ".join((_served(served), _support(support), _opposition(opposition)))


def _served(times: int) -> str:
    if times == 0:
        return say("not served this month")
    return counted(times, "served once this month", "served {count} times this month")


def _support(sources: int) -> str:
    if sources == 0:
        return say("no source for")
    return counted(sources, "one source for", "{number} sources for", number=_number(sources))


def _opposition(sources: int) -> str:
    if sources == 0:
        return say("none against")
    return counted(sources, "one against", "{number} against", number=_number(sources))


def _number(value: int) -> str:
    """A small number as a word."""
    if not 2 <= value <= _TEN:
        return str(value)
    return (
        say("two"),
        say("three"),
        say("four"),
        say("five"),
        say("six"),
        say("seven"),
        say("eight"),
        say("nine"),
        say("ten"),
    )[value - 2]
