"""`trustmem keys list|new|prove|register|revoke`: the keys by which sources sign what they say."""

import argparse
import base64
import binascii
import json
import os
import secrets
from pathlib import Path
from typing import Any

from trustmem.actions import keys
from trustmem.core.instants import NEVER, to_text
from trustmem.explanations.text import visible
from trustmem.explanations.times import minute
from trustmem.formats import signed
from trustmem.intake.shell import Refusal, database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page
from trustmem.intake.shell.times import clock, counted, instant
from trustmem.store.models import Key, Space
from trustmem.store.states import NOTHING, shows

#: A private key is any 32 bytes; in its file it stands in base64.
_LENGTH = 32
_INDENT = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(metavar="list|new|prove|register|revoke", required=True)
    listed = stored.command(what, "list", _list, "List all keys, who signs with them, and how long they are valid.")
    listed.add_argument("--json", action="store_true", help="for machines: one JSON object a key")
    new = stored.command(what, "new", _new, "Make a private key and keep it in a file that nobody else may read.")
    new.add_argument("file", metavar="FILE", type=Path, help="where to; a file that is there is left as it is")
    prove = stored.command(
        what, "prove", _prove, "Print what whoever registers your key needs: its public half and a proof."
    )
    _add_private(prove)
    _add_source(prove)
    register = stored.command(
        what, "register", _register, "Register a key for a source; its lines are signed from then on."
    )
    register.add_argument("key", metavar="NAME", type=stored.identifier, help="how the key is called from now on")
    _add_source(register)
    _add_private(register, required=False)
    register.add_argument("--public", metavar="P", help='its public half, as "keys prove" prints it')
    register.add_argument("--proof", metavar="P", help='the proof, as "keys prove" prints it')
    register.add_argument("--valid-from", metavar="T", type=instant, help="RFC 3339 with an offset (default: now)")
    register.add_argument("--valid-to", metavar="T", type=instant, help="RFC 3339 with an offset (default: for good)")
    revoke = stored.command(
        what, "revoke", _revoke, "Revoke a key; what a compromised one ever signed is signed no more."
    )
    revoke.add_argument("key", metavar="NAME", help="which key")
    revoke.add_argument("why", choices=("lost", "compromised"), help="lost: what came before stays signed")


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", metavar="S", type=stored.identifier, required=True, help="who signs with it")


def _add_private(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    parser.add_argument("--private", metavar="FILE", type=Path, required=required, help="the file of the private key")


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    if arguments.do is _new:
        _new(arguments)
        return 0
    with database.opened():
        arguments.do(stored.space(arguments), arguments)
    return 0


def _list(space: Space, arguments: argparse.Namespace) -> None:
    page = Page()
    found = Key.objects.filter(space=space).order_by("name")
    for each in found:
        if arguments.json:
            print(json.dumps(_as_json(each)))
            continue
        page.flow([(visible(each.name), STRONG), (f"of {visible(each.source)}", ""), (each.public, SOFT)], 0)
        page.entry("", _validity(each), _INDENT)
    if not found and not arguments.json:
        print(f"No key signs in {stored.called(space)}. trustmem keys new FILE makes one.")


def _validity(key: Key) -> str:
    until = f" to {minute(key.valid_to)} UTC" if key.valid_to != NEVER else ""
    how = "compromised" if key.compromised else "lost"
    revoked = f"; revoked as {how} {minute(key.revoked_at)} UTC" if key.revoked_at != NEVER else ""
    return f"valid from {minute(key.at)} UTC{until}{revoked}"


def _as_json(key: Key) -> dict[str, Any]:
    def told(at: int) -> str | None:
        return None if at == NEVER else to_text(at)

    times = {"valid_from": to_text(key.at), "valid_to": told(key.valid_to), "revoked_at": told(key.revoked_at)}
    return {"name": key.name, "source": key.source, "public": key.public, **times, "compromised": key.compromised}


def _new(arguments: argparse.Namespace) -> None:
    try:
        with open(arguments.file, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(base64.b64encode(secrets.token_bytes(_LENGTH)).decode() + "\n")
    except OSError as error:
        raise Refusal(f"{visible(str(arguments.file))} cannot be made: {error.strerror}") from None
    print(f"A private key is in {visible(str(arguments.file))}. Whoever has that file signs with it.")


def private(file: Path) -> bytes:
    """The private key in a file. Raises Refusal."""
    try:
        found = base64.b64decode(file.read_text().strip(), validate=True)
    except OSError as error:
        raise Refusal(f"{visible(str(file))} cannot be read: {error.strerror}") from None
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != _LENGTH:
        raise Refusal(f"{visible(str(file))} holds no private key: that is {_LENGTH} bytes in base64")
    return found


def _prove(space: Space, arguments: argparse.Namespace) -> None:
    public, proof = signed.prove(private(arguments.private), space.name, arguments.source)
    print(f"--public {public} --proof {proof}")


def _register(space: Space, arguments: argparse.Namespace) -> None:
    if arguments.private:
        public, proof = signed.prove(private(arguments.private), space.name, arguments.source)
    elif arguments.public and arguments.proof:
        public, proof = arguments.public, arguments.proof
    else:
        raise Refusal('a key is registered with --private FILE, or with the --public and --proof of "keys prove"')
    keys.register(
        space,
        arguments.key,
        source=arguments.source,
        public=public,
        proof=proof,
        valid_from=arguments.valid_from,
        valid_to=arguments.valid_to,
        by=stored.user(),
        now=clock(),
    )
    print(f'"{visible(arguments.key)}" signs for {visible(arguments.source)}.')


def _revoke(space: Space, arguments: argparse.Namespace) -> None:
    act = keys.revoke(space, arguments.key, arguments.why, by=stored.user(), now=clock())
    print(f'"{visible(arguments.key)}" is revoked as {arguments.why}. trustmem undo {act} takes it back.')
    facts = keys.signed_by(space, arguments.key)
    print(f"It ever signed {counted(len(facts), 'fact')}{':' if facts else '.'}")
    for name in facts:
        print(f"  {visible(name)}")
