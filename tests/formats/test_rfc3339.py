from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustmem.core.instants import from_datetime, to_text
from trustmem.formats.rfc3339 import parse

# A day within the years, so that no offset leads out of them.
MOMENTS = st.datetimes(datetime.min + timedelta(days=1), datetime.max - timedelta(days=1))
OFFSETS = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(MOMENTS, OFFSETS)
def test_any_moment_in_any_offset_is_its_instant(moment, offset):
    aware = moment.replace(tzinfo=offset)
    assert parse(aware.isoformat()) == from_datetime(aware)


@given(MOMENTS)
def test_an_instant_written_out_is_read_as_the_same_instant(moment):
    instant = from_datetime(moment.replace(tzinfo=UTC))
    assert parse(to_text(instant)) == instant


@pytest.mark.parametrize(
    "same",
    [
        "2026-01-05T08:09:10.123456+01:00",
        "2026-01-05T07:09:10.123456Z",
        "2026-01-05t07:09:10.1234569999z",
        "2026-01-05 07:09:10.123456-00:00",
        "2026-01-05T02:39:10.123456-04:30",
    ],
)
def test_notations_of_one_instant_are_one_instant(same):
    assert to_text(parse(same)) == "2026-01-05T07:09:10.123456Z"


def test_a_fraction_of_few_digits_is_tenths_and_hundredths_and_not_microseconds():
    assert to_text(parse("2026-01-05T07:09:10.5Z")) == "2026-01-05T07:09:10.500000Z"
    assert to_text(parse("2026-01-05T07:09:10.05Z")) == "2026-01-05T07:09:10.050000Z"


def test_before_1970_digits_beyond_the_microsecond_are_cut_too():
    assert parse("1969-12-31T23:59:59.9999999Z") == -1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2026-01-05T08:09:10", "has no UTC offset"),
        ("2026-01-05T08:09:10.5", "has no UTC offset"),
        ("2026-12-31T23:59:60Z", "is in a leap second (:60), which has no instant here"),
        ("2026-02-29T08:09:10Z", "is a time that does not exist"),
        ("2026-01-05T24:00:00Z", "is a time that does not exist"),
        ("2026-01-05T08:09:61Z", "is a time that does not exist"),
        ("0000-01-01T00:00:00Z", "lies outside the years 1 to 9999"),
        ("0001-01-01T00:00:00+00:01", "lies outside the years 1 to 9999"),
        ("9999-12-31T23:59:59.999999-00:01", "lies outside the years 1 to 9999"),
        *(
            (text, "is no RFC 3339 time, such as 2026-01-05T08:09:10+01:00")
            for text in (
                "",
                "yesterday",
                "1767600550",
                "2026-01-05",
                "2026-01-05T08:09Z",
                "2026-01-05T08:09:10+0100",
                "2026-01-05T08:09:10+01:60",
                "2026-01-05T08:09:10+24:00",
                "2026-01-05T08:09:10.Z",
                "2026-01-05T08:09:10Z\n",
                "2026-W02-1T08:09:10Z",
                "٢٠٢٦-01-05T08:09:10Z",
            )
        ),
    ],
)
def test_what_is_no_instant_is_refused_with_its_reason(text, why):
    with pytest.raises(ValueError) as refused:
        parse(text)
    assert str(refused.value) == why


def test_the_first_and_the_last_instant_are_read():
    assert to_text(parse("0001-01-01T00:00:00Z")) == "0001-01-01T00:00:00Z"
    assert to_text(parse("9999-12-31T23:59:59.999999Z")) == "9999-12-31T23:59:59.999999Z"
