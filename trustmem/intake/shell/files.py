"""Bytes from the outside: a file, plain or compressed, or stdin; and what a file looks like that is none of ours."""

import errno
import gzip
import zlib
from collections.abc import Iterator, Sequence

from trustmem.formats import strict_json
from trustmem.intake.shell import Refusal
from trustmem.intake.shell.text import visible

STDIN = "-"
_GZIP = b"\x1f\x8b"
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
            packed = file.peek(len(_GZIP)).startswith(_GZIP)
            yield from gzip.GzipFile(fileobj=file) if packed else file
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise Refusal(f"{shown(path)}: is gzip, and damaged or cut off") from None
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or f"cannot be read: {error.strerror}"
        raise Refusal(f"{shown(path)}: {reason}") from None


def looks_like(lines: Sequence[bytes]) -> str | None:
    """What a file seems to be of whose lines none was understood, as the end of "it looks like ..."; None: no idea."""
    first = lines[0].strip()
    if any(b'"entityType"' in line or b'"relationType"' in line for line in lines):
        return "an MCP memory file; a later version takes those in with `trustmem import`"
    if first.startswith(b"SQLite format 3"):
        return "a SQLite database"
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text in UTF-16; interchange files are UTF-8"
    if any(b"\0" in line for line in lines):
        return "a binary file"
    if first.startswith(b"[") or first == b"{" or _is_document(first, lines):
        return "one JSON document; an interchange file has one object a line"
    if first.startswith((b"# ", b"---", b"<")):
        return "a text document; an interchange file has one JSON object a line"
    return None


def _is_document(first: bytes, lines: Sequence[bytes]) -> bool:
    """Whether a single line holds a whole export: an object that is no line of ours."""
    if len(lines) > 1:
        return False
    try:
        value = strict_json.loads(first)
    except strict_json.StrictJSONError:
        return False
    return isinstance(value, dict) and "type" not in value
