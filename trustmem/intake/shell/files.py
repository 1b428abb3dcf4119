"""Bytes from the outside: a file, plain or compressed, or stdin."""

import errno
from collections.abc import Iterator

from trustmem.explanations.text import visible
from trustmem.formats.raw_lines import Unreadable, unpacked
from trustmem.intake.shell import Refusal

STDIN = "-"
_REASONS = {
    errno.ENOENT: "there is no such file",
    errno.EISDIR: "is a directory, not a file",
    errno.EACCES: "cannot be read: permission denied",
}


def shown(path: str) -> str:
    """The name of a file as people read it."""
    return "stdin" if path == STDIN else visible(path)


def raw_lines(path: str) -> Iterator[bytes]:
    """The lines of a file, unpacked if its first bytes say that it is gzip. Raises Refusal."""
    try:
        # Descriptor 0 stays open: it belongs to whoever started us.
        with open(0 if path == STDIN else path, "rb", closefd=path != STDIN) as file:
            yield from unpacked(file)
    except Unreadable as error:
        raise Refusal(f"{shown(path)}: {error}") from None
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or f"cannot be read: {error.strerror}"
        raise Refusal(f"{shown(path)}: {reason}") from None
