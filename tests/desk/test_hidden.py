"""What hides in a text, or passes for something else, is marked wherever people are shown that text."""

import json
import re

import pytest
from django.urls import reverse

from tests.actions.world import taken
from trustmem.actions import spaces

pytestmark = pytest.mark.django_db

NASTY = "p\u0430y\u200bpal\u202e"
ID = f"tea{NASTY}"


@pytest.fixture
def space():
    common = {"source": NASTY, "run": NASTY}
    slot = {"text": NASTY, "subject": NASTY, "predicate": NASTY, "object": NASTY, "entities": [NASTY], "tags": [NASTY]}
    said = {"type": "fact", **common, **slot, "at": "2026-01-01T09:00:00Z"}
    edge = {"type": "edge", "from": "milk", "to": ID, "by": NASTY, "run": NASTY, "note": NASTY}
    told = [
        said | {"id": ID},
        said | {"id": "milk", "text": f"Other {NASTY}"},
        *(edge | {"id": each + NASTY, "relation": each} for each in ("updates", "contradicts", "extends")),
        {
            "type": "event",
            "id": "e",
            "kind": "recalled",
            "fact": ID,
            **common,
            "note": NASTY,
            "at": "2026-01-03T09:00:00Z",
        },
    ]
    return taken(spaces.create("diary"), [json.dumps(each).encode() for each in told])


@pytest.mark.parametrize("name", ["dashboard", "facts", "imports", "passes", "fact", "erase"])
def test_it_stands_unmarked_on_no_page(client_of, owner, space, name):
    for fact in ("milk", ID) if name in ("fact", "erase") else ("",):
        answer = client_of(owner).get(reverse(name, args=[space.name, *([fact] if fact else [])]))
        assert answer.status_code == 200
        read = re.sub(r' (?:value|action|href|hx-get)="[^"]*"', "", answer.text)  # what the desk gets back as it is
        assert not re.findall("[\u200b\u202e]", read)
        assert not re.findall('\u0430(?!(?:<span class="hidden-mark">)?&lt;U\\+0430&gt;)', read)
        assert name in ("dashboard", "imports", "passes") or 'class="odd-mark"' in read
