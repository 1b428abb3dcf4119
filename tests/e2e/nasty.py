"""Texts that break pages: tags, scripts, hidden characters, other directions, words without end; in every field."""

import base64
import json
from pathlib import Path

CASES = Path(__file__).parent.parent / "cases"

#: What would run, were it taken for more than text.
SCRIPTS: list[str] = json.loads((CASES / "099-tags-not-escaped.strings.json").read_text())

_LONG = [
    "a" * 5000,
    "The quay is closed from six to eight. " * 80,
    "السلام عليكم ورحمة الله: المرفأ مغلق مساءً",
    "記憶は静かに古くなる。港は夕方に閉まる。",
    "👩‍👩‍👧‍👦 🇩🇪🇩🇪 e\u0301e\u0301 \u202eevil\u202c \u200bhidden\u200b \U000e0073\U000e0065",
    "line one\nline two\ttabbed\r\nline three",
]
TEXTS = [*SCRIPTS, *_LONG]
AT = "2026-05-01T09:00:00Z"


def as_file() -> list[bytes]:
    """An interchange file with every text in every field that takes one."""
    return [json.dumps(record).encode() + b"\n" for record in _records()]


def bulk_change() -> list[bytes]:
    """A file of a source with such a name, which speaks against facts of many others in such a run."""
    said = {"type": "event", "kind": "contradicted", "source": _name(SCRIPTS[0]), "run": _name(SCRIPTS[1]), "at": AT}
    names = [{"id": f"bulk-{number}", "fact": f"nasty-{number}"} for number in range(len(TEXTS))]
    return [json.dumps(said | name).encode() + b"\n" for name in names]


def _records() -> list[dict[str, object]]:
    key = base64.b64encode(bytes(range(32))).decode()
    records: list[dict[str, object]] = [
        {"type": "space", "id": "nasty", "name": SCRIPTS[0], "at": AT},
        {"type": "key", "id": f"key {SCRIPTS[0]}", "source": SCRIPTS[1], "public": key, "at": AT},
    ]
    for number, text in enumerate(TEXTS):
        name = _name(text)
        fact, other = f"nasty-{number}", f"other-{number}"
        common = {"at": AT, "source": name, "run": name}
        slot = {"subject": text, "predicate": text, "object": text, "entities": [name], "tags": [text]}
        records += [
            {"type": "fact", "id": fact, "text": text, **common, **slot, "meta": {"note": text}},
            {"type": "fact", "id": other, "text": f"Not {text}", **common},
            {"type": "edge", "id": f"edge-{number}", "from": other, "relation": "contradicts", "to": fact, "at": AT}
            | {"by": name, "run": name, "note": text},
            {"type": "edge", "id": f"update-{number}", "from": other, "relation": "updates", "to": fact, "at": AT}
            | {"by": name, "run": name, "note": text},
            {"type": "event", "id": f"event-{number}", "kind": "recalled", "fact": fact, "note": text, **common},
            {"type": "feedback", "id": f"feedback-{number}", "fact": fact, "outcome": "helpful", **common},
        ]
    # Ids are names, too.
    return [*records, *({"type": "fact", "id": _name(text), "text": text, "at": AT} for text in SCRIPTS)]


def _name(text: str) -> str:
    """The text as a name: names are short and have no line ends."""
    return text.replace("\n", " ").replace("\r", "").replace("\t", " ")[:120]
