"""Hidden characters are seen: each has a mark, and all else stands as it is."""

import pytest

from trustmem.explanations.text import pieces, visible


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("plain", [("plain", False)]),
        ("größer 雨", [("größer 雨", False)]),
        ("pay\u200b\u202eme", [("pay", False), ("<U+200B>", True), ("<U+202E>", True), ("me", False)]),
        ("one\ntwo", [("one", False), ("␤", True), ("two", False)]),
        ("one\ttwo", [("one two", False)]),
        ("\x1b[2J", [("<U+001B>", True), ("[2J", False)]),
        ("a\U000e0068\U000e0069", [("a", False), ("<tags: hi>", True)]),
        ("e" + "\u0301" * 6, [("e" + "\u0301" * 4, False), ("<2 more marks>", True)]),
        ("👨\u200d👩", [("👨\u200d👩", False)]),
        ("a\u200db", [("a", False), ("<U+200D>", True), ("b", False)]),
        ("\ud800", [("<U+D800>", True)]),
        ("<U+200B>", [("<U+200B>", False)]),
    ],
)
def test_marks_are_told_from_what_is_plain(text, found):
    assert list(pieces(text)) == found
    assert visible(text) == "".join(piece for piece, _ in found)
