"""Verdicts: a person decides cases, in one act that can be undone."""

from collections.abc import Callable, Mapping, Sequence

from django.db import transaction

from trustmem.actions import acts, batches, cases, facts, since, statements, tombstones
from trustmem.actions.batches import Batch
from trustmem.actions.cases import Closing
from trustmem.actions.drafts import CONTRADICTS, NO_WORDS, UPDATES, Draft, Words, portions
from trustmem.actions.errors import Refusal
from trustmem.core.instants import to_text
from trustmem.core.vocabulary import FORGOTTEN, SIGNED
from trustmem.store import bulk, queue
from trustmem.store.cases import (
    BAD_SIGNATURE,
    BULK_CHANGE,
    CANDIDATE,
    CHALLENGE,
    CONTRADICTION,
    CYCLE,
    DUPLICATE,
    FORGET_WISH,
    ORPHAN,
    RESTORED_VALUE,
    SAMPLE,
    STALE_FAVOURITE,
    kind_of,
)
from trustmem.store.duplicates import APART, MERGE
from trustmem.store.models import Case, Fact, Space
from trustmem.store.queue import Filter

_OF_A_PAIR = (
    "keep left",
    "keep right",
    "right updates left",
    "left updates right",
    "both hold",
    "neither",
    "write the right one",
    "not a contradiction",
)
_OF_A_FACT = ("it holds", "forget it", "write the right one")
#: What can be decided about a case of each kind ('': what a file brought).
OFFERED: Mapping[str, tuple[str, ...]] = {
    CONTRADICTION: _OF_A_PAIR,
    CANDIDATE: (*_OF_A_PAIR[:-1], MERGE, _OF_A_PAIR[-1]),
    CHALLENGE: ("uphold", "dismiss"),
    ORPHAN: _OF_A_FACT,
    CYCLE: ("by age", "let it stand"),
    BAD_SIGNATURE: ("it holds", "forget it", "let it stand"),
    STALE_FAVOURITE: _OF_A_FACT,
    SAMPLE: _OF_A_FACT,
    RESTORED_VALUE: ("let it in", "let it stand"),
    BULK_CHANGE: ("let it stand",),
    DUPLICATE: (MERGE, APART),
    FORGET_WISH: (*_OF_A_FACT, "let it stand"),
    "": ("let it stand",),
}
#: What needs words of its own, and so is said of one case alone.
OF_ONE = ("write the right one", "both hold")
#: What may leave a case as it is, but that it is closed.
_LEAVES_IT = ("write the right one", "let it in", "let it stand", "it holds")
#: What puts something away.
DESTRUCTIVE = ("keep left", "keep right", "neither", "forget it", MERGE)


ONE_BY_ONE = "facts that were drawn at random are judged one by one: that is what they were drawn for"


class Decided(Refusal):
    """Somebody has closed the case."""

    def __init__(self, closing: Closing) -> None:
        self.closing = closing
        by = closing.by or "somebody"
        super().__init__(f'{by} decided this case at {to_text(closing.at)}: "{closing.verdict}"')


class Changed(Refusal):
    """What is told of the facts changed since the case was shown, by the lines at these positions."""

    def __init__(self, positions: Sequence[int]) -> None:
        self.positions = positions
        super().__init__("something changed since this case was shown: see what, and decide again")


@transaction.atomic
def decide(
    space: Space,
    names: Sequence[str],
    verdict: str,
    *,
    by: str,
    now: int,
    words: Words = NO_WORDS,
    seen: int | None = None,
) -> str:
    """Decide cases, by their names, all alike and in one act; its id.

    `seen` is the position up to which whoever decides has seen what there is; None: whatever there is. Raises Refusal
    for what is no verdict on such a case or lacks words; Decided where somebody closed one; Changed where what is told
    of its facts changed since; and then nothing is written.
    """
    act = acts.begin(space)
    found = [_open(space, name, verdict) for name in names]
    if len(found) > 1 and any(kind_of(case.key) == SAMPLE for case in found):
        raise Refusal(ONE_BY_ONE)
    _ask_for_words(verdict, words, len(found))
    for case in found:
        if seen is not None and (positions := changes(space, case, seen)):
            raise Changed(positions)
    draft = Draft(space, act, by, now, words)
    for portion in portions(found):
        draft.read(portion)
        for case in portion:
            _decide(draft, case, verdict)
    acts.write(space, draft.lines, act=act, now=now)
    _ask_for_effect(draft, verdict)
    return act


def _ask_for_effect(draft: Draft, verdict: str) -> None:
    """Of what a person says twice the latest decides; a verdict that comes too late must not look like one."""
    late = list[str]()
    for chunk in bulk.chunks(sorted(draft.forgotten)):
        kept = Fact.objects.filter(space=draft.space, name__in=chunk).exclude(state=FORGOTTEN)
        late += kept.values_list("name", flat=True)
    for chunk in bulk.chunks(() if verdict in _LEAVES_IT else draft.decided):
        standing = Case.objects.filter(space=draft.space, name__in=chunk, stands=True)
        late += (facts[0] for facts in standing.values_list("facts", flat=True))
    if late:
        raise Refusal(f'what was said of "{late[0]}" is dated later than {to_text(draft.now)}, and stands')


def of_many(kind: str) -> tuple[str, ...]:
    """The verdicts that can be said of many cases of a kind at once: of facts that were drawn at random none, since who
    has not looked at them has found nothing."""
    if kind == SAMPLE:
        return ()
    return tuple(each for each in OFFERED[kind] if each not in OF_ONE)


@transaction.atomic
def decide_all(
    space: Space, filter: Filter, verdict: str, *, by: str, now: int, reason: str = "", seen: int, shown: int
) -> Batch:
    """Decide all cases of a filter alike, as they stood when so many were `shown` and the line at `seen` was the last;
    of too many the most consequential.

    Raises Refusal where no kind is asked for, for what is no verdict on many of it, and where nothing is left.
    """
    act = acts.begin(space)
    if filter.kind == SAMPLE:
        raise Refusal(ONE_BY_ONE)
    if filter.kind is None or verdict not in of_many(filter.kind):
        raise Refusal(f'"{verdict}" cannot be said of all these cases')
    keys = queue.keys(space, filter.upto_at_most(seen))[: batches.MOST]
    if len(keys) > shown:
        raise Refusal("these are more cases than were shown: look at them again")
    draft, changed, refused = Draft(space, act, by, now, Words(reason)), 0, 0
    for portion in portions(queue.cases(keys)):
        news = since.changes(space, {name for case in portion for name in case.facts}, seen)
        same = [case for case in portion if news.keys().isdisjoint(case.facts)]
        draft.read(same)
        changed += len(portion) - len(same)
        refused += sum(not _could_be(draft, case, verdict) for case in same)
    gone = max(min(shown, batches.MOST) - len(keys), 0)
    batch = Batch(act, len(keys) - changed - refused, gone, changed, refused)
    batches.written(space, draft.lines, batch, now)
    _ask_for_effect(draft, verdict)
    return batch


def _decide(draft: Draft, case: Case, verdict: str) -> None:
    """Raises Refusal where that cannot be, and then the draft has no line more."""
    _VERDICTS[verdict](draft, case, *draft.facts_of(case))
    reason = {"reason": draft.words.reason} if draft.words.reason else {}
    draft.lines.append(acts.event("closed", of=case.name, by=draft.by, verdict=verdict) | reason)
    draft.decided.append(case.name)


def _could_be(draft: Draft, case: Case, verdict: str) -> bool:
    """Whether a case could be decided so; it is."""
    try:
        _decide(draft, case, verdict)
    except Refusal:
        return False
    return True


def _open(space: Space, name: str, verdict: str) -> Case:
    case = cases.found(space, name)
    closing = cases.closing(space, case)
    if closing:
        raise Decided(closing)
    if not case.stands:
        raise Refusal(f'the case "{name}" has come to rest by itself: what it was about is so no more')
    kind = kind_of(case.key)
    if verdict not in OFFERED[kind]:
        raise Refusal(f'"{verdict}" is no verdict on this case; it is one of {", ".join(OFFERED[kind])}')
    return case


def _ask_for_words(verdict: str, words: Words, count: int) -> None:
    if verdict in OF_ONE and count > 1:
        raise Refusal(f'"{verdict}" is said of one case alone')
    if verdict == "both hold" and not words.distinction.strip():
        raise Refusal("say how both hold: at which time, in which scope, for whom")
    if verdict == "write the right one" and not words.text.strip():
        raise Refusal("write what holds instead")


def _keep(draft: Draft, kept: Fact, lost: Fact) -> None:
    """Forget the other, and take out what its edge says against this one, behind which a person stands from now on."""
    if kept.name in draft.forgotten:
        raise Refusal(f'"{kept.name}" would be kept by an act that forgets it')
    draft.forget(lost)
    draft.dismiss(draft.between(CONTRADICTS, kept, lost))
    draft.event("accepted", fact=kept.name)


def _update(draft: Draft, newer: Fact, older: Fact) -> None:
    """The newer wins; that they contradict each other is taken back, or, where a key signed it or it is dated ahead,
    dismissed."""
    draft.updates.add(newer, older)
    draft.edge(newer.name, "updates", older)
    rivals = draft.between(CONTRADICTS, newer, older)
    if rivals:
        draft.edge(newer.name, "contradicts", older, removed=True)
        draft.dismiss(each for each in rivals if each.tier == SIGNED or each.at > draft.now)


def _both(draft: Draft, case: Case, left: Fact, right: Fact) -> None:
    """Different in time, scope or holder; which is noted on both: with what is dismissed, or where nobody has said that
    they contradict each other, with what takes that back beforehand."""
    note = " ".join(filter(None, [draft.words.distinction, draft.words.reason]))
    rivals = draft.between(CONTRADICTS, left, right)
    draft.dismiss(rivals, note)
    if not rivals:
        draft.edge(right.name, "contradicts", left, removed=True, note=note)


def _neither(draft: Draft, case: Case, *both: Fact) -> None:
    for fact in both:
        draft.forget(fact)


def _write(draft: Draft, case: Case, *instead_of: Fact) -> None:
    """A new fact, that a person stands behind, in place of those that are there."""
    held = [fact for fact in instead_of if fact.state != FORGOTTEN]
    said = facts.about(held[0], draft.words.text)
    tombstones.ask_for(draft.space, said)
    new = facts.free_name(draft.space, held[0].name)
    draft.lines.append({"id": new, "source": draft.by, "tier": "human", "producer": "user", **said})
    draft.event("accepted", fact=new)
    for fact in held:
        draft.edge(new, "updates", fact)


def _rule(ruling: statements.Ruling) -> Callable[..., None]:
    """Of all that waits for a ruling between the facts of a case."""

    def rule(draft: Draft, case: Case, *ends: Fact) -> None:
        others = {fact.pk for fact in ends} if len(ends) > 1 else {None}
        said = (each for fact in ends for each in draft.known.said.get(fact.pk, ()))
        waiting = [each for each in said if each.challenge and each.other_id in others]
        for each in sorted(waiting, key=lambda each: each.position):
            draft.event(ruling, of=draft.known.names[each.position])
            draft.lines += statements.keeping(draft.space, each, ruling, draft.by)

    return rule


def _by_age(draft: Draft, case: Case, *members: Fact) -> None:
    """No older claim updates a newer one."""
    born = {fact.pk: (fact.at, fact.name) for fact in members}
    said = draft.between(UPDATES, *members)
    draft.dismiss(each for each in said if each.other_id in born and born[each.other_id] < born[each.fact_id])


def _let_in(draft: Draft, case: Case, forgotten: Fact, *_: Fact) -> None:
    """Lift what keeps out the claim of a fact."""
    draft.lines += tombstones.lifting_of(draft.space, forgotten, by=draft.by)


def _nothing(draft: Draft, case: Case, *_: Fact) -> None:
    """Nothing but that the case is closed."""


_VERDICTS: Mapping[str, Callable[..., None]] = {
    "keep left": lambda draft, case, left, right: _keep(draft, left, right),
    "keep right": lambda draft, case, left, right: _keep(draft, right, left),
    "right updates left": lambda draft, case, left, right: _update(draft, right, left),
    "left updates right": lambda draft, case, left, right: _update(draft, left, right),
    "both hold": _both,
    "neither": _neither,
    "write the right one": _write,
    "not a contradiction": lambda draft, case, left, right: draft.dismiss(draft.between(CONTRADICTS, left, right)),
    "uphold": _rule("upheld"),
    "dismiss": _rule("dismissed"),
    "it holds": lambda draft, case, fact, *_: draft.event("accepted", fact=fact.name),
    "forget it": lambda draft, case, fact, *_: draft.forget(fact),
    "by age": _by_age,
    "let it in": _let_in,
    "let it stand": _nothing,
    MERGE: lambda draft, case, left, right: draft.merge(left, [right]),
    APART: _nothing,
}


def changes(space: Space, case: Case, seen: int) -> list[int]:
    """The positions of what was said, ruled or undone about the facts of a case since the line at one position, but for
    that they were used."""
    return sorted(set().union(*since.changes(space, case.facts, seen).values()))
