"""The command `trustmem`: finds the command that was asked for, and turns what goes wrong into one sentence."""

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

from trustmem.intake.shell import Failure, Refusal


class Command(NamedTuple):
    """Its module in `trustmem.intake.shell`, and whether that works on the database whatever it is asked."""

    module: str
    summary: str
    stored: bool = True


COMMANDS = {
    "serve": Command("serve", "open the desk in the browser: the pages, and a worker for what takes long"),
    "score": Command("score", "what every fact of a file is worth, and why", stored=False),
    "explain": Command("explain", "one fact: where its score comes from, and what would lift it", stored=False),
    "demo": Command("demo", "a space with an invented story in it, to look around in"),
    "space": Command("spaces", "the spaces of the database: make one, list them"),
    "import": Command("imports", "take a file into a space of the database"),
    "export": Command("exports", "a space as a file that makes it again, or its scores"),
    "show": Command("show", "what every fact of a space is worth, or one of them in short"),
    "search": Command("search", "what a space knows of something, the most trusted and useful first"),
    "review": Command("review", "what waits for a person to decide it, the most consequential first"),
    "duplicates": Command("duplicates", "facts that say the same, in clusters; and their merging"),
    "detector": Command("detector", "how often the detector of conflicts and duplicates was right"),
    "accept": Command("facts", "say as a person that a fact is so"),
    "forget": Command("facts", "say as a person that a fact is to be served no more, nor taken in again"),
    "restore": Command("facts", "bring back a fact that was forgotten"),
    "lift": Command("tombstones", "let in again what was forgotten, and is refused since"),
    "erase": Command("erasing", "empty the texts of a fact for good"),
    "undo": Command("undo", "take back what an act or an import wrote"),
    "consolidate": Command("consolidation", "run a consolidation pass: facts fade, are pruned, are promoted"),
    "detect": Command("detection", "compare facts that came with those before them: what may be in conflict"),
    "passes": Command("passes", "every consolidation pass, what waits for a person, and what is due"),
    "calibrate": Command("calibration", "fit freshness to a space, and adopt the fit"),
    "tokens": Command("tokens", "what agents come in by: make, list, rotate, revoke"),
    "mcp": Command("mcp", "the door for agents over MCP, on stdin and stdout or over HTTP"),
    "keys": Command("keys", "the keys by which sources sign what they say: make, register, list, revoke"),
    "sign": Command("sign", "sign the facts and edges of a file with a registered key"),
    "constants": Command("constants", "the constants in force and all versions: show, compare, adopt, go back"),
    "verify": Command("verify", "prove that no line was changed, and that all else follows from the lines"),
    "hash": Command("state_hash", "one digest of all that a space's history decides"),
    "web": Command("web", "the pages of the desk alone", stored=False),
    "worker": Command("worker", "the worker alone, which does what takes long"),
    "beat": Command("beat", "wakes the workers for what is due by the spaces' schedules"),
    "link": Command("link", "a link by which somebody comes in to the desk, once"),
}
_STATUSES = (
    "exit status: 0; 3 if some lines were refused, waiting or rejected; 2 if the file or the question was refused; "
    "1 if it failed, or verify found something wrong"
)
_OVERVIEW = "\n".join(
    [
        "Tells what each fact in an agent's memory is worth, and why.",
        "",
        "commands:",
        *(f"  {name:12} {command.summary}" for name, command in COMMANDS.items()),
        "",
        "score, and explain with a file, read that file and store nothing. The others work on a database:",
        "a file in the folder that TRUSTMEM_HOME names (~/.trustmem), or what DATABASE_URL names.",
        "",
        "`trustmem COMMAND --help` says more.",
    ]
)

#: What a shell reports of a program that ended by SIGINT, and by SIGPIPE.
INTERRUPTED, PIPE_CLOSED = 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    try:
        _prepare_output()
        arguments = _parser(sys.argv[1:] if argv is None else argv).parse_args(argv)
        run: Callable[[argparse.Namespace], int] = arguments.run
        status = run(arguments)
        sys.stdout.flush()
        return status
    except Refusal as refusal:
        print(f"trustmem: {refusal}", file=sys.stderr)
        return 2
    except Failure as failure:
        print(f"trustmem: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return PIPE_CLOSED
    except MemoryError:
        print("trustmem: this machine has not enough memory for that", file=sys.stderr)
        return 2
    except OSError as error:  # what goes wrong in reading is a Refusal by now
        _drop_output()
        print(f"trustmem: cannot write: {error.strerror}", file=sys.stderr)
        return 1


def _prepare_output() -> None:
    """No character ends a command because a terminal cannot show it, and a closed stream is no other stream."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """The interpreter flushes stdout once more as it ends; there it finds somebody who listens."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """Parsers, those of commands included: their errors are one sentence, and what is no option may stand anywhere."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._mixing or any(action.nargs == argparse.PARSER for action in self._get_positional_actions()):
            return super().parse_known_args(args, namespace)
        self._mixing = True  # what is called here calls this method
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="trustmem",
        usage="trustmem [-h] [--version] COMMAND ...",
        description=_OVERVIEW,
        epilog=_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(
        prog="trustmem", metavar="COMMAND", dest="command", required=True, help=argparse.SUPPRESS
    )
    chosen = next((each for each in argv if not each.startswith("-")), None)
    for name, (module, summary, stored) in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, description=_sentence(summary), epilog=_STATUSES, allow_abbrev=False
        )
        if name == chosen:  # the others stay unloaded, so that the command starts quickly
            if stored:  # models can be loaded only then
                importlib.import_module("trustmem.intake.shell.database").set_up()
            loaded = importlib.import_module(f"trustmem.intake.shell.{module}")
            loaded.add_arguments(command)
            command.set_defaults(run=loaded.run)
    return parser


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from importlib.metadata import version

        print(f"trustmem {version('trustmem-desk')}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
