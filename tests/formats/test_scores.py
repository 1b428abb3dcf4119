import json
from pathlib import Path
from typing import Any

import pytest

from trustmem.core.fold import fold
from trustmem.core.instants import MICROSECONDS_PER_DAY as DAY
from trustmem.core.lines import Event, Fact, Feedback
from trustmem.core.scores import score
from trustmem.formats.scores import rows

EXPECTED = json.loads((Path(__file__).parent.parent / "vectors/scenarios/scenario-1.expected.json").read_bytes())


@pytest.fixture
def written() -> dict[str, dict[str, Any]]:
    """The rows, through JSON, of a fact that was accepted and proved useful, and of one that is of unknown age and
    forgotten, whose last line is of tomorrow.
    """
    lines = [
        Fact(id="a", at=0, arrived=0, scope="global", producer="user"),
        Event(id="e1", at=DAY, arrived=DAY, kind="accepted", fact="a", source="person"),
        Feedback(id="e2", at=DAY, arrived=DAY, fact="a", outcome="helpful"),
        Fact(id="b", at=0, arrived=0, at_known=False),
        Event(id="e3", at=8 * DAY, arrived=DAY, kind="forgotten", fact="b"),
    ]
    scored = score(fold(lines).stored, now=7 * DAY)
    return {row["id"]: row for row in json.loads(json.dumps(list(rows(scored)), allow_nan=False))}


def test_a_row_has_the_names_of_the_specification_and_its_notices_after_them(written):
    expected = EXPECTED["facts"][0]
    assert set(written["a"]) - {"notices"} == set(expected)
    assert list(written["a"])[-1] == "notices"
    for name in ("opinion", "reinforcement"):
        assert list(written["a"][name]) == list(expected[name])


def test_codes_become_words(written):
    names = ("state", "tier", "scope", "band")
    assert [written["a"][name] for name in names] == ["live", "human", "global", "high"]
    assert [written["b"][name] for name in names] == ["forgotten", "auto", "session", "low"]


def test_marks_become_lists_of_words(written):
    assert (written["a"]["flags"], written["b"]["flags"]) == (["uncertain"], ["age-unknown", "uncertain"])
    assert (written["a"]["notices"], written["b"]["notices"]) == ([], ["future-time"])


def test_what_is_unknown_is_null_and_never_zero(written):
    names = ("activation", "retrieval_priority", "reinforcement")
    assert [written["b"][name] for name in names] == [None] * 3
    assert None not in [written["a"][name] for name in names]


def test_numbers_keep_full_precision_and_counts_stay_whole(written):
    assert written["a"]["opinion"]["u"] == 2 / 3
    assert repr(written["a"]["r"]) == "1"
