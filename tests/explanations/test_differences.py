"""Of two texts beside each other one sees which words differ, and each stays whole."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.explanations.differences import differences


def told(left: str, right: str) -> tuple[str, str]:
    """Both texts, with brackets around what differs."""
    one, other = (
        "".join(f"[{part.text}]" if part.differs else part.text for part in side) for side in differences(left, right)
    )
    return one, other


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("The billing API listens on port [7000].", "The billing API [now] listens on port [7443]."),
        ("Do [not] forget it.", "Do forget it."),
        ("It [doesn't] cost [10,000.50] euro.", "It [does] cost [10,000.60] euro."),
        ("[A] manages [B]", "[B] manages [A]"),
        ("Lives in [Lisbon].", "Lives in [Porto]."),
        ("[Old words] here", "[New signs] here"),
        ("", "[all new]"),
        ("same", "same"),
        ("caf\u00e9", "cafe\u0301"),
        ("[pay\u200bpal]", "[paypal]"),
        ("[p\u0430ypal]", "[paypal]"),
        ("a[  ]b", "a[ ]b"),
        ("a[\n]b", "a[ ]b"),
        ("APIはポート[7000]で待つ。", "APIはポート[7443]で待つ。"),
        ("กุญแจ[อยู่]", "กุญแจ"),
        ("एक दो [तीन] चार", "एक दो [पाँच] चार"),
        ("המפתח אצל [דנה].", "המפתח אצל [יוסי]."),  # noqa: RUF001
        ("[👩🏽\u200d🚀] yes [🇩🇪]", "[👩🏻\u200d🚀] yes [🇫🇷]"),
        ("[The] key is here[, today].", "[Today the] key is here."),
        ("x" * 120 + "[xx]", "x" * 120 + "[xy]"),
    ],
)
def test_whole_words_and_numbers_differ(left, right):
    assert told(*(text.replace("[", "").replace("]", "") for text in (left, right))) == (left, right)


_WORDS = st.lists(
    st.sampled_from(
        ["a", "b", "port", "7000", "not", " ", "  ", ".", "\n", "é", "e\u0301", "雨", "👩🏽\u200d🚀", "\u200b"]
    )
)
_TEXTS = st.one_of(st.text(), _WORDS.map("".join))


@given(_TEXTS, _TEXTS)
def test_nothing_of_a_text_is_lost(left, right):
    for text, side in zip((left, right), differences(left, right), strict=True):
        assert "".join(part.text for part in side) == text
        assert all(text.startswith(part.text, part.start) and part.text for part in side)


@given(_TEXTS, _TEXTS)
def test_what_does_not_differ_stands_on_both_sides_in_the_same_order(left, right):
    common = ["".join(part.text for part in side if not part.differs) for side in differences(left, right)]
    one, other = ("".join(unicodedata.normalize("NFC", text).split()) for text in common)
    assert one == other


@given(_TEXTS, _TEXTS)
def test_texts_differ_where_they_are_not_equal_and_nowhere_else(left, right):
    differs = any(part.differs for side in differences(left, right) for part in side)
    if left == right:
        assert not differs
    if unicodedata.normalize("NFC", left) != unicodedata.normalize("NFC", right):
        assert differs


LONG = 100_000


@pytest.mark.parametrize(
    ("left", "right", "most"),
    [
        ("first " + "word after word " * 6000 + "last", "1st " + "word after word " * 6000 + "final", 2),
        ("a b " * 25_000, "b a " * 25_000, 1),
        ("x" * LONG, "y" * LONG, 1),
        (".," * 50_000, ",." * 50_000, 1),
        ("漢字" * 50_000, "字漢" * 50_000, 1),
    ],
)
def test_long_texts_are_compared_as_well_as_a_moment_allows(left, right, most):
    for text, side in zip((left, right), differences(left, right), strict=True):
        assert "".join(part.text for part in side) == text
        assert sum(part.differs for part in side) <= most


def test_in_a_long_text_words_that_differ_far_from_each_other_are_told_apart():
    words = [f"the w{number}" for number in range(10_000)]
    changed = [*words]
    changed[3], changed[7000], changed[9990] = "the one", "the two", "the three"
    left, right = differences(" ".join(words), " ".join(changed))
    assert [part.text for part in left if part.differs] == ["w3", "w7000", "w9990"]
    assert [part.text for part in right if part.differs] == ["one", "two", "three"]
