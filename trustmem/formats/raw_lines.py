"""The raw lines of a file, plain or packed with gzip."""

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedReader
from typing import Protocol

#: A memory file may be one line as a whole.
LONGEST = 256 << 20
_GZIP = b"\x1f\x8b"


class Unreadable(ValueError):
    """What is wrong with a file as a whole: the end of a sentence that begins with its name."""


class _Lines(Protocol):
    """What has lines of bytes."""

    def readline(self, size: int, /) -> bytes: ...


def is_packed(start: bytes) -> bool:
    """Whether the first bytes of a file say that it is gzip.

    >>> is_packed(gzip.compress(b"a line"))
    True
    """
    return start.startswith(_GZIP)


def unpacked(file: BufferedReader, most: int | None = None, most_lines: int | None = None) -> Iterator[bytes]:
    """The lines of a file, unpacked if its first bytes say that it is gzip; no more than `most` bytes of them, and no
    more than `most_lines`: a line takes memory however short it is.

    Raises Unreadable, after the lines that could be read.
    """
    packed = is_packed(file.peek(len(_GZIP)))
    try:
        yield from _limited(gzip.GzipFile(fileobj=file) if packed else file, most, most_lines)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise Unreadable("is gzip, and damaged or cut off") from None


def _limited(file: _Lines, most: int | None, most_lines: int | None) -> Iterator[bytes]:
    """The lines of a file. An endless one ends here, and not where memory does."""
    size = count = 0
    while line := file.readline(LONGEST + 1):
        if len(line) > LONGEST:
            raise Unreadable(f"has a line of more than {LONGEST >> 20} MiB")
        size += len(line)
        if most is not None and size > most:
            raise Unreadable(f"is more than {most >> 20} MiB, unpacked")
        count += 1
        if most_lines is not None and count > most_lines:
            raise Unreadable(f"has more than {most_lines} lines")
        yield line
