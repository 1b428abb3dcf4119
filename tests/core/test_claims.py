"""A claim is the same however it is written, and another where its words or their order are others."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.claims import claims, seen_through, words

texts = st.text(max_size=40)


@given(texts, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_no_form_of_unicode_makes_another_claim(text, form):
    assert words(normalize(form, text)) == words(text)


@given(texts)
def test_the_words_of_words_are_these_words(text):
    assert words(words(text)) == words(text)


@given(st.text("abcäßДжשלעあ漢9", min_size=1, max_size=20), st.text(" .,;:!?-—…()«»“”_‿\n\t", min_size=1, max_size=4))
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
        ("El año es nuevo", "El ano es nuevo"),
        # Yoruba: of two words written alike, marks tell which is meant.
        ("o\u0323\u0301", "o\u0323\u0300"),
        # A tilde on g is a letter of Guarani.
        ("g\u0303", "g"),
        ("5 μm", "5 mm"),
        ("5 kΩ", "5 ko"),
        ("\u0667\u0660", "\u0667\u0661"),
        ("👍", "👎"),
    ],
)
def test_other_words_or_signs_that_stand_for_words_are_another_claim(one, other):
    assert words(one) != words(other)


HIDDEN = [
    *("\u200b", "\u200d", "\u00ad", "\u2060", "\ufeff", "\u202e", "\ufe0f", "\u034f", "\u3164", "\uffa0", "\u2065"),
    *("\ufff0", "\U000e0041", "\U000e0fff", "\x00", "\x08", "\x7f"),
]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_nobody_sees_makes_no_other_claim(hidden):
    assert words(f"peri{hidden}winkle {hidden} caf{hidden}e{hidden}\u0301 42{hidden}") == "periwinkle café 42"


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_nobody_sees_may_stand_for_a_space_too_and_for_both_in_one_text(hidden):
    plain = claims("the code is periwinkle 42", None, None, None)
    for text in (f"the{hidden}code{hidden}is{hidden}periwinkle{hidden}42", f"the code is peri{hidden}winkle{hidden}42"):
        assert set(plain) <= set(seen_through(text, None, None, None))
    slot = seen_through("Say it.", f"cod{hidden}e", f"is{hidden}not", f"periwinkle{hidden}42")
    assert ("code", "is not", "periwinkle 42") in slot


def test_a_text_in_which_all_can_be_seen_claims_one_thing():
    for text in ("The code is PERIWINKLE_42.", "El año", "दिन", "Это мой код", "👍", "一二三"):
        assert seen_through(text, None, None, None) == claims(text, None, None, None)


def test_a_text_full_of_what_nobody_sees_is_read_in_few_ways():
    assert len(seen_through("a\u200bb" * 500, *["c\u200bd" * 500] * 3)) <= 16


# Arabic, Persian, Hindi, Bengali, Thai, of full width, of formulas, and Adlam.
@pytest.mark.parametrize("zero", [0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0xFF10, 0x1D7D8, 0x1E950], ids=hex)
def test_a_number_is_the_same_in_the_digits_of_any_script(zero):
    assert words(f"periwinkle-{chr(zero + 4)}{chr(zero + 2)}") == "periwinkle 42"


@pytest.mark.parametrize("sign", ["_", "\uff3f", "‿", "⁀", "⁔", "︳", "\ufe4f", "-", " "])
def test_what_connects_words_parts_them(sign):
    assert words(f"code{sign}word") == "code word"


@pytest.mark.parametrize("mark", ["\u0336", "\u0338", "\u20dd", "\u20e3", "\u0489", "\u0301\u0316" * 4])
def test_what_is_struck_through_a_letter_drawn_around_it_or_piled_upon_it_tells_no_words_apart(mark):
    assert words("".join(each + mark for each in "code42")) == "code42"


@pytest.mark.parametrize(
    ("text", "latin"),
    [
        ("p\u0430ypal", "paypal"),
        ("P\u0410YPAL", "paypal"),
        ("g\u043e\u043egle.com", "google com"),
        ("PAYP\u0391L", "paypal"),
        ("p\u03b1ypal", "paypal"),
        ("caf\u0435\u0301", "café"),
        ("na\u0457ve", "naïve"),
        ("\u041d2O", "h2o"),
    ],
)
def test_a_letter_that_passes_for_a_latin_one_amid_a_latin_word_is_that(text, latin):
    assert words(text) == latin


def test_a_word_of_nothing_but_letters_that_pass_claims_what_it_looks_like_and_what_it_is():
    text = "\u0440\u0430\u0443 \u0421\u0410\u0420\u0410"  # which is no Latin letter
    assert seen_through(text, None, None, None) == [(text.casefold(),), ("pay capa",)]
    assert claims(text, None, None, None) == [(text.casefold(),)]


@pytest.mark.parametrize("text", ["Он живёт в Москве", "VPN\u043eм", "\u0397 Αθήνα", "R\u03b1 and λx", "TCP-сервер"])
def test_honest_words_of_other_alphabets_stay_as_they_are(text):
    assert words(text) == " ".join(text.casefold().replace("-", " ").split())


def test_a_slot_is_a_claim_where_all_of_it_is_given():
    assert claims("It is open.", "The Door", "State", "OPEN!")[1:] == [("the door", "state", "open")]
    for slot in ((None, "state", "open"), ("door", "", "open"), ("door", "state", None)):
        assert claims("It is open.", *slot) == [("it is open",)]
