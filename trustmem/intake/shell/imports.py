"""`trustmem import FILE`: takes a file into a space, and prints what became of its records."""

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from typing import Any

from django.db import transaction

from trustmem.actions import imports
from trustmem.actions.imports import Report
from trustmem.explanations.imports import takes_back
from trustmem.explanations.text import visible
from trustmem.formats.interchange import STATUSES, Answer
from trustmem.intake.shell import Refusal, answers, database, stored
from trustmem.intake.shell.files import STDIN, raw_lines, shown
from trustmem.intake.shell.look import SOFT, STRONG, Page, progressing
from trustmem.intake.shell.memory import add_pass_every
from trustmem.intake.shell.times import clock, counted, instant
from trustmem.store.models import Fact, Pass, Space
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the file, plain or .gz; - is stdin")
    stored.add_arguments(parser)
    parser.add_argument(
        "--format", choices=("auto", "interchange", "mcp"), default="auto", help="what it is (default: found out)"
    )
    parser.add_argument(
        "--source",
        metavar="NAME",
        type=stored.identifier,
        default="unknown",
        help="who says what an MCP memory file holds (default: unknown)",
    )
    parser.add_argument(
        "--now", metavar="T", type=instant, help="take it in as of this instant, RFC 3339 with an offset (default: now)"
    )
    add_pass_every(parser)
    parser.add_argument("--dry-run", action="store_true", help="say what would become of it, and write nothing")
    parser.add_argument("--strict", action="store_true", help="take all of it, or nothing if any line is amiss")
    parser.add_argument("--json", action="store_true", help="for machines: one JSON object")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    raw = list(raw_lines(arguments.file))
    with database.opened(), _leaving_nothing() if arguments.dry_run else nullcontext():
        space = stored.space(arguments)
        asked_for = space.name
        held = Fact.objects.filter(space=space).exists()
        report = _imported(space, raw, arguments)
    notices = _notices(report, takes_back(report.takes_back) if held else "")
    if arguments.json:
        print(json.dumps(_as_data(space, report, notices, arguments)))
    else:
        _show(space, report, arguments, Page())
    sys.stdout.flush()
    answers.report(report.answers, notices)
    if space.name != asked_for:
        renamed = f'the space "{visible(asked_for)}" took the name that the file gives it: "{visible(space.name)}"'
        print(f"notice: {renamed}; --space {visible(asked_for)} finds it too", file=sys.stderr)
    return answers.status(report.answers)


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    """Where there is no space yet, the one that a file is judged against goes again."""
    if Space.objects.exists():
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _imported(space: Space, raw: list[bytes], arguments: argparse.Namespace) -> Report:
    name = shown(arguments.file)
    file = name if arguments.file == STDIN else os.path.basename(arguments.file)
    with progressing(f"taking in {name}") as progress:
        try:
            return imports.import_lines(
                space,
                raw,
                file=file,
                by=stored.user(),
                now=clock() if arguments.now is None else arguments.now,
                source=arguments.source,
                format=arguments.format,
                every=arguments.pass_every,
                dry_run=arguments.dry_run,
                strict=arguments.strict,
                progress=progress,
            )
        except KeyboardInterrupt:
            print(f"trustmem: {name}: interrupted; the same import finishes it", file=sys.stderr)
            raise
        except Refusal as refusal:
            raise Refusal(f"{name}: {str(refusal).removeprefix(f'{file}: ')}") from None


def _show(space: Space, report: Report, arguments: argparse.Namespace, page: Page) -> None:
    balance = report.balance
    would_be = "would be taken" if report.dry_run else "taken"
    page.flow([(shown(arguments.file), STRONG), (f"{would_be} into {stored.called(space)}", "")], 0)
    sums = " + ".join(f"{balance[status]} {status}" for status in STATUSES)
    page.line(f"{sums} = {counted(len(report.answers), 'record')}")
    if report.dry_run:
        return
    facts, passes = (model.objects.filter(space=space).count() for model in (Fact, Pass))
    page.line((f"the space has {counted(facts, 'fact')} and {counted(passes, 'pass', 'passes')} now", SOFT))
    if balance["new"]:
        page.line((f"trustmem undo {report.imported} takes it back", SOFT))


def _as_data(space: Space, report: Report, notices: list[str], arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "file": shown(arguments.file),
        "space": space.name,
        "import": report.imported,
        "dry_run": report.dry_run,
        "records": len(report.answers),
        **{str(status): count for status, count in report.balance.items()},
        "amiss": [_answer(answer) for answer in answers.amiss(report.answers)],
        "notices": notices,
    }


def _notices(report: Report, takes_back: str) -> list[str]:
    notices = [*report.notices, *filter(None, [takes_back])]
    if report.undone is None:
        return notices
    back = f'"trustmem undo {report.undone.act}" brings it back'
    return [*notices, f"this import is undone, so that nothing it brought counts; {back}"]


def _answer(answer: Answer) -> dict[str, Any]:
    told = asdict(answer)
    del told["raw"], told["kept_out"]  # the former is kept in the database, verbatim
    return told | {"tombstone": answer.kept_out.tombstone if answer.kept_out else None}
