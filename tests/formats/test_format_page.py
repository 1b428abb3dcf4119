"""docs/format.md says what the reader does."""

import re
from pathlib import Path

import pytest

from trustmem.core.vocabulary import CHANNELS, FACT_EVENTS, OF_EVENTS, RELATIONS
from trustmem.formats import interchange
from trustmem.formats.interchange_types import FIELDS

PAGE = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
SHARED = re.search(r"## What every line has\n(.*?)\n## ", PAGE, re.DOTALL)[1]
TYPES = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.split("## The types")[1].split("**Events**")[0], re.MULTILINE))


def test_its_example_is_read_whole():
    lines = re.search(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)[1].encode().splitlines()
    reading = interchange.read(lines)
    assert reading.balance["new"] == len(lines) > 0


@pytest.mark.parametrize("type", FIELDS)
def test_it_names_every_type_with_all_its_fields(type):
    named = set(re.findall(r"`(\w+)`", TYPES[type] + SHARED)) | {"erased"}
    assert set(FIELDS[type]) <= named


@pytest.mark.parametrize("type", FIELDS)
def test_what_it_calls_required_is_required(type):
    required, optional = TYPES[type].split(" | ") if " | " in TYPES[type] else ("", TYPES[type])
    needed = {name for name, field in FIELDS[type].items() if field.required}
    assert needed <= set(re.findall(r"`(\w+)`", required + SHARED))
    started = re.findall(r"(?:^|, )`(\w+)`", optional)
    assert not needed & set(started)


def test_it_names_every_word_that_a_line_may_use():
    named = set(re.findall(r"`([\w-]+)`", PAGE))
    assert {*FACT_EVENTS, *OF_EVENTS, *RELATIONS, *CHANNELS} <= named
