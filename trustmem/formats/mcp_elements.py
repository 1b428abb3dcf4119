"""An MCP memory file cut into what can be wrong alone: lines, or the elements of a document's arrays."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trustmem.formats import strict_json

#: What is left over where a document was cut off.
CUT_TAIL = "cut tail"
_ARRAYS = {"entities": "entity", "relations": "relation"}
#: An object whose first array or object is one of the two; one that has a type is a line.
_DOCUMENT = re.compile(rb'\s*\{(?:(?!"_?type"\s*:)[^\[{])*?"(?:entities|relations)"\s*:\s*\[')
#: Strings, which no line end can stand in, and what gives a document its structure.
_TOKEN = re.compile(rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|[\[\]{},]')


class Element(NamedTuple):
    """A line, or an element of a document's arrays: where it stands, and what it is if that says it."""

    number: int
    path: str
    kind: str | None
    raw: bytes


def is_document(start: bytes) -> bool:
    """Whether a file that starts so is one object of entities and relations.

    >>> is_document(b'{"entities": [')
    True
    """
    return bool(_DOCUMENT.match(start))


def elements(raw_lines: Iterable[bytes]) -> Iterator[Element]:
    """The elements of a file given as lines of bytes; blank lines are none."""
    lines = list(raw_lines)
    lines[:1] = [line.removeprefix(strict_json.BOM) for line in lines[:1]]
    if is_document(b"".join(lines[:100])):
        yield from _elements_of_document(b"".join(lines))
    else:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield Element(number, "", None, line)


def _elements_of_document(document: bytes) -> Iterator[Element]:
    """Cut at the commas of its arrays, so that what is wrong with one element costs no other, as with lines."""
    number, counted = 1, 0
    for path, kind, start, end in _spans(document):
        piece = document[start:end]
        start += len(piece) - len(piece.lstrip())
        number += document.count(b"\n", counted, start)
        counted = start
        if piece.strip() or kind == CUT_TAIL:
            yield Element(number, path, kind, piece.strip())


def _spans(document: bytes) -> Iterator[tuple[str, str | None, int, int]]:
    """Path, kind, start and end of each element, then of what follows the document or is left of it."""
    depth = start = place = 0
    key, array = "", None
    for token in _TOKEN.finditer(document):
        match token[0]:
            case b"[" | b"{":
                depth += 1
                if depth == 2 and token[0] == b"[":
                    array, place, start = key, 0, token.end()
            case b"]" | b"}":
                if depth == 2 and array is not None:
                    yield f"{array}.{place}", _ARRAYS.get(array), start, token.start()
                    array = None
                depth -= 1
                start = token.end() if array is None else start
                if depth == 0:
                    break
            case b",":
                if depth == 2 and array is not None:
                    yield f"{array}.{place}", _ARRAYS.get(array), start, token.start()
                    place, start = place + 1, token.end()
            case string if depth == 1:
                key = string[1:-1].decode(errors="replace")
    yield "", CUT_TAIL if depth else None, start, len(document)
