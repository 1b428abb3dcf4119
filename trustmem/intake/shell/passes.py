"""`trustmem passes`: what is due, what waits or runs, and every pass that was taken, the newest first."""

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import Any

from trustmem.actions import breaker, folding, jobs, schedules, undo
from trustmem.actions.consolidation import BREAKER
from trustmem.actions.undo import Undone
from trustmem.core.instants import EVER, NEVER, to_text
from trustmem.explanations.passes import reasons
from trustmem.explanations.text import visible
from trustmem.explanations.times import minute, until
from trustmem.formats import rfc3339
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page
from trustmem.intake.shell.times import clock, counted
from trustmem.store.models import OPEN, ConstantsVersion, Job, JobState, Pass, Space
from trustmem.store.passes import COUNTS
from trustmem.store.states import NOTHING, shows

_SHOWN = 25
#: Columns before what a pass did.
_INDENT = 29
Row = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("--all", action="store_true", help=f"all passes, not the newest {_SHOWN} alone")
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object a line, all passes")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    now = clock()
    with database.opened():
        space = stored.space(arguments)
        passes = Pass.objects.filter(space=space).order_by("-instant")
        shown = passes if arguments.all or arguments.json else passes[:_SHOWN]
        rows = [*_due(space, now), *_jobs(space), *_passes(space, list(shown))]
        if arguments.json:
            for row in rows:
                print(json.dumps(row))
        else:
            _show(space, rows, passes.count() - len(shown), now)
    return 0


def _due(space: Space, now: int) -> Iterator[Row]:
    following = schedules.next_due(schedules.of(space)[jobs.CONSOLIDATION], now)
    yield {"state": "due", "at": to_text(following) if following > NEVER else None}


def _jobs(space: Space) -> Iterator[Row]:
    """Passes that are asked for, wait for a person, or failed after all others."""
    kept = Job.objects.filter(space=space, kind=jobs.CONSOLIDATION).order_by("-asked_at", "-pk")
    newest = kept.values_list("pk", flat=True).first()
    for job in kept.exclude(state=JobState.DONE):
        if job.state in (*OPEN, JobState.NEEDS_A_PERSON) or job.pk == newest:
            yield {"state": job.state, "asked_at": to_text(job.asked_at), "by": job.by, **_found(job)}


def _found(job: Job) -> Row:
    if job.state == JobState.NEEDS_A_PERSON:
        verdict = breaker.of_job(job)
        return {"why": reasons(verdict), **verdict.preview.counts}
    return {"why": [job.error]} if job.error else {"done": job.done, "of": job.of}


def _passes(space: Space, passes: list[Pass]) -> Iterator[Row]:
    void = [to_text(each.instant) for each in passes if each.void]
    undone = undo.all_undone(space, void, folding.void(space, space.folded_to))
    since = ConstantsVersion.objects.filter(space=space).order_by("-since", "-pk")
    versions = list(since.values_list("since", "number"))
    for each in passes:
        name = to_text(each.instant)
        row = {"state": _state(each, undone), "at": name, **{count: getattr(each, count) for count in COUNTS}}
        row["constants_version"] = next((number for since, number in versions if since <= each.instant), None)
        if name in undone:
            row |= {"by": undone[name].by, "undo": undone[name].act}
        yield row


def _state(taken: Pass, undone: Mapping[str, Undone]) -> str:
    by = undone.get(to_text(taken.instant))
    if taken.void:
        return "held back" if by and by.by == BREAKER else "undone"
    return "under way" if taken.through < EVER else "taken"


def _show(space: Space, rows: list[Row], left: int, now: int) -> None:
    page = Page()
    page.flow([(visible(space.name), STRONG), (counted(_count(rows) + left, "pass", "passes"), "")], 0)
    for row in rows:
        _SHOWN_AS.get(row["state"], _show_pass)(page, row, now)
    if left:
        page.line((f"and {counted(left, 'older one')}; --all shows them", SOFT))


def _count(rows: list[Row]) -> int:
    return sum("weighed" in row and "at" in row for row in rows)


def _show_due(page: Page, row: Row, now: int) -> None:
    due = rfc3339.parse(row["at"]) if row["at"] else None
    page.line("next due ", f"{minute(due)} UTC, {until(due, now)}" if due is not None else "never, by the schedule")


def _show_waiting(page: Page, row: Row, now: int) -> None:
    page.line(("a pass needs a person's word", STRONG))
    for why in row["why"]:
        page.entry("", why, 2)
    page.entry("", "trustmem consolidate --dry-run shows it, and --approve takes it.", 2, SOFT)


def _show_asked(page: Page, row: Row, now: int) -> None:
    parts = [(f"a pass is {row['state']}", STRONG), (f"asked for by {visible(row['by'])}", "")]
    done = [(f"{row['done']} of {row['of']} facts", "")] if row.get("of") else []
    page.flow([*parts, *done, *((visible(why), "") for why in row.get("why", ()))], 0)


def _show_pass(page: Page, row: Row, now: int) -> None:
    counts = [(f"{row['weighed']} weighed", ""), (f"{row['changed']} changed", "")]
    counts += [(f"{row[name]} {word}", "") for name, word in _WORDS.items() if row[name]]
    state = [] if row["state"] == "taken" else [(_said(row), STRONG)]
    version = row["constants_version"]
    counts += [(f"constants version {version}", SOFT)] if version else []
    page.flow([*state, *(counts if row["state"] in ("taken", "under way") else [])], _INDENT, row["at"])


_WORDS = {"pruned": "pruned", "revived": "back", "promoted": "promoted", "deferred": "to wait for that"}


def _said(row: Row) -> str:
    return f"undone by {visible(row['by'])}" if row["state"] == "undone" and row.get("by") else str(row["state"])


_SHOWN_AS = {
    "due": _show_due,
    JobState.NEEDS_A_PERSON: _show_waiting,
    JobState.QUEUED: _show_asked,
    JobState.RUNNING: _show_asked,
    JobState.FAILED: _show_asked,
}
