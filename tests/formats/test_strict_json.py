import json
import math
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.formats.strict_json import StrictJSONError, loads, quoted

JSON_OBJECTS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


@given(JSON_OBJECTS, st.booleans())
def test_what_a_strict_writer_writes_is_read_as_it_was(value, escaped):
    assert loads(json.dumps(value, ensure_ascii=escaped).encode()) == value


@given(JSON_OBJECTS, st.booleans(), st.data())
def test_an_object_cut_anywhere_ends_inside_a_value(value, escaped, data):
    whole = json.dumps(value, ensure_ascii=escaped).encode()
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    with pytest.raises(StrictJSONError, match=r"^ends inside a value$"):
        loads(cut)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'{"a": 1, "b": 2, "a": 3}', 'has the key "a" twice'),
        (b'{"m": {"a": 1, "a": 1}}', 'has the key "a" twice'),
        (b'{"a": "\xff"}', "is not UTF-8 at byte offset 7"),
        (b'{"a": "\xed\xa0\x80"}', "is not UTF-8 at byte offset 7"),
        (b'{"a": NaN}', "has NaN, which is no JSON number"),
        (b'{"a": -Infinity}', "has -Infinity, which is no JSON number"),
        (b'{"a": 1e999}', "has a number too large for a double: 1e999"),
        (b'{"a": 9223372036854775808}', "has an integer beyond 64 bits: 9223372036854775808"),
        (b"[-9223372036854775809]", "has an integer beyond 64 bits: -9223372036854775809"),
        (b'{"a": "\\ud800"}', 'has half a surrogate pair (U+D800) in "a"'),
        (b'{"\\udc00": 1}', r'has half a surrogate pair (U+DC00) in "\udc00"'),
        (b'{"a": ["x\\u0000y"]}', 'has a NUL character (U+0000) in "a"'),
        (b'{"a": "x\x00y"}', "has the unescaped control character U+0000 in a string, at character 8"),
        (b'{"a": 1} {"b": 2}', "goes on after its value, at character 9"),
        (b"{'a': 1}", "is not JSON at character 1: expecting property name enclosed in double quotes"),
        (b" \r\n", "is empty"),
        (b'\xef\xbb\xbf{"a": 1}', "has a byte order mark; one may stand only at the start of a file"),
    ],
)
def test_a_value_that_could_mean_two_things_or_none_is_refused_in_one_sentence(raw, why):
    with pytest.raises(StrictJSONError) as refused:
        loads(raw)
    assert str(refused.value) == why


def test_a_whole_surrogate_pair_is_a_character_like_any_other():
    assert loads(b'{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


def test_an_escaped_backslash_before_u0000_is_text_and_no_nul():
    assert loads(b'{"a": "\\\\u0000"}') == {"a": "\\u0000"}


def test_the_largest_and_smallest_numbers_keep_every_digit():
    assert loads(b"[9223372036854775807, -9223372036854775808]") == [2**63 - 1, -(2**63)]
    assert loads(b"[1.7976931348623157e308, 5e-324]") == [1.7976931348623157e308, math.ulp(0)]


def test_64_levels_are_read_and_65_are_refused_naming_the_limit():
    assert loads(b"[" * 64 + b"]" * 64)
    with pytest.raises(StrictJSONError, match="nested deeper than 64 levels, the limit"):
        loads(b"[" * 65 + b"]" * 65)


def test_brackets_within_strings_are_no_levels():
    text = '[{"\\' * 100
    assert loads(json.dumps({"a": text}).encode()) == {"a": text}


def test_a_string_that_ends_in_a_backslash_hides_no_levels():
    with pytest.raises(StrictJSONError, match="nested deeper than 64 levels"):
        loads(b'["\\\\", ' + b"[" * 64 + b"]" * 65)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000,
        b'"' + b'\\"' * 500_000,
        b"[" + b"1" * 1_000_000 + b"]",
        b"{" + b",".join(b'"%d":1' % number for number in range(80_000)) + b',"79999":1}',
    ],
    ids=["arrays", "objects", "escapes", "digits", "keys"],
)
def test_no_input_within_the_limit_of_size_takes_a_second(raw):
    before = perf_counter()
    with pytest.raises(StrictJSONError):
        loads(raw)
    assert perf_counter() - before < 1


def test_a_line_is_as_long_as_the_limit_and_no_longer_its_end_not_counted():
    assert loads(b'"123456"\r\n', max_bytes=8) == "123456"
    with pytest.raises(StrictJSONError, match="is longer than 8 bytes, the limit"):
        loads(b'"1234567"', max_bytes=8)
    with pytest.raises(StrictJSONError, match="is longer than 1048576 bytes, the limit"):
        loads(b'"' + b"x" * (1 << 20))


def test_words_of_the_input_are_shown_short_and_without_what_moves_a_terminal():
    assert quoted("Zürich") == '"Zürich"'
    assert quoted("\x1b[2J\u202e") == r'"\u001b[2J\u202e"'
    assert len(quoted("x" * 1000)) == 62
