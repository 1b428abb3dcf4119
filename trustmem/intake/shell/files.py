"""Bytes from the outside: a file, plain or compressed, or stdin."""

import errno
import gzip
import zlib
from collections.abc import Iterator
from typing import Protocol

from trustmem.explanations.text import visible
from trustmem.intake.shell import Refusal

STDIN = "-"
_GZIP = b"\x1f\x8b"
#: A memory file may be one line as a whole.
_LONGEST = 256 << 20
_REASONS = {
    errno.ENOENT: "there is no such file",
    errno.EISDIR: "is a directory, not a file",
    errno.EACCES: "cannot be read: permission denied",
}


class Lines(Protocol):
    """What has lines of bytes."""

    def readline(self, size: int, /) -> bytes: ...


def shown(path: str) -> str:
    """The name of a file as people read it."""
    return "stdin" if path == STDIN else visible(path)


def raw_lines(path: str) -> Iterator[bytes]:
    """The lines of a file, unpacked if its first bytes say that it is gzip. Raises Refusal."""
    try:
        # Descriptor 0 stays open: it belongs to whoever started us.
        with open(0 if path == STDIN else path, "rb", closefd=path != STDIN) as file:
            packed = file.peek(len(_GZIP)).startswith(_GZIP)
            yield from _lines(gzip.GzipFile(fileobj=file) if packed else file, path)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise Refusal(f"{shown(path)}: is gzip, and damaged or cut off") from None
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or f"cannot be read: {error.strerror}"
        raise Refusal(f"{shown(path)}: {reason}") from None


def _lines(file: Lines, path: str) -> Iterator[bytes]:
    """The lines of a file. An endless one ends here, and not where memory does."""
    while line := file.readline(_LONGEST + 1):
        if len(line) > _LONGEST:
            raise Refusal(f"{shown(path)}: has a line of more than {_LONGEST >> 20} MiB")
        yield line
