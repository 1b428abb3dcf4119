"""The one JSON loader of every entrance: what it takes means one thing, and what it refuses it refuses by name.

`json.loads` takes duplicate keys (the last wins), NaN, numbers that become infinity, lone surrogates, and nests
until the stack ends. Here each of these is an error of one sentence.
"""

import codecs
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

MAX_BYTES = 1 << 20
MAX_DEPTH = 64

#: A reader takes it from the start of a file, before it loads; anywhere else it is an error.
BOM = codecs.BOM_UTF8

_UNSAFE = re.compile("[\x00\ud800-\udfff]")
#: What the decoder can trip over where a text was cut: nothing, or a piece of a literal, a number or an escape.
_CUT_TAIL = re.compile(r"(t(ru?)?|f(a(ls?)?)?|n(ul?)?|-|\.|[eE][+-]?|u[0-9a-fA-F]{0,4})?")


class StrictJSONError(ValueError):
    """Why some bytes are no JSON value that may come in: one sentence, without its subject."""


def loads(raw: bytes, *, max_bytes: int = MAX_BYTES, unsafe_strings: bool = False) -> Any:
    """The JSON value in `raw`, with or without a line end. Raises StrictJSONError.

    With `unsafe_strings` the caller takes over to `refuse_unsafe_strings`, part by part, so that one costs no other.

    >>> loads(b'{"id": "a", "at": 1}')
    {'id': 'a', 'at': 1}
    """
    raw = raw.rstrip(b"\r\n")
    if len(raw) > max_bytes:
        raise StrictJSONError(f"is longer than {max_bytes} bytes, the limit")
    text = _decode(raw)
    if text.count("[") + text.count("{") > MAX_DEPTH and _depth(text) > MAX_DEPTH:
        raise StrictJSONError(f"is nested deeper than {MAX_DEPTH} levels, the limit")
    value = _parse(text)
    # Decoded UTF-8 holds neither NUL in a string nor surrogates: only an escape brings them.
    if "\\u" in text and not unsafe_strings:
        refuse_unsafe_strings(value)
    return value


def quoted(text: str) -> str:
    """A key or word of the input as error sentences show it: short, and nothing in it that moves a terminal.

    >>> quoted("a\\x1b[2Jb")
    '"a\\\\u001b[2Jb"'
    """
    short = _shortened(text)
    return json.dumps(short, ensure_ascii=not short.isprintable())


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":
            raise StrictJSONError("ends inside a value") from None
        raise StrictJSONError(f"is not UTF-8 at byte offset {error.start}") from None


def _depth(text: str) -> int:
    """The deepest nesting, brackets in strings left out; without recursion, so that no input can end the stack."""
    without_escapes = text.replace("\\\\", "").replace('\\"', "")
    outside_strings = "".join(without_escapes.split('"')[::2])
    level = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", outside_strings):
        level += 1 if bracket in "[{" else -1
        deepest = max(deepest, level)
    return deepest


def _parse(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise StrictJSONError(_reason(error, text)) from None


def _reason(error: json.JSONDecodeError, text: str) -> str:
    if not text.strip():
        return "is empty"
    if text.startswith("\ufeff"):
        return "has a byte order mark; one may stand only at the start of a file"
    if error.msg == "Extra data":
        return f"goes on after its value, at character {error.pos}"
    if error.msg.startswith("Unterminated string") or _CUT_TAIL.fullmatch(text[error.pos :].rstrip()):
        return "ends inside a value"
    if error.msg.startswith("Invalid control character"):
        character = f"U+{ord(text[error.pos]):04X}"
        return f"has the unescaped control character {character} in a string, at character {error.pos}"
    return f"is not JSON at character {error.pos}: {error.msg[0].lower()}{error.msg[1:]}"


def refuse_unsafe_strings(value: Any) -> None:
    """Raises StrictJSONError for the first string in a value, keys too, that has a NUL or half a surrogate pair."""
    for text, key in _strings(value, None):
        found = _UNSAFE.search(text)
        if found:
            where = f" in {quoted(key)}" if key is not None else ""
            what = "a NUL character (U+0000)" if found[0] == "\0" else f"half a surrogate pair (U+{ord(found[0]):04X})"
            raise StrictJSONError(f"has {what}{where}")


def _strings(value: Any, key: str | None) -> Iterator[tuple[str, str | None]]:
    """Every string in a value, keys too, each with the key that it stands under."""
    if isinstance(value, str):
        yield value, key
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each, key)
    elif isinstance(value, dict):
        for inner, each in value.items():
            yield inner, inner
            yield from _strings(each, inner)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise StrictJSONError(f"has the key {quoted(twice)} twice")
    return found


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise StrictJSONError(f"has a number too large for a double: {_shortened(digits)}")
    return number


def _int(digits: str) -> int:
    # The length goes first: Python itself refuses to read integers of more than 4 300 digits.
    if len(digits) > 20 or not -(1 << 63) <= int(digits) < 1 << 63:
        raise StrictJSONError(f"has an integer beyond 64 bits: {_shortened(digits)}")
    return int(digits)


def _constant(name: str) -> None:
    raise StrictJSONError(f"has {name}, which is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_constant)
