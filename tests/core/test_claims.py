"""A claim is the same however it is written, and another where its words or their order are others."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.claims import claims, words

texts = st.text(max_size=40)


@given(texts, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_no_form_of_unicode_makes_another_claim(text, form):
    assert words(normalize(form, text)) == words(text)


@given(texts)
def test_the_words_of_words_are_these_words(text):
    assert words(words(text)) == words(text)


@given(st.text("abcäßДжשלעあ漢9_", min_size=1, max_size=20), st.text(" .,;:!?-—…()«»“”\n\t", min_size=1, max_size=4))
def test_neither_letter_case_nor_signs_make_another_claim(text, signs):
    assert words(f"{signs}{text.upper()}{signs}") == words(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A manages B", "B manages A"),
        ("lives in Lisbon", "lives in Porto"),
        ("It is so", "It is not so"),
        ("port 7000", "port 7001"),
        ("in the house", "inthehouse"),
        # Hindi: "day" and "donation" differ in vowel signs alone, which are marks.
        ("दिन", "दान"),
        ("👍", "👎"),
    ],
)
def test_other_words_or_signs_that_stand_for_words_are_another_claim(one, other):
    assert words(one) != words(other)


@pytest.mark.parametrize("hidden", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e", "\ufe0f", "\u034f", "\u3164"])
def test_what_nobody_sees_makes_no_other_claim(hidden):
    assert words(f"peri{hidden}winkle 42") == "periwinkle 42"


def test_a_slot_is_a_claim_where_all_of_it_is_given():
    assert claims("It is open.", "The Door", "State", "OPEN!")[1:] == [("the door", "state", "open")]
    for slot in ((None, "state", "open"), ("door", "", "open"), ("door", "state", None)):
        assert claims("It is open.", *slot) == [("it is open",)]
