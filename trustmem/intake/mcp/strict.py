"""One loader of JSON at every entrance: what has a key twice, a NUL or half a pair of surrogates, or nests without end,
is no message here, though the SDK would take it for one."""

import io
import json
from typing import Any, BinaryIO

from trustmem.formats import strict_json
from trustmem.formats.strict_json import StrictJSONError

#: So long a message is at most: a text of the greatest length takes so much where each letter is written as codes.
MOST_BYTES = 4 << 20
PARSE_ERROR = -32700


def why_not(raw: bytes) -> str:
    """Why some bytes are no message that may come in: a sentence; '' where they may."""
    try:
        strict_json.loads(raw, max_bytes=MOST_BYTES)
    except StrictJSONError as error:
        return f"the message {error}"
    return ""


class Lines(io.RawIOBase):
    """Messages on stdin, a line each. In place of one that may not come in stands one that nobody takes, by that
    sentence: so whoever waits for an answer is told why."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._left = file, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = self._next()
        count = min(len(buffer), len(self._left))
        buffer[:count], self._left = self._left[:count], self._left[count:]
        return count

    def _next(self) -> bytes:
        line = self._file.readline(MOST_BYTES + 1)
        rest = line
        while len(rest) > MOST_BYTES and not rest.endswith(b"\n"):  # of what is too long the rest is passed over
            rest = self._file.readline(MOST_BYTES + 1)
        why = why_not(line) if line.strip() else ""
        if not why:
            return line
        return json.dumps({"jsonrpc": "2.0", "method": why} | _id(line)).encode() + b"\n"


def _id(line: bytes) -> dict[str, Any]:
    """The id of what would be a message, if it has one."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    id = told.get("id") if isinstance(told, dict) else None
    return {"id": id} if isinstance(id, int | str) and not isinstance(id, bool) else {}
