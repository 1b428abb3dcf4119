"""Spaces for the tests of actions, from histories as `tests.makers` writes them."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.db import transaction

from tests.makers import day
from trustmem.actions import imports, keys, spaces
from trustmem.actions.opening import refold
from trustmem.actions.records import entry
from trustmem.core import lines as core
from trustmem.formats import writer
from trustmem.formats.interchange_types import DEFAULTS
from trustmem.formats.signed import claim, prove, sign
from trustmem.store import chain, models
from trustmem.store.models import Fact, Space

_TYPES = {
    core.Fact: "fact",
    core.Edge: "edge",
    core.Event: "event",
    core.Feedback: "feedback",
    core.ConstantsChange: "constants",
}
_RENAMED = {"newer": "from", "older": "to"}
#: When a history comes in: after all that happens in it.
LATER = day(100)


def as_file(lines: Sequence[core.Line], passes: Sequence[core.Pass] = ()) -> list[bytes]:
    """A history as the lines of an interchange file, which cannot say of a signature that it counts: there are none."""
    return [writer.line(_record(line)) for line in lines] + [
        writer.line(DEFAULTS["pass"] | {"type": "pass", "id": "", "at": each.at, "arrived": each.at}) for each in passes
    ]


def _record(line: core.Line) -> dict[str, Any]:
    type = _TYPES[line.__class__]
    values = {name: getattr(line, name) for name in asdict(line) if name not in ("signature", "imported")}
    record = DEFAULTS[type] | {"type": type} | {_RENAMED.get(name, name): value for name, value in values.items()}
    return record | ({"text": f"What {line.id} says."} if isinstance(line, core.Fact) else {})


def space_of(*lines: core.Line, passes: Sequence[core.Pass] = (), name: str = "diary") -> Space:
    """A space into which these came as a file."""
    return taken(spaces.create(name), as_file(lines, passes))


def taken(space: Space, raw: Sequence[bytes], now: int = LATER) -> Space:
    """The space, into which a file came."""
    imports.import_lines(space, raw, file="a file", by="ana", now=now)
    return space


@transaction.atomic
def signed(space: Space, *lines: core.Line, holds: bool = True) -> Space:
    """The space, to which lines came that the key of their source has signed, or somebody who has not that key."""
    found = [_record(line) for line in lines]
    for each in found:
        if each["type"] == "edge":
            each["by"] = each["by"] or _source_of(space, each["from"], found)
    sources = sorted({_signer(each) for each in found})
    chain.append(space, [entry(_key(source)) for source in sources if not _has_key(space, source)])
    chain.append(space, [entry(each | {"signature": _signature(space, each, holds)}) for each in found])
    refold(space)
    return space


def _signer(record: dict[str, Any]) -> str:
    return str(record["source"] if record["type"] == "fact" else record["by"])


def _source_of(space: Space, name: str, records: Sequence[dict[str, Any]]) -> str:
    told = {each["id"]: each["source"] for each in records if each["type"] == "fact"}
    return str(told.get(name) or Fact.objects.get(space=space, name=name).source)


def private(source: str) -> bytes:
    """The private key of a source, or of a key by its name."""
    return hashlib.sha256(source.encode()).digest()


def _key(source: str) -> dict[str, Any]:
    public = Ed25519PrivateKey.from_private_bytes(private(source)).public_key().public_bytes_raw()
    told = {"id": f"key of {source}", "source": source, "public": base64.b64encode(public).decode()}
    return DEFAULTS["key"] | {"type": "key", "at": day(-1000), "arrived": day(-1000), "act": None} | told


def _has_key(space: Space, source: str) -> bool:
    return models.Line.objects.filter(space=space, name=f"key of {source}").exists()


def _signature(space: Space, record: dict[str, Any], holds: bool) -> dict[str, str]:
    source = _signer(record)
    key = private(source if holds else f"not {source}")
    return sign(key, f"key of {source}", claim(record, space.name))


def registered(space: Space, key: str, *, source: str, by: str, now: int, valid_from: int | None = None) -> str:
    """A key of a source is registered by whoever has it; the act."""
    public, proof = prove(private(key), space.name, source)
    return keys.register(space, key, source=source, public=public, proof=proof, valid_from=valid_from, by=by, now=now)
