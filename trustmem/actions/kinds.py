"""What each kind of job does: the same whoever holds the job, a worker, a command or a test."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from django.db import InternalError, OperationalError, transaction

from trustmem.actions import (
    attest,
    breaker,
    consolidation,
    constants,
    detection,
    facts,
    fitting,
    graph,
    histograms,
    imports,
    jobs,
    outcomes,
    passes,
    receipts,
    refresh,
    serving,
    trends,
    undo,
    uploads,
    verdicts,
)
from trustmem.actions.consolidation import Held
from trustmem.actions.errors import Refusal
from trustmem.actions.imports import Report
from trustmem.core.instants import MICROSECONDS_PER_SECOND, NEVER
from trustmem.formats.interchange import AMISS, Answer
from trustmem.formats.interchange_types import Record
from trustmem.store import lists, queue
from trustmem.store.models import Job, JobState, Pass, Stage, Upload
from trustmem.store.passes import COUNTS

Clock = Callable[[], int]

#: So long (µs) between two signs of how far it is.
_NOW_AND_THEN = MICROSECONDS_PER_SECOND
#: How many of the lines that are amiss, and of the facts that are new, a result shows, and how much of such a line.
_AMISS, _SAMPLE, _LONGEST = 1000, 10, 1000


def do(job: Job, clock: Clock) -> None:
    """Do what a job asks for that is held, and say that it is done, or why it failed.

    Raises jobs.Lost; OperationalError where the database is not to be had: it is tried again when the lease has run
    out; and what nobody foresaw, once the job has failed.
    """
    try:
        KINDS[job.kind](job, clock)
        jobs.count_after(job)
    except Refusal as refusal:
        jobs.fail(job, str(refusal), now=clock())
    except jobs.Lost:
        raise
    except (OperationalError, InternalError):
        with suppress(OperationalError, InternalError):
            jobs.give_back(job)
        raise
    except Exception as error:
        # What the error says may hold texts of facts.
        jobs.fail(job, f"it failed as nobody had foreseen ({type(error).__name__})", now=clock())
        raise


def _judge(job: Job, clock: Clock) -> None:
    def read(done: int, of: int) -> None:
        jobs.progress(job, done, of, now=clock(), stage=Stage.READING)

    report = _imported(job, _upload(job), clock, dry_run=True, reading=read)
    jobs.finish(job, {**_told(report), "amiss": _amiss(report), "facts": _facts(report)}, now=clock())


def _take_in(job: Job, clock: Clock) -> None:
    upload = _upload(job)
    reads = Stage.READING

    def read(done: int, of: int) -> None:
        jobs.progress(job, done, of, now=clock(), stage=reads)

    def begin() -> None:
        nonlocal reads
        jobs.progress(job, 0, 0, now=clock(), stage=Stage.WRITING)
        reads = Stage.AGAIN

    def conclude(report: Report) -> None:
        jobs.finish(job, _told(report), now=clock())
        uploads.discard(job.space, upload.pk)
        histograms.ask_for_the_first(job.space, by=job.by, now=clock())
        graph.ask(job.space, by=job.by, now=clock())

    def write(done: int, of: int) -> None:
        jobs.progress(job, done, of, now=clock(), stage=Stage.WRITING)

    every = job.asked["every"]
    _imported(job, upload, clock, every=every, reading=read, begin=begin, progress=write, conclude=conclude)


def _imported(job: Job, upload: Upload, clock: Clock, **options: Any) -> Report:
    """What became of an upload; options as those of `import_lines`."""
    lines, name, source = uploads.raw_lines(upload), upload.name, upload.source
    return imports.import_lines(job.space, lines, file=name, source=source, by=job.by, now=clock(), **options)


def _upload(job: Job) -> Upload:
    upload = Upload.objects.filter(space=job.space, pk=job.asked["upload"]).first()
    if upload is None:
        raise Refusal("the file is not there any more; give it again")
    return upload


def _told(report: Report) -> dict[str, Any]:
    return {
        "import": report.imported,
        "counts": report.balance,
        "brought": report.brought,
        "takes_back": report.takes_back,
        "notices": report.notices,
    }


def _amiss(report: Report) -> dict[str, Any]:
    """How many records are amiss, and of the first of them, why. (Those of an import stand in a table of their own.)"""
    amiss = [each for each in report.answers if each.status in AMISS]
    return {"of": len(amiss), "lines": [_line(each) for each in amiss[:_AMISS]]}


def _line(answer: Answer) -> dict[str, Any]:
    told = {name: getattr(answer, name) for name in ("number", "status", "field", "reason")}
    return told | {"text": receipts.verbatim(answer)[:_LONGEST]}


def _facts(report: Report) -> dict[str, Any]:
    """How many facts are new, and some of them from all over the file, but for those that come erased."""
    new = {each.id for each in report.answers if each.status == "new"}
    facts = [each for each in report.facts if each["id"] in new]
    told = [each for each in facts if each["text"] is not None]
    places = sorted({place * len(told) // _SAMPLE for place in range(_SAMPLE)}) if told else []
    return {"new": len(facts), "sample": [_shown(told[place]) for place in places]}


def _shown(fact: Record) -> dict[str, Any]:
    return {name: fact[name] for name in ("id", "text", "source", "at", "at_known")}


def _count_bands(job: Job, clock: Clock) -> None:
    trends.count_bands(
        job.space,
        now=clock(),
        only_now=job.asked.get("only_now", False),
        progress=_progress(job, clock),
        conclude=lambda: jobs.finish(job, {}, now=clock()),
    )


def _count_histograms(job: Job, clock: Clock) -> None:
    histograms.count(
        job.space,
        now=clock(),
        progress=_progress(job, clock),
        conclude=lambda: jobs.finish(job, {}, now=clock()),
    )


def _make_graph(job: Job, clock: Clock) -> None:
    graph.make(
        job.space,
        clock=clock,
        progress=_progress(job, clock),
        conclude=lambda result: jobs.finish(job, result, now=clock()),
    )


def _collect(job: Job, clock: Clock) -> None:
    outcomes.collect(
        job.space,
        now=clock(),
        progress=_progress(job, clock),
        conclude=lambda changed: jobs.finish(job, {"changed": changed}, now=clock()),
    )


def _consolidate(job: Job, clock: Clock) -> None:
    space, at = job.space, job.asked.get("at")
    hooks: dict[str, Any] = {"progress": _progress(job, clock), "conclude": lambda: _taken(job, clock)}
    if job.instant > NEVER:  # begun by a worker that was killed
        passes.go_on(space, **hooks)
        _ended_by_another(job, clock)
        return
    try:
        consolidation.consolidate(
            space,
            at=at,
            by=job.by,
            now=clock(),
            judge=lambda instant: breaker.judge(space, instant, job.asked.get("allowed")),
            begin=lambda instant: jobs.begun(job, instant, now=clock()),
            **hooks,
        )
    except Held as held:
        told = breaker.as_json(held.verdict)
        consolidation.hold(space, held.verdict, now=clock(), conclude=lambda: jobs.hold(job, told, now=clock()))
    else:
        _ended_by_another(job, clock)


def _ended_by_another(job: Job, clock: Clock) -> None:
    """A pass that somebody else has taken the last facts through ends its job, too. Raises Lost."""
    mine = Job.objects.filter(pk=job.pk, attempt=job.attempt).first()
    if mine is None:
        raise jobs.Lost
    if mine.state == JobState.RUNNING:
        _taken(job, clock)


def _taken(job: Job, clock: Clock) -> None:
    taken = Pass.objects.get(space=job.space, instant=job.instant)
    jobs.finish(job, {name: getattr(taken, name) for name in COUNTS}, now=clock())


def _preview(job: Job, clock: Clock) -> None:
    instant = consolidation.instant_of(job.space, job.asked.get("at"), clock())
    verdict = breaker.judge(job.space, instant)
    jobs.finish(job, breaker.as_json(verdict), now=clock())


def _refresh(job: Job, clock: Clock) -> None:
    refresh.refresh(
        job.space,
        now=clock(),
        progress=_progress(job, clock),
        conclude=lambda moved: jobs.finish(job, {"moved": moved}, now=clock()),
    )


@transaction.atomic
def _undo(job: Job, clock: Clock) -> None:
    act = undo.undo(job.space, job.asked["act"], by=job.by, now=clock(), reason=job.asked["reason"])
    jobs.finish(job, {"act": act}, now=clock())
    # The reason stands in the line now, where erasing finds it.
    Job.objects.filter(pk=job.pk).update(asked=job.asked | {"reason": ""})


@transaction.atomic
def _decide(job: Job, clock: Clock) -> None:
    """Decide many cases, or forget many facts. For as long as that takes, nobody else gets hold of the job's row."""
    jobs.renew(job, now=clock())
    asked, space = job.asked, job.space
    told = {"by": job.by, "now": clock(), **{name: asked[name] for name in ("reason", "seen", "shown")}}
    if asked["of"] == "facts":
        keys = facts.forgettable(space, lists.Filter(**asked["filter"]))
        batch = facts.forget_all(space, keys, **told)
    else:
        batch = verdicts.decide_all(space, queue.Filter(**asked["filter"]), asked["verdict"], **told)
    jobs.finish(job, batch._asdict(), now=clock())
    # The reason stands in the lines now, where erasing finds it; and what was looked for may be a text.
    Job.objects.filter(pk=job.pk).update(asked=asked | {"reason": "", "filter": {}})


@transaction.atomic
def _adopt(job: Job, clock: Clock) -> None:
    """All facts are folded anew. For as long as that takes, nobody else gets hold of the job's row."""
    jobs.renew(job, now=clock())
    asked = job.asked
    adopt = constants.roll_back if "version" in asked else constants.adopt
    act = adopt(job.space, by=job.by, now=clock(), **asked)
    jobs.finish(job, {"act": act}, now=clock())
    # The reason stands in the line now, where erasing finds it.
    Job.objects.filter(pk=job.pk).update(asked=asked | {"reason": ""})


def _verify(job: Job, clock: Clock) -> None:
    found, report = attest.attest(job.space, now=clock(), watch=_now_and_then(job, clock, job.space.head_position))
    jobs.finish(job, {"problems": len(found.findings), "report": report.decode()}, now=clock())


def _fit(job: Job, clock: Clock) -> None:
    """How often trust has to be computed nobody knows before."""
    hooks: dict[str, Any] = {"progress": _progress(job, clock), "watch": _now_and_then(job, clock, 0)}
    jobs.finish(job, fitting.fit(job.space, job.asked["names"], now=clock(), **hooks), now=clock())


def _now_and_then(job: Job, clock: Clock, of: int) -> Callable[[int], None]:
    """Says how far a job is, but not each time that it is told: a row is written for that."""
    told = clock()

    def watch(done: int) -> None:
        nonlocal told
        if clock() - told > _NOW_AND_THEN:
            told = clock()
            jobs.progress(job, done, of, now=told)

    return watch


def _detect(job: Job, clock: Clock) -> None:
    detection.detect(
        job.space,
        now=clock(),
        progress=_progress(job, clock),
        conclude=lambda result: jobs.finish(job, result, now=clock()),
    )


def _record(job: Job, clock: Clock) -> None:
    touches = serving.put_on_record(job.space, now=clock())
    jobs.finish(job, {"touches": touches}, now=clock())


def result(job: Job) -> Any:
    """What a job came to, or has found so far; None before there is anything."""
    return json.loads(job.result) if job.result else None


def _progress(job: Job, clock: Clock) -> Callable[[int, int], None]:
    return lambda done, of: jobs.progress(job, done, of, now=clock())


#: A job of each kind does this.
KINDS: Mapping[str, Callable[[Job, Clock], None]] = {
    uploads.JUDGE: _judge,
    uploads.TAKE_IN: _take_in,
    jobs.TRENDS: _count_bands,
    jobs.HISTOGRAMS: _count_histograms,
    jobs.OUTCOMES: _collect,
    jobs.GRAPH: _make_graph,
    jobs.CONSOLIDATION: _consolidate,
    jobs.PREVIEW: _preview,
    jobs.REFRESH: _refresh,
    jobs.UNDO: _undo,
    jobs.DECISION: _decide,
    jobs.ADOPTION: _adopt,
    jobs.VERIFY: _verify,
    jobs.FIT: _fit,
    jobs.RECORDING: _record,
    jobs.DETECTION: _detect,
}
