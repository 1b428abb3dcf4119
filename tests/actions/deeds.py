"""All that somebody can do to the fifty facts and around them, each as it is done by an action that writes.

The functions at the end are what a process of its own does (tests.actions.killing).
"""

import gzip
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from django.apps import apps

from tests.actions import fifty, killing
from tests.actions.fifty import FILE, NOW, as_lines
from tests.actions.test_erase import found_in_files, readable
from tests.actions.world import registered
from tests.makers import day
from tests.store.restated import pairs
from trustmem.actions import (
    access,
    acts,
    agents,
    attest,
    breaker,
    cases,
    clicks,
    consolidation,
    constants,
    detection,
    duplicates,
    edges,
    erasing,
    facts,
    feedback,
    fitting,
    graph,
    handouts,
    histograms,
    imports,
    jobs,
    keys,
    kinds,
    outcomes,
    passes,
    refresh,
    sampling,
    saved_views,
    schedules,
    serving,
    spaces,
    statements,
    tokens,
    tombstones,
    trends,
    undo,
    uploads,
    verdicts,
)
from trustmem.actions.drafts import Words
from trustmem.actions.duplicates import Group
from trustmem.actions.errors import Refusal
from trustmem.actions.speakers import Speaker
from trustmem.actions.verify import verify
from trustmem.core.instants import MICROSECONDS_PER_SECOND, span, to_text
from trustmem.core.vocabulary import ERASED
from trustmem.store import lists, queue
from trustmem.store.cases import CHALLENGE, CONTRADICTION
from trustmem.store.models import Answered, Fact, Job, Line, Pass, Role, Served, Space, Token, Upload, User
from trustmem.store.queue import Filter
from trustmem.store.state_hash import state_hash

#: When somebody does again what was cut short: whoever died holds nothing any more.
AGAIN = NOW + jobs.LEASE + 1
TOMORROW = NOW + span(1)
WHO: Mapping[str, Any] = {"by": "ana", "now": NOW}
#: What a job says of how it went, and not of what it did. Facts are counted `after` it is done, by itself: whoever is
#: killed just before that leaves it out for good.
_OF_WHEN = (
    "id",
    "asked_at",
    "started_at",
    "ended_at",
    "lease_until",
    "attempt",
    "tries",
    "stage",
    "done",
    "of",
    "after",
)
Deed = Callable[[Space], Any]


def _nothing(space: Space) -> None:
    pass


class Case(NamedTuple):
    """Something that is done; what is done `before`; how it is done `again` by somebody who need not know how far it
    had come (None: as at first, where it was not done); and in how many states it may stand in between."""

    do: Deed
    before: Deed = _nothing
    again: Deed | None = None
    between: int = 0


def _kept(space: Space) -> Upload:
    told = gzip.compress(b"".join(as_lines(*FILE)), mtime=0)  # packed by us, there would be the time in it
    return uploads.keep(space, BytesIO(told), name="memory.jsonl", source="ana", **WHO)


def _imported(space: Space) -> str:
    return imports.import_lines(space, as_lines(*FILE), file="more", **WHO).imported


def _last(tag: str) -> Line:
    return Line.objects.filter(tag=tag).latest("position")


def _all_of(*deeds: Deed) -> Deed:
    def do(space: Space) -> None:
        for each in deeds:
            each(space)
            space.refresh_from_db()

    return do


def _asked(kind: str, **what: Any) -> Deed:
    return lambda space: jobs.ask(space, kind, slot="now", **WHO, **what)


def _pass_asked(space: Space) -> Job:
    return consolidation.ask(space, at=NOW, **WHO)


def _job() -> Job:
    return Job.objects.select_related("space").latest("pk")


def _held(space: Space) -> Job:
    job = jobs.claim(_job().pk, now=NOW)
    assert job
    return job


def _worked(space: Space) -> None:
    kinds.do(_held(space), lambda: NOW)


def _restarted(space: Space, clock: int = AGAIN, but: str = "") -> None:
    """A worker comes up, and does what it finds, but for jobs of one kind."""
    for pk in Job.objects.exclude(kind=but).filter(pk__in=jobs.due(AGAIN)).values_list("pk", flat=True).order_by("pk"):
        job = jobs.claim(pk, now=AGAIN)
        assert job
        kinds.do(job, lambda: clock)


def _restarted_soon(space: Space) -> None:
    """So soon that what is done at the moment itself is the same."""
    _restarted(space, NOW)


def _restarted_on_files(space: Space) -> None:
    """The graph that a file asks for is left to others."""
    _restarted(space, but=jobs.GRAPH)


def _as_ever(do: Deed) -> Deed:
    return do


def _in_small_steps(do: Deed) -> Deed:
    """As in a space of many facts and lines."""

    def small(space: Space) -> None:
        consolidation._FEW, passes._READ, passes._WRITTEN = 10, 16, 6
        refresh._AT_ONCE, imports.CHUNK, outcomes._AT_ONCE = 16, 2, 2
        detection.STEP = graph.STEP = 16
        do(space)

    return small


def _careful(do: Deed) -> Deed:
    """A pass may do next to nothing without a person's word."""

    def careful(space: Space) -> None:
        breaker.FEW = breaker.PRUNED = breaker.MOVED = 0
        do(space)

    return careful


def _by_a_worker(
    asked: Deed, how: Callable[[Deed], Deed] = _as_ever, between: int = 2, again: Deed = _restarted
) -> Case:
    """A job that is held, done and ended: in between stands that it is held, that it is done and what that left is not
    counted, and how far it has come."""
    return Case(how(_worked), before=asked, again=how(again), between=between)


def _pass_begun(space: Space) -> None:
    """The line of a pass is written, and some facts have gone through it."""
    consolidation._begin(space, NOW, NOW)
    taken = passes.under_way(space)
    assert taken
    passes._take_turns(space, taken)


def _pass_taken(space: Space) -> None:
    with suppress(Refusal):  # it is taken already; one that was cut short has gone on
        consolidation.consolidate(space, at=NOW, **WHO)


def _many_changes(space: Space) -> None:
    """Much that moves facts from band to band, since the last pass."""
    for number in range(6):
        edges.assert_edge(space, f"habit{number:02}", "contradicts", f"rule{number + 3:02}", by="ana", now=NOW - 1)


_TO_BE_ENDED = _all_of(_asked(jobs.TRENDS), _held)
_WAITING = _all_of(_many_changes, _pass_asked, _careful(_worked))


def _approved(space: Space) -> Job:
    job = Job.objects.get()
    return consolidation.approve(space, job.pk, json.loads(job.result)["preview"]["head"], **WHO)


def _told_in_bulk(space: Space) -> None:
    names = [f"habit{number:02}" for number in range(10)]
    said = {"type": "event", "kind": "contradicted", "source": "crm", "run": "r9"}
    acts.write(space, [said | {"fact": name} for name in names], now=NOW)


def _erased(space: Space) -> None:
    with suppress(Refusal):  # it is erased already; but what is left of it in the files goes
        erasing.erase(space, "code", reason="", **WHO)


def _open(space: Space, place: int = 0, kind: str = CONTRADICTION) -> str:
    """A contradiction that waits, or what else does."""
    return queue.at(queue.keys(space, Filter(kind)))[place].case.name


def _decided(space: Space) -> str:
    return verdicts.decide(space, [_open(space)], "keep left", **WHO)


def _written(space: Space) -> str:
    words = Words(text="Rule four is another.")
    return verdicts.decide(space, [_open(space)], "write the right one", words=words, **WHO)


def _upheld(space: Space) -> str:
    return verdicts.decide(space, [_open(space, kind=CHALLENGE)], "uphold", **WHO)


def _of_many(space: Space) -> dict[str, Any]:
    """What many at once are told, as somebody was shown them."""
    return {"seen": space.head_position, "shown": 100, "reason": "So."}


def _decided_all(space: Space) -> None:
    verdicts.decide_all(space, Filter(CONTRADICTION), "not a contradiction", **_of_many(space), **WHO)


def _forgotten_all(space: Space) -> None:
    facts.forget_all(space, facts.forgettable(space, lists.Filter(source="ana")), **_of_many(space), **WHO)


def _found_alike(space: Space) -> None:
    """Facts of which the detector found that they say the same: four clusters of three."""
    names = [f"habit{number:02}" for number in range(12)]
    pairs(space, *(pair for place in range(0, 12, 3) for pair in pairwise(names[place : place + 3])))


def _merged_all(space: Space) -> None:
    groups = [Group(f"habit{place:02}", [f"habit{place + 1:02}"]) for place in range(0, 12, 3)]
    duplicates.merge_all(space, groups, seen=space.head_position, reason="So.", **WHO)


def _roll_back_asked(space: Space) -> Job:
    """Version 1, from what another version made of it."""
    constants.adopt(space, {"prune_threshold": 0.2}, by="ana", now=NOW - 1, reason="")
    return constants.roll_back_later(space, 1, reason="So.", **WHO)


def _decision_asked(space: Space) -> Job:
    asked = {"of": "cases", "filter": asdict(Filter(CONTRADICTION)), "verdict": "neither", "back": "/"}
    return jobs.ask(space, jobs.DECISION, slot="now", **asked, **_of_many(space), **WHO)


def _graph_asked(space: Space) -> Job:
    """A graph that there was, of which some is gone and to which some has come."""
    graph.make(space, clock=lambda: NOW)
    _forgotten_all(space)
    space.refresh_from_db()
    _imported(space)
    return graph.ask(space, **WHO)


def _much_decided(space: Space) -> None:
    """What finds facts right and wrong, is collected, and is undone in part, with more decided since."""
    facts.accept(space, "rule01", by="ana", now=NOW - 3)
    outcomes.collect(space, now=NOW - 2)
    undo.undo(space, _last("event.accepted").act, by="ana", now=NOW - 1)
    for name in ("rule05", "rule07", "rule09"):
        facts.accept(space, name, **WHO)


def _collected(space: Space) -> None:
    outcomes.collect(space, now=NOW)


_outcomes_asked = _all_of(_much_decided, _asked(jobs.OUTCOMES))


def _fit_asked(space: Space) -> Job:
    return fitting.ask(space, ["base_rate"], **WHO)


def _handed_out(space: Space) -> None:
    handouts.hand_out(space, Filter(), **WHO)


def _another_taken(space: Space) -> None:
    handouts.take(space, _open(space, 1), **WHO)


def _snoozed(space: Space) -> None:
    handouts.snooze(space, _open(space), until=TOMORROW, **WHO)


def _looked_at_before(space: Space) -> None:
    schedules.tick(NOW)


def _sent(space: Space) -> None:
    clicks.once(space, "token", lambda: facts.accept(space, "rule01", **WHO), **WHO)


def _comes_in(space: Space) -> None:
    access.use(*access.invitation(User.objects.get(username="ben")), now=NOW)


def _bot(space: Space) -> Speaker:
    return Speaker(space, "bot", "b1")


_ASKED = serving.Question("what is the rule", 10, "trust", history=False)


def _served(space: Space) -> None:
    serving.note(_bot(space), _ASKED, ["rule04", "habit08"], now=NOW - 1)


def _search() -> str:
    return Served.objects.latest("pk").search


def _asked_again(space: Space) -> None:
    bot = _bot(space)._replace(reports=True)
    for seconds in (20, 10):
        at = NOW - seconds * MICROSECONDS_PER_SECOND
        serving.note(bot, _ASKED, ["rule04", "habit08", "habit07"], now=at)


def _kept_for_a_day(space: Space) -> None:
    serving.note(_bot(space), _ASKED, ["rule04"], now=NOW - span(1) - 1)
    serving.put_on_record(space, now=NOW - span(1))


def _issued(space: Space) -> None:
    tokens.issue(space, "bot", ["read"], **WHO)
    Token.objects.filter(space=space).update(digest=tokens._digest("tm_shown"))


def _answered(space: Space) -> None:
    _issued(space)
    told = {"space": space, "token_id": _token(space), "at": NOW}
    Answered.objects.bulk_create(Answered(key=key, digest=key, status=201, **told) for key in ("one", "other"))


def _token(space: Space) -> int:
    return Token.objects.get(space=space).pk


def _used(space: Space) -> None:
    tokens.who("tm_shown", now=NOW)


CASES: dict[str, Case] = {
    # Acts
    "a fact is accepted": Case(lambda space: facts.accept(space, "rule01", reason="So.", **WHO)),
    "a fact is forgotten": Case(lambda space: facts.forget(space, "rule02", **WHO)),
    "a fact is restored": Case(lambda space: facts.restore(space, "rule11", **WHO)),
    "a fact that a person forgot is restored": Case(
        lambda space: facts.restore(space, "rule02", **WHO),
        before=lambda space: facts.forget(space, "rule02", by="ana", now=NOW),
    ),
    "a tombstone is lifted": Case(lambda space: tombstones.lift(space, "buried", reason="So.", **WHO)),
    "a fact is corrected": Case(lambda space: facts.correct(space, "rule05", "Rule five and a half.", **WHO)),
    "a fact is erased": Case(_erased, before=_kept, again=_erased, between=1),
    "an edge is asserted": Case(lambda space: edges.assert_edge(space, "habit01", "contradicts", "rule04", **WHO)),
    "an edge is taken back": Case(lambda space: edges.withdraw_edge(space, "rule01", "contradicts", "rule04", **WHO)),
    "a statement is upheld": Case(lambda space: statements.rule(space, "doubt", "upheld", **WHO)),
    "a statement is dismissed": Case(lambda space: statements.rule(space, "against", "dismissed", **WHO)),
    "an act is undone": Case(lambda space: undo.undo(space, _last("event.accepted").act, **WHO)),
    "a pass is undone": Case(lambda space: undo.undo(space, to_text(day(9.125)), **WHO)),
    "an import is undone": Case(lambda space: undo.undo(space, _last("import").imported, **WHO), before=_imported),
    "an undo is undone": Case(lambda space: undo.undo(space, _last("event.undone").act, **WHO)),
    "constants are adopted": Case(lambda space: constants.adopt(space, {"prune_threshold": 0.2}, reason="", **WHO)),
    "constants are to be adopted": Case(
        lambda space: constants.adopt_later(space, {"prune_threshold": 0.2}, reason="", **WHO)
    ),
    "an older version is to be gone back to": Case(
        lambda space: constants.roll_back_later(space, 1, reason="", **WHO),
        before=lambda space: constants.adopt(space, {"prune_threshold": 0.2}, by="ana", now=NOW - 1, reason=""),
    ),
    "an older version of the constants is gone back to": Case(
        lambda space: constants.roll_back(space, 1, reason="", **WHO),
        before=lambda space: constants.adopt(space, {"prune_threshold": 0.2}, by="ana", now=NOW - 1, reason=""),
    ),
    "a key is registered": Case(lambda space: registered(space, "k9", source="ana", **WHO)),
    "a key is revoked": Case(lambda space: keys.revoke(space, "k0", "lost", **WHO)),
    "a case is closed": Case(lambda space: cases.close(space, "which", "both", **WHO)),
    "a case is opened, since much is contradicted": Case(_told_in_bulk),
    "a case is decided": Case(_decided),
    "the newer claim takes the place of the older": Case(
        lambda space: verdicts.decide(space, [_open(space)], "right updates left", **WHO)
    ),
    "the right claim is written": Case(_written),
    "an objection is upheld": Case(_upheld),
    "many cases are decided": Case(_decided_all),
    "many facts are forgotten": Case(_forgotten_all),
    "facts that say the same are merged": Case(
        lambda space: duplicates.merge(space, "habit00", ["habit01", "habit02"], reason="So.", **WHO),
        before=_found_alike,
    ),
    "facts are not the same": Case(
        lambda space: duplicates.apart(space, ["habit00", "habit01"], reason="So.", **WHO), before=_found_alike
    ),
    "many facts that say the same are merged": Case(_merged_all, before=_found_alike),
    # What agents do
    "an agent remembers": Case(lambda space: agents.remember(_bot(space), {"text": "Tea is hot."}, now=NOW, id="hot")),
    "an agent says again what was said": Case(
        lambda space: agents.remember(_bot(space), {"text": "Rule 4."}, now=NOW), before=_served, between=1
    ),
    "an agent relates two facts": Case(
        lambda space: agents.relate(_bot(space), "habit08", "extends", "habit07", now=NOW)
    ),
    "an agent tells what happened to a fact": Case(
        lambda space: agents.tell(_bot(space), "restated", "habit08", now=NOW), before=_served, between=1
    ),
    "an agent flags a fact": Case(lambda space: agents.flag(_bot(space), "habit08", now=NOW)),
    "an agent reports": Case(lambda space: agents.report(_bot(space), ["habit08", "habit07"], "helpful", now=NOW)),
    "an agent forgets its own": Case(
        lambda space: agents.forget(_bot(space), "hot", now=NOW),
        before=lambda space: agents.remember(_bot(space), {"text": "Tea is hot."}, now=NOW - 1, id="hot"),
    ),
    "an agent asks that another's fact be forgotten": Case(
        lambda space: agents.forget(_bot(space), "habit08", now=NOW)
    ),
    "facts are handed out": Case(_served),
    "what was handed out is put on record": Case(lambda space: serving.put_on_record(space, now=NOW), before=_served),
    "what was asked again is of no help": Case(
        lambda space: serving.put_on_record(space, now=NOW), before=_asked_again
    ),
    "what was handed out a day ago is cleared away": Case(
        lambda space: serving.put_on_record(space, now=NOW), before=_kept_for_a_day
    ),
    "an agent says what of a search it used": Case(
        lambda space: feedback.of_answer(_bot(space), _search(), ["rule04"], now=NOW), before=_served
    ),
    "a token is made": Case(lambda space: tokens.issue(space, "bot", ["read"], **WHO)),
    "a token is rotated": Case(lambda space: tokens.rotate(space, _token(space), **WHO), before=_issued),
    "a token is revoked": Case(lambda space: tokens.revoke(space, _token(space), **WHO), before=_issued),
    "a token is used": Case(_used, before=_issued),
    "a case is handed out": Case(_handed_out),
    "another case is taken in hand": Case(_another_taken, before=_handed_out, again=_another_taken, between=1),
    "a case is skipped": Case(lambda space: handouts.skip(space, _open(space), **WHO), before=_handed_out),
    "a case is snoozed": Case(_snoozed),
    "a case is taken up again": Case(lambda space: handouts.take_up(space, _open(space), by="ana"), before=_snoozed),
    "facts are drawn to be asked about": Case(lambda space: sampling.draw(space, 6, **WHO)),
    "what people found is collected": Case(_collected, before=_much_decided, again=_collected, between=1),
    "what people found is collected in steps": Case(
        _in_small_steps(_collected), before=_much_decided, again=_collected, between=2
    ),
    "a view is kept": Case(lambda space: saved_views.save(space, "Mine", "kind=cycle", by="ana")),
    "a view is kept no more": Case(
        lambda space: saved_views.delete(space, "Mine", by="ana"),
        before=lambda space: saved_views.save(space, "Mine", "kind=cycle", by="ana"),
    ),
    "a form is sent": Case(_sent),
    "answers under keys of long ago are swept away": Case(lambda space: tokens.sweep(NOW + span(2)), before=_answered),
    "forms of long ago are swept away": Case(lambda space: clicks.sweep(NOW + span(8)), before=_sent),
    # Spaces, and who is in them
    "a space is made": Case(lambda space: spaces.create("another")),
    "the share of what nobody reviewed is set": Case(lambda space: spaces.change_unreviewed_share(space, 35, **WHO)),
    "the first comes in": Case(lambda space: access.owner(), before=lambda space: User.objects.all().delete()),
    "somebody is let in": Case(lambda space: access.add_member(space, "cem", Role.READER)),
    "somebody comes in": Case(_comes_in),
    "somebody may do more": Case(lambda space: access.change_role(space, "ben", Role.CURATOR)),
    "somebody goes": Case(lambda space: access.remove_member(space, "ben")),
    # Files on their way in
    "a file is kept": Case(_kept),
    "a file is to be judged": Case(lambda space: uploads.judge(Upload.objects.get(), **WHO), before=_kept),
    "a file is to be taken in": Case(lambda space: uploads.take_in(Upload.objects.get(), **WHO), before=_kept),
    "a file is not to be taken in": Case(
        lambda space: uploads.cancel(space, Job.objects.get().pk),
        before=lambda space: uploads.take_in(_kept(space), **WHO),
    ),
    "a file is thrown away": Case(
        lambda space: uploads.discard(space, Upload.objects.get().pk),
        before=lambda space: uploads.judge(_kept(space), **WHO),
    ),
    "a file that nobody takes is swept away": Case(lambda space: uploads.sweep(TOMORROW + 1), before=_kept),
    # Jobs
    "a job is asked for": Case(_asked(jobs.TRENDS)),
    "a job that failed is asked for again": Case(
        _asked(jobs.TRENDS), before=_all_of(_asked(jobs.TRENDS), lambda space: jobs.fail(_held(space), "So.", now=NOW))
    ),
    "a job is held": Case(_held, before=_asked(jobs.TRENDS)),
    "a job is held for longer": Case(lambda space: jobs.renew(_job(), now=AGAIN), _TO_BE_ENDED),
    "a job comes on": Case(lambda space: jobs.progress(_job(), 1, 2, now=NOW), _TO_BE_ENDED),
    "a job ends": Case(lambda space: jobs.finish(_job(), {}, now=NOW), _TO_BE_ENDED),
    "a try of a job does not count": Case(lambda space: jobs.give_back(_job()), _TO_BE_ENDED),
    "a job fails": Case(lambda space: jobs.fail(_job(), "So.", now=NOW), _TO_BE_ENDED),
    "jobs of long ago are swept away": Case(
        lambda space: jobs.sweep(NOW + span(30)), before=_all_of(_asked(jobs.REFRESH), _worked)
    ),
    # What workers do
    "a worker judges a file": _by_a_worker(lambda space: uploads.judge(_kept(space), **WHO), between=4),
    "a worker takes a file in": _by_a_worker(
        lambda space: uploads.take_in(_kept(space), **WHO), _in_small_steps, between=10, again=_restarted_on_files
    ),
    "a worker counts bands": _by_a_worker(_asked(jobs.TRENDS), between=16),
    "a worker counts histograms": _by_a_worker(_asked(jobs.HISTOGRAMS), between=3),
    "a worker makes the graph": _by_a_worker(_asked(jobs.GRAPH), between=6),
    "a worker mends the graph in steps": _by_a_worker(_graph_asked, _in_small_steps, between=14),
    "a worker collects outcomes": _by_a_worker(_outcomes_asked, _in_small_steps, between=4),
    "a worker fits constants to verdicts": _by_a_worker(_all_of(_much_decided, _fit_asked), _in_small_steps, between=5),
    "a worker checks facts": _by_a_worker(_asked(jobs.DETECTION), _in_small_steps, between=10),
    "a worker refreshes scores": _by_a_worker(_asked(jobs.REFRESH), between=4),
    "a worker refreshes scores in steps": _by_a_worker(_asked(jobs.REFRESH), _in_small_steps, between=7),
    "a worker decides many cases": _by_a_worker(_decision_asked, again=_restarted_soon),
    "a worker undoes a pass": _by_a_worker(_asked(jobs.UNDO, act=to_text(day(9.125)), reason="So.")),
    "a worker verifies a space": _by_a_worker(_asked(jobs.VERIFY)),
    "a worker adopts constants": _by_a_worker(
        lambda space: constants.adopt_later(space, {"prune_threshold": 0.2}, reason="So.", **WHO),
        again=_restarted_soon,
    ),
    "a worker goes back to an older version of the constants": _by_a_worker(_roll_back_asked, again=_restarted_soon),
    "a worker previews a pass": _by_a_worker(_asked(jobs.PREVIEW, at=NOW)),
    "a worker takes a pass": _by_a_worker(_pass_asked),
    "a worker takes a pass in steps": _by_a_worker(_pass_asked, _in_small_steps, between=9),
    "a worker holds a pass back": _by_a_worker(_all_of(_many_changes, _pass_asked), _careful, between=1),
    "a pass is approved": Case(_approved, before=_WAITING),
    "a pass that waited waits no more": Case(
        lambda space: consolidation.settle(space, Pass.objects.filter(space=space).latest("instant"), **WHO),
        before=_WAITING,
    ),
    "a worker takes a pass that was approved": _by_a_worker(
        _all_of(_WAITING, _approved), _careful, again=_restarted_soon
    ),
    # Passes, refreshing, schedules
    "a pass is taken": Case(lambda space: consolidation.consolidate(space, **WHO)),
    "a pass is taken in steps": Case(_in_small_steps(_pass_taken), again=_pass_taken, between=7),
    "a pass goes on": Case(
        _in_small_steps(passes.go_on), before=_in_small_steps(_pass_begun), again=passes.go_on, between=5
    ),
    "a fact is accepted amid a pass": Case(
        lambda space: facts.accept(space, "rule09", **WHO), before=_in_small_steps(_pass_begun)
    ),
    "a pass is asked for": Case(_pass_asked),
    "a fit is asked for": Case(_fit_asked),
    "a schedule is changed": Case(
        lambda space: schedules.change(space, jobs.TRENDS, schedules.Rhythm(schedules.HOUR), **WHO)
    ),
    "what is due is asked for": Case(
        lambda space: schedules.tick(TOMORROW),
        before=_looked_at_before,
        again=lambda space: schedules.tick(TOMORROW),
        between=5,
    ),
    "bands are counted": Case(lambda space: trends.count_bands(space, now=NOW)),
    "histograms are counted": Case(
        lambda space: histograms.count(space, now=NOW), before=lambda space: histograms.count(space, now=NOW - 1)
    ),
    "a check by the detector is asked for": Case(
        lambda space: detection.ask(space, **WHO), before=_all_of(lambda space: detection.ask(space, **WHO), _worked)
    ),
    "the graph is asked for": Case(lambda space: graph.ask(space, **WHO)),
    "histograms are asked for": Case(lambda space: histograms.ask(space, **WHO)),
    "histograms are asked for the first time": Case(lambda space: histograms.ask_for_the_first(space, **WHO)),
    # What writes nothing
    "what is stored is verified": Case(lambda space: verify(space, rebuild=True)),
    "what is stored is attested": Case(lambda space: attest.attest(space, now=NOW, rebuild=True)),
}


# What a process of its own does


def make() -> None:
    killing.migrate()
    fifty.live()


def _space() -> Space:
    return Space.objects.get(name=fifty.NAME)


def before(name: str) -> None:
    CASES[name].before(_space())


def do(name: str) -> None:
    CASES[name].do(_space())


def undisturbed(name: str) -> Any:
    """What it comes to."""
    do(name)
    return _outcome()


def again(name: str) -> Any:
    """What is wrong with how it was left, what it comes to once it is done again, and what is wrong then."""
    case, left = CASES[name], _amiss()
    (case.again or case.do)(_space())
    return left, _outcome(), _amiss()


def left_alone(name: str) -> Any:
    """The same where it is not done again."""
    return _amiss(), _outcome(), []


def _amiss() -> list[str]:
    """All but what a pass or an import that was cut short has yet to write."""
    return [
        each
        for space in Space.objects.all()
        for each in verify(space, rebuild=space.folded_to == space.head_position and not passes.under_way(space))
    ]


def _outcome() -> Any:
    """What it comes to, whenever it is done and however often it was begun."""
    return {
        "hashes": [state_hash(space) for space in Space.objects.order_by("pk")],
        "lines": list(Line.objects.order_by("space", "position").values_list("tag", "name", "act")),
        "passes": [{**each, "id": 0} for each in Pass.objects.order_by("instant").values()],
        "jobs": [_told(job) for job in Job.objects.order_by("pk").values()],
        "rows": {model._meta.db_table: model._default_manager.count() for model in apps.get_models()},
        "still told": found_in_files() if Fact.objects.get(name="code").state == ERASED and readable() else [],
    }


def _told(job: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a job says but of when and how often it was begun; a refresh or a collection tells what its last worker
    moved, and a report when it was signed."""
    result = ("result",) if job["kind"] in (jobs.REFRESH, jobs.OUTCOMES, jobs.VERIFY) else ()
    return {name: value for name, value in job.items() if name not in (*_OF_WHEN, *result)}


def called(name: str) -> list[str]:
    """The functions of the actions that are called while something is done."""
    found = set[str]()

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call" and "/trustmem/actions/" in frame.f_code.co_filename:
            found.add(f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}")

    sys.setprofile(note)
    do(name)
    sys.setprofile(None)
    return sorted(found)
