"""Texts laid out for a terminal, in columns."""

import re
from collections.abc import Iterator

from trustmem.explanations.text import columns_of, graphemes, visible


def padded(text: str, columns: int) -> str:
    """The text followed by spaces up to so many columns."""
    return text + " " * (columns - columns_of(text))


def wrapped(text: str, columns: int) -> list[str]:
    """All of the text, made visible, in lines of at most so many columns, broken at line ends and between words."""
    lines = []
    for paragraph in visible(text).replace("␤", "␤\n").split("\n"):
        line, used = "", 0
        for piece in _pieces(paragraph, columns):
            if line and used + columns_of(piece.rstrip(" ")) > columns:
                lines.append(line.rstrip(" "))
                line, used = "", 0
            line, used = line + piece, used + columns_of(piece)
        lines.append(line.rstrip(" "))
    return lines


def _pieces(paragraph: str, columns: int) -> Iterator[str]:
    """Words with the spaces after them; words too long for a line come in pieces."""
    for word in re.findall(r"[^ ]+ *| +", paragraph):
        piece, used = "", 0
        for each in graphemes(word):
            size = 0 if each == " " else columns_of(each)
            if used + size > columns:
                yield piece
                piece, used = "", 0
            piece, used = piece + each, used + size
        yield piece
