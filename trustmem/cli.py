"""The command `trustmem`: finds the command that was asked for, and turns what goes wrong into one sentence."""

import argparse
import errno
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from trustmem.intake.shell import Refusal

COMMANDS = {
    "score": "what every fact of a memory is worth, and why",
    "explain": "one fact: where its score comes from, and what would lift it",
}
_STATUSES = (
    "exit status: 0; 3 if some lines were refused, waiting or rejected; 2 if the file or the question was refused"
)
_OVERVIEW = "\n".join(
    [
        "Tells what each fact in an agent's memory is worth, and why.",
        "",
        "commands:",
        *(f"  {name:10} {summary}" for name, summary in COMMANDS.items()),
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
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        return PIPE_CLOSED
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
    """Parsers, those of commands included, whose errors are one sentence."""

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
    commands = parser.add_subparsers(prog="trustmem", metavar="COMMAND", required=True, help=argparse.SUPPRESS)
    chosen = next((each for each in argv if not each.startswith("-")), None)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name, help=summary, description=_sentence(summary), epilog=_STATUSES, allow_abbrev=False
        )
        if name == chosen:  # the others stay unloaded, so that the command starts quickly
            module = importlib.import_module(f"trustmem.intake.shell.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
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
