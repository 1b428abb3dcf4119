"""`trustmem sign FILE`: the facts and edges of a source get its signature, line by line."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from trustmem.formats import signed, strict_json
from trustmem.formats.fields import FieldError
from trustmem.formats.interchange_types import Record, parse_record
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.files import raw_lines
from trustmem.intake.shell.keys import private
from trustmem.store.models import Key
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    stored.add_arguments(parser)
    parser.add_argument("file", metavar="FILE", help='an interchange file; "-" for standard input')
    parser.add_argument("--key", metavar="NAME", required=True, help="the registered key to sign with")
    parser.add_argument("--private", metavar="FILE", type=Path, required=True, help="the file of the private key")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        space = stored.space(arguments)
        key = Key.objects.filter(space=space, name=arguments.key).first()
    if key is None:
        raise Refusal(
            f'{stored.called(space)} has no key "{arguments.key}": register it first, or signatures count not'
        )
    seed, done = private(arguments.private), 0
    for number, raw in enumerate(raw_lines(arguments.file), start=1):
        line, is_signed = _signed(number, raw, key, seed, space.name)
        done += is_signed
        sys.stdout.write(line)
    print(f"{done} signed as {key.source}.", file=sys.stderr)
    return 0


def _signed(number: int, raw: bytes, key: Key, seed: bytes, space: str) -> tuple[str, bool]:
    """A line with its signature, if it is one of the key's source; else as it is."""
    try:
        given: Any = strict_json.loads(raw)
        record = parse_record(given)
    except (strict_json.StrictJSONError, FieldError) as error:
        raise Refusal(f"line {number}: {error}") from None
    if not _is_of(record, key.source):
        return raw.decode().rstrip("\r\n") + "\n", False
    given["signature"] = signed.sign(seed, key.name, signed.claim(record, space))
    return json.dumps(given, ensure_ascii=False) + "\n", True


def _is_of(record: Record, source: str) -> bool:
    """Whether a line is a fact or an edge that a source says, and no signature stands there yet."""
    who = {"fact": "source", "edge": "by"}.get(record["type"], "")
    return bool(who) and record[who] == source and record["signature"] is None and not record.get("removed")
