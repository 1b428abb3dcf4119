"""Conflicts: the rules by which two facts are found to be in conflict, each from features that can be told.

They are asked one after the other, and the first that finds something decides:

    slot        the same subject and predicate were given, and another object; or another thing stands right after the
                same subject and verb
    negation    one denies what the other says, or says it of this alone (`denials`)
    change      what is due in one is done in the other; or one tells of a change, and the other of what was left by
                it, or of another number of the same measure
    order       the same words in other parts (`order`)
    antonym     an opposite, or another of a group of which only one holds
    number      another number, date, version or amount
    name        another name
    word        another word of substance

The last four go by what was exchanged (`exchange`), and none decides where that tells which thing is meant
(`siblings`).
"""

from itertools import pairwise

from trustmem.core.conflict import Conflict
from trustmem.core.denials import denial
from trustmem.core.exchange import ANTONYMS, KINDS, NAMES, NUMBERS, WORDS, Exchange
from trustmem.core.measures import measure
from trustmem.core.order import order
from trustmem.core.reading import EVENT, Reading
from trustmem.core.restatement import word_set
from trustmem.core.siblings import are_labelled, are_siblings
from trustmem.core.sides import OTHER, PARTLY, SAME, UNKNOWN, Sides
from trustmem.core.tokens import DATE, MARK, NUMBER, STOP

#: Below this overlap the words alone do not tell that two texts claim something of the same kind: what both say beyond
#: their subjects has to be at least this much of the shorter.
_LOOSE, _LEAST_BEYOND = 0.3, 0.34
#: From this overlap on, two texts are one sentence with something in it exchanged.
_FRAME = 0.5
#: Where their vectors, too, lie farther apart than this, texts that share few words are about other things.
_FAR = 0.4
#: What is due and what is done are the same errand from so much on that both say; less where the verb is the same.
_ERRAND, _ERRAND_BY_VERB = 0.6, 0.3
#: Two texts that both tell of a change tell of the same one from so much on.
_SAME_CHANGE = 0.35
#: Where only the subjects that were given say that both are about one thing, no more words than this are exchanged.
_FEW = 3


def conflict(sides: Sides) -> Conflict | None:
    """What two facts are in conflict by, if they are.

    >>> from trustmem.core.sides import Said
    >>> conflict(Sides(Said("Ana lives in Porto"), Said("Ana lives in Lisbon"))).rule
    'name'
    """
    return _by_fields(sides) or denial(sides) or _progress(sides) or _by_text(sides)


def _by_text(sides: Sides) -> Conflict | None:
    predicates = [word_set(said.predicate) for said in sides.said]
    if all(predicates) and predicates[0] != predicates[1]:
        return None
    return order(sides) or _left_behind(sides) or _change(sides) or _exchanged(sides)


def _by_fields(sides: Sides) -> Conflict | None:
    """The same subject and predicate were given, of which a thing has one object, and another object."""
    one, other = sides.said
    if sides.fields != SAME or not (one.object and other.object):
        return None
    predicates, objects = (
        [word_set(text) for text in pair] for pair in ((one.predicate, other.predicate), (one.object, other.object))
    )
    if not predicates[0] or predicates[0] != predicates[1] or objects[0] == objects[1]:
        return None
    if predicates[0] & sides.left.lexicon.several:
        return None
    return Conflict("slot", {"exchanged": [[one.object, other.object]]})


def _progress(sides: Sides) -> Conflict | None:
    """What was to be done in the one is done in the other."""
    states = (sides.left.status, sides.right.status)
    if set(states) != {"due", "done"} or sides.fields == OTHER:
        return None
    due, done = (sides.left, sides.right) if states[0] == "due" else (sides.right, sides.left)
    same_verb = done.opens == EVENT and done.tokens[done.verb].stem in due.content
    if sides.contained < (_ERRAND_BY_VERB if same_verb else _ERRAND):
        return None
    return Conflict("change", {"status": list(states)}, states.index("done"))


def _left_behind(sides: Sides) -> Conflict | None:
    """One text tells what was left by a change, and the other claims that still, of one thing."""
    for newer, (telling, other) in enumerate(((sides.left, sides.right), (sides.right, sides.left))):
        claimed = other.content - other.subject
        if telling.left and telling.left <= claimed and not other.left and sides.about in (SAME, PARTLY):
            gone = [token.shown for token in telling.tokens if token.stem in telling.left]
            return Conflict("change", {"changes": list(telling.changes), "left": gone}, newer)
    return None


def _change(sides: Sides) -> Conflict | None:
    """One text tells of a change, both of the same thing, and something of the same measure is another."""
    left, right = sides.left, sides.right
    told = [reading.changes for reading in (left, right)]
    if not any(told) or sides.fields == OTHER or are_labelled(sides):
        return None
    if all(told) and sides.contained < _SAME_CHANGE:
        return None
    numbers = [_measured(own, other) for own, other in ((left, right), (right, left))]
    if not set(numbers[0]) & set(numbers[1]) or not _same_topic(sides):
        return None
    shown = [[" ".join(side[key]) for side in numbers] for key in numbers[0] if key in numbers[1]]
    return Conflict(
        "change",
        {"exchanged": shown, "changes": sorted({*told[0], *told[1]})},
        None if all(told) else int(bool(told[1])),
    )


def _measured(own: Reading, other: Reading) -> dict[str, list[str]]:
    """Numbers that only one text has, as shown, by what they measure; a date that a text opens with is none."""
    known = {token.key for token in other.tokens}
    found: dict[str, list[str]] = {}
    for token in own.tokens[1:]:
        if token.kind in (NUMBER, DATE) and token.key not in known:
            found.setdefault(measure(token.key, token.value), []).append(token.shown)
    return found


def _same_topic(sides: Sides) -> bool:
    """Whether both have two plain words side by side, or three anywhere."""
    plain = {stem for stem in sides.shared - sides.left.names - sides.right.names if not stem[:1].isdigit()}
    runs = []
    for reading in (sides.left, sides.right):
        said = [token.stem for token in reading.tokens if token.kind not in (STOP, MARK)]
        runs.append({pair for pair in pairwise(said) if plain.issuperset(pair)})
    return len(plain) >= 3 or bool(runs[0] & runs[1])


def _exchanged(sides: Sides) -> Conflict | None:
    """Something of substance stands in the place of something else."""
    found = sides.exchanges
    if not found or are_siblings(sides):
        return None
    kinds = [each.kind for each in found]
    told = {"exchanged": [each.shown for each in found]}
    shared, share = sides.beyond
    close = sides.overlap >= _LOOSE or share >= _LEAST_BEYOND
    if ANTONYMS in kinds and (shared or close):
        return Conflict("antonym", told)
    if set(kinds) == {WORDS}:
        return _worded(sides, found, told)
    if not close and not (sides.fields == SAME and sides.differs_once):
        return None
    if KINDS in kinds:
        return Conflict("antonym", told)
    first = kinds[0] == NUMBERS or sides.overlap < _LOOSE
    return Conflict("number" if NUMBERS in kinds and (first or NAMES not in kinds) else "name", told)


def _worded(sides: Sides, found: list[Exchange], told: dict[str, list[list[str]]]) -> Conflict | None:
    shared, share = sides.beyond
    left, right = sides.left, sides.right
    if shared and share >= _FRAME and _same_slot(sides):
        return Conflict("slot", told)
    at_verb = found[0].place[0] <= left.verb and found[0].place[1] <= right.verb
    if at_verb and sides.overlap < _FRAME:
        return None
    if sides.fields == SAME and sides.begins != SAME:
        few = len(found) == 1 and max(len(found[0].left), len(found[0].right)) <= _FEW
        return Conflict("word", told) if few and (sides.overlap >= _FRAME or sides.differs_once) else None
    if sides.overlap < _LOOSE and sides.cosine is not None and sides.cosine < _FAR:
        return None
    if sides.about in (SAME, PARTLY) and (shared or sides.overlap >= _FRAME):
        return Conflict("word", told)
    return Conflict("word", told) if sides.about == UNKNOWN and shared and sides.overlap >= _FRAME else None


def _same_slot(sides: Sides) -> bool:
    """Whether both say of one thing what it is, or has: "is a …"."""
    if sides.about != SAME:
        return False
    verbs = [[token.key for token in r.tokens[r.verb : r.verb + 2]] for r in (sides.left, sides.right)]
    articles = [[{"an": "a"}.get(key, key) for key in keys] for keys in verbs]
    return articles[0] == articles[1] and verbs[0][:1] != [] and verbs[0][0] in sides.left.lexicon.auxiliaries
