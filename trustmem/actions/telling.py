"""Telling which of our formats a file is in."""

from collections.abc import Sequence
from typing import Literal

from trustmem.actions.errors import Refusal
from trustmem.formats import detect

Format = Literal["auto", "interchange", "mcp"]


def kind_of(raw_lines: Sequence[bytes], format: Format = "auto") -> Literal["interchange", "mcp"]:
    """The format of a file, told from its first lines. Raises Refusal for what is none of ours."""
    if format != "auto":
        return format
    start = b"".join(raw_lines[:200])[: 1 << 16]
    kind = detect.detect(start)
    if kind is None and any(line.strip() for line in raw_lines):
        raise Refusal(f"it looks like {detect.looks_like(start) or 'nothing that can be read here'}")
    return kind or "interchange"
