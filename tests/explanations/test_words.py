"""What this floor tells can be told in another language, and codes stay what they are."""

import subprocess
import sys

import pytest

from tests.explanations.asked import memory
from tests.intake.terminal import ROOT
from tests.makers import day, edge, event, fact, feedback
from trustmem.core.lift import CHANGES
from trustmem.core.vocabulary import FLAGS, STATES
from trustmem.explanations import effects, lifts
from trustmem.explanations.advice import by_flag, by_state
from trustmem.explanations.explanation import explanation
from trustmem.explanations.words import counted, say, speak


@pytest.fixture
def _marked():
    speak(lambda text: f"~{text}", lambda one, many, count: f"~{one if count == 1 else many}")
    yield
    speak()


def found():
    edges = edge("g", "updates", "f", 2), edge("f", "extends", "g", 4), edge("f", "extends", "g", 5, removed=True)
    lines = fact("f"), fact("g", 1), *edges, event("recalled", "f", 3), feedback("ignored", "f")
    return explanation(memory(*lines, now=day(9)), "f")


def test_english_is_as_written():
    assert say("{id} updates it", id="{f}") == "{f} updates it"
    assert [counted(count, "{count} run", "{count} runs") for count in (1, 2)] == ["1 run", "2 runs"]


@pytest.mark.usefixtures("_marked")
def test_another_language_takes_the_place_of_every_sentence_and_of_no_code():
    there = found()
    sentences = [each["advice"] for each in there["what_to_do"]]
    sentences += [each["because"] for each in there["why"]]
    sentences += [each["words"] for each in there["lift"]]
    sentences += there["weight"]["promotion_waits_until"]
    sentences += [each["what"] for each in there["history"] if each["kind"] != "event.recalled"]
    sentences += [each["effect"] for each in there["history"] if each["effect"]]
    assert [each for each in sentences if not each.startswith("~")] == []
    assert there["why"][1]["because"] == (
        "~~~born ~9 days ago, confirmed by nobody since, ~1 use~ (without use 0.76): "
        "B = −0.30, 1 / (1 + e^((−1.70 − B)/0.53))"
    )
    codes = [there["what_to_do"][0]["about"], there["lift"][0]["change"], there["history"][-2]["became"]]
    assert codes == ["superseded", "one more source", "withdrawn"]


def test_afterwards_it_is_english_again():
    assert found()["what_to_do"][0]["advice"] == "a newer claim holds: use that one"


def test_there_are_words_for_every_code():
    assert set(by_flag()) == set(FLAGS)
    assert set(by_state()) == set(STATES) - {"live"}
    assert tuple(lifts._words()) == CHANGES
    codes = [value for name, value in vars(effects).items() if name.isupper()]
    assert len({effects.words(code) for code in codes if isinstance(code, str)}) == 8


def test_explaining_a_file_loads_no_django_and_no_celery():
    code = "import sys, trustmem.explanations.explanation, trustmem.explanations.curve\n"
    code += "print(sorted({'django', 'celery'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
