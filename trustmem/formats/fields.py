"""Field by field, what an object may hold: a parser takes a JSON value and gives it back checked, or says why not."""

import base64
import difflib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from trustmem.formats import rfc3339
from trustmem.formats.strict_json import quoted

Parser = Callable[[Any], Any]

MAX_TEXT = 100_000
MAX_IDENTIFIER = 500


class FieldError(ValueError):
    """What is wrong with a field, `field` being its path ("baseline.uses"), or None for the object as a whole."""

    def __init__(self, reason: str, field: str | None = None) -> None:
        super().__init__(f"{quoted(field)} {reason}" if field is not None else reason)
        self.reason = reason
        self.field = field


@dataclass(frozen=True, slots=True)
class Field:
    parse: Parser
    required: bool = False
    default: Any = None


Fields = Mapping[str, Field]


def required(parse: Parser) -> Field:
    return Field(parse, required=True)


def optional(parse: Parser, default: Any = None) -> Field:
    return Field(parse, default=default)


def parse_object(given: Any, fields: Fields, what: str) -> dict[str, Any]:
    """The checked fields that were given; `what` names the object in sentences. Raises FieldError."""
    if not isinstance(given, dict):
        raise FieldError("must be an object")
    parsed = {}
    for name, value in given.items():
        field = fields.get(name)
        if field is None:
            raise FieldError(f"is no field of {what}{did_you_mean(name, tuple(fields))}", name)
        try:
            parsed[name] = field.parse(value)
        except FieldError as error:
            raise FieldError(error.reason, f"{name}.{error.field}" if error.field else name) from None
        except ValueError as error:
            raise FieldError(str(error), name) from None
    for name, field in fields.items():
        if field.required and name not in parsed:
            raise FieldError("is missing", name)
    return parsed


def did_you_mean(word: str, words: tuple[str, ...]) -> str:
    """The end of a sentence about a word that is not among `words`.

    >>> did_you_mean("soruce", ("source", "run"))
    '; did you mean "source"?'
    """
    close = _closest(word[:60].lower(), words)
    return f'; did you mean "{close}"?' if close else ""


@lru_cache(maxsize=1024)  # a file that is wrong tends to be wrong the same way on every line
def _closest(word: str, words: tuple[str, ...]) -> str | None:
    return next(iter(difflib.get_close_matches(word, words, 1)), None)


def _text(value: Any, longest: int) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    if not value:
        raise ValueError("is empty")
    if len(value) > longest:
        raise ValueError(f"is {len(value)} characters long; the limit is {longest}")
    return value


def identifier(value: Any) -> str:
    text = _text(value, MAX_IDENTIFIER)
    # Nearly every identifier is printable, and that is quick to tell.
    if not text.isprintable() and any(unicodedata.category(each) == "Cc" for each in text):
        raise ValueError("has a control character")
    return text


def text(value: Any) -> str:
    return _text(value, MAX_TEXT)


def maybe_empty(value: Any) -> str:
    """A text that may be empty, as a value that was blank in its source is."""
    return text(value) if value != "" else ""


def instant(value: Any) -> int:
    if not isinstance(value, str):
        raise ValueError("must be a time written as a text")
    return rfc3339.parse(value)


def boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def free_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("must be an object")
    return value


def number(low: float, high: float) -> Parser:
    def parse(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError("must be a number")
        if not low <= value <= high:
            raise ValueError(f"must lie from {low:g} to {high:g}, not {value:g}")
        return float(value)

    return parse


def whole(low: int, high: int) -> Parser:
    def parse(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValueError("must be a whole number")
        if not low <= value <= high:
            raise ValueError(f"must lie from {low} to {high}, not {value}")
        return value

    return parse


def word(words: Sequence[str]) -> Parser:
    def parse(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError("must be a text")
        if value not in words:
            close = did_you_mean(value, tuple(words)) or f"; it is one of {', '.join(words)}"
            raise ValueError(f"cannot be {quoted(value)}{close}")
        return value

    return parse


def list_of(parse_one: Parser) -> Parser:
    def parse(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ValueError("must be a list")
        return [_parse_entry(position, each) for position, each in enumerate(value)]

    def _parse_entry(position: int, value: Any) -> Any:
        try:
            return parse_one(value)
        except ValueError as error:
            raise FieldError(str(error), str(position)) from None

    return parse


def encoded(length: int | None = None) -> Parser:
    """Base64 text, of so many bytes where a length is given; it is kept as text."""

    def parse(value: Any) -> str:
        letters = text(value)
        try:
            found = len(base64.b64decode(letters, validate=True))
        except ValueError:
            raise ValueError("is no base64") from None
        if length is not None and found != length:
            raise ValueError(f"must be {length} bytes in base64, not {found}")
        return letters

    return parse


def nested(fields: Fields, what: str, make: Callable[..., Any] = dict) -> Parser:
    def parse(value: Any) -> Any:
        return make(**parse_object(value, fields, what))

    return parse
