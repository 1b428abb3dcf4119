"""What is wrong with what was asked, where pydantic finds it: in a sentence of ours, the same at both doors."""

from collections.abc import Mapping
from typing import Any

from trustmem.formats.strict_json import quoted

_WHOLE, _NUMBER, _TRUTH = "must be a whole number", "must be a number", "must be true or false"
#: By the type of the error, with what it tells.
_SENTENCES = {
    "bool_parsing": _TRUTH,
    "bool_type": _TRUTH,
    "dict_type": "must be an object",
    "extra_forbidden": "is nothing that you can say here",
    "float_parsing": _NUMBER,
    "float_type": _NUMBER,
    "greater_than_equal": "must be at least {ge}",
    "int_from_float": _WHOLE,
    "int_parsing": _WHOLE,
    "int_type": _WHOLE,
    "less_than_equal": "must be at most {le}",
    "list_type": "must be a list",
    "literal_error": "must be one of {expected}",
    "missing": "is missing",
    "model_attributes_type": "must be an object",
    "string_pattern_mismatch": "has a control character",
    "string_too_long": "is longer than {max_length} characters",
    "string_too_short": "is shorter than {min_length} characters",
    "string_type": "must be a text",
    "too_long": "has {actual_length} entries; the limit is {max_length}",
}


def why(error: Mapping[str, Any], skip: int = 0) -> tuple[str, str]:
    """The field that an error of pydantic is about ('': none), without the `skip` first parts of its place, and a
    sentence."""
    place = error.get("loc", ())
    field = ".".join(str(each) for each in place[skip:] or place[-1:])
    told = _SENTENCES.get(error.get("type", ""))
    if error.get("type") == "string_too_short" and error["ctx"]["min_length"] == 1:
        told = "is empty"
    said = told.format(**error.get("ctx", {})) if told else f"cannot be: {error.get('msg', '')}"
    return field, f"{quoted(field)} {said}"
