"""Reviewers who work on one queue at once, each a thread with a connection of its own."""

import random
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from django.db import connection

from tests.actions.world import as_file, taken
from tests.makers import day, edge, fact
from trustmem.actions import clicks, handouts, spaces, verdicts
from trustmem.actions.errors import Refusal
from trustmem.actions.verdicts import Decided
from trustmem.core.vocabulary import FORGOTTEN
from trustmem.store.models import Case, Closing, Fact, Queued, Space
from trustmem.store.queue import Filter

NOW = day(101)
#: What two people say who do not agree.
SAID = ("keep left", "keep right", "right updates left", "neither", "not a contradiction")


def queue_of(number: int) -> Space:
    """A space in which so many cases wait: as many pairs, of which no source brought so many that they would be one."""
    told: list[Any] = []
    for each in range(number):
        told += [fact(f"old{each:03}", each / 500), fact(f"new{each:03}", 3)]
        told.append(edge(f"new{each:03}", "contradicts", f"old{each:03}", 4, by=f"bot-{each // 4}"))
    return taken(spaces.create("diary"), as_file(told), now=NOW)


def at_once(*work: Callable[[], None]) -> None:
    """Do all of this, each in a thread; what one of them raises is raised here."""
    raised = list[BaseException]()

    def watched(do: Callable[[], None]) -> None:
        try:
            do()
        except BaseException as error:
            raised.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=watched, args=(do,)) for do in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


class Try(NamedTuple):
    """That somebody decided a case: in an act; '': it was refused, as somebody had decided it (`decided`), or not."""

    case: str
    by: str
    verdict: str
    act: str
    decided: verdicts.Closing | None = None


class Office:
    """Reviewers, who has what in hand, and all that they tried."""

    def __init__(self, space: Space, enough: int) -> None:
        self.pk, self.enough = space.pk, enough
        self.tries, self.twice = list[Try](), list[str]()
        self._hands = dict[str, str]()
        self._lock, self._clock = threading.Lock(), count()

    def now(self) -> int:
        with self._lock:
            return NOW + next(self._clock)

    def review(self, by: str) -> None:
        """Take the next case, decide it, and so on, until enough is decided or nothing is left. Now and then decide
        what somebody else has in hand, and click twice."""
        chance = random.Random(by)
        while len([each for each in self.tries if each.act]) < self.enough:
            space = Space.objects.get(pk=self.pk)
            seen = space.head_position
            case = handouts.hand_out(space, Filter(), by=by, now=self.now())
            if case is None:
                return
            with self._lock:
                if case.name in self._hands:
                    self.twice.append(f"{case.name}: {self._hands[case.name]} and {by}")
                self._hands[case.name] = by
                others = [name for name, holder in self._hands.items() if holder != by]
            if others and chance.random() < 0.3:
                self.decide(chance.choice(others), by, chance.choice(SAID), seen, twice=False)
            self.decide(case.name, by, chance.choice(SAID), seen, twice=chance.random() < 0.3)
            with self._lock:
                del self._hands[case.name]

    def decide(self, case: str, by: str, verdict: str, seen: int, *, twice: bool) -> None:
        token, found = f"{case} {by} {verdict} {seen}", list[Try]()

        def click() -> None:
            found.append(self._clicked(case, by, verdict, seen, token))

        at_once(click, click) if twice else click()
        assert len(set(found)) == 1
        self.tries.append(found[0])

    def _clicked(self, case: str, by: str, verdict: str, seen: int, token: str) -> Try:
        space, now = Space.objects.get(pk=self.pk), self.now()

        def do() -> str:
            return verdicts.decide(space, [case], verdict, by=by, now=now, seen=seen)

        try:
            return Try(case, by, verdict, clicks.once(space, token, do, by=by, now=now))
        except Decided as refused:
            return Try(case, by, verdict, "", refused.closing)
        except Refusal:
            return Try(case, by, verdict, "")


def amiss(space: Space, office: Office) -> list[str]:
    """What went wrong, of what they tried and of what stands."""
    found = [f"handed out twice: {each}" for each in office.twice]
    of_case = defaultdict[str, list[Try]](list)
    for each in office.tries:
        of_case[each.case].append(each)
    closings = defaultdict[str, list[Closing]](list)
    for closing in Closing.objects.filter(space=space):
        closings[closing.of].append(closing)
    for name in of_case.keys() | closings.keys():
        found += [f"{name}: {each}" for each in _amiss_of(of_case[name], closings[name])]
    left = set(Queued.objects.filter(space=space).values_list("case__name", flat=True))
    decided = {each.case for each in office.tries if each.act}
    if left & decided or len(left) + len(decided) != Case.objects.filter(space=space).count():
        found.append("a case is lost, or waits though it is decided")
    return found + list(_otherwise(space, office))


def _amiss_of(tries: Sequence[Try], closings: Sequence[Closing]) -> Iterator[str]:
    """One of them decided it, and each of the others was told so, or that it is not as it was."""
    won = [each for each in tries if each.act]
    if len(won) != 1 or len(closings) != 1:
        yield f"decided {len(won)} times, and closed {len(closings)} times"
        return
    said = (won[0].act, won[0].by)
    if (closings[0].act, closings[0].by) != said:
        yield "who is told to have decided it is not who did"
    for each in tries:
        if each.decided and (each.decided.act, each.decided.by, each.decided.verdict) != (*said, won[0].verdict):
            yield f"{each.by} was told of another decision"


def _otherwise(space: Space, office: Office) -> Iterator[str]:
    """Which facts do not stand as whoever won has decided."""
    states = dict(Fact.objects.filter(space=space).values_list("name", "state"))
    facts = dict(Case.objects.filter(space=space).values_list("name", "facts"))
    gone = {"keep left": (False, True), "keep right": (True, False), "neither": (True, True)}
    for each in office.tries:
        if each.act:
            right = gone.get(each.verdict, (False, False))
            if tuple(states[name] == FORGOTTEN for name in facts[each.case]) != right:
                yield f"{each.case} does not stand as {each.by} decided it: {each.verdict}"
