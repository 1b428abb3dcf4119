"""`trustmem tokens list|new|rotate|revoke`: what agents come in by."""

import argparse
import json
from typing import Any

from trustmem.actions import tokens
from trustmem.core.instants import NEVER, to_text
from trustmem.explanations.text import visible
from trustmem.explanations.times import minute
from trustmem.intake.shell import database, stored
from trustmem.intake.shell.look import SOFT, STRONG, Page
from trustmem.intake.shell.times import clock, instant
from trustmem.store.models import Space, Token
from trustmem.store.states import NOTHING, shows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_subparsers(metavar="list|new|rotate|revoke", required=True)
    listed = stored.command(what, "list", _list, "List all tokens of a space, and when each was used last.")
    listed.add_argument("--json", action="store_true", help="for machines: one JSON object a token")
    new = stored.command(what, "new", _new, "Make a token for an agent; it is shown once.")
    new.add_argument("--source", metavar="S", required=True, help="who speaks by it")
    new.add_argument("--title", metavar="T", default="", help="what people call it")
    new.add_argument(
        "--scope",
        metavar="S",
        action="append",
        choices=tokens.SCOPES,
        help=f"what it may do, given for each: {', '.join(tokens.SCOPES)} (default: read, write and feedback)",
    )
    new.add_argument("--valid-to", metavar="T", type=instant, help="RFC 3339 with an offset (default: for good)")
    for name, do, says in (
        ("rotate", _rotate, "Make another token in the place of one, which ends."),
        ("revoke", _revoke, "End a token."),
    ):
        one = stored.command(what, name, do, says)
        one.add_argument("token", metavar="N", type=int, help='its number, as "tokens list" shows it')


@shows(NOTHING)
def run(arguments: argparse.Namespace) -> int:
    with database.opened():
        arguments.do(stored.space(arguments), arguments)
    return 0


def _list(space: Space, arguments: argparse.Namespace) -> None:
    page, found = Page(), Token.objects.filter(space=space).order_by("pk")
    for each in found:
        if arguments.json:
            print(json.dumps(_as_json(each)))
            continue
        title = [(visible(each.title), STRONG)] if each.title else []
        page.flow([*title, (f"as {visible(each.source)}", ""), (", ".join(each.scopes), "")], 5, str(each.pk))
        page.entry("", "; ".join(_times(each)), 5, SOFT)
    if not found and not arguments.json:
        print(f"No agent comes into {stored.called(space)}. trustmem tokens new --source NAME lets one in.")


def _times(token: Token) -> list[str]:
    named = (
        ("made", token.at, token.by),
        ("valid to", token.valid_to, ""),
        ("ended", token.revoked_at, token.revoked_by),
        ("last used", token.last_used, ""),
    )
    told = [(f"{word} {minute(at)} UTC", by) for word, at, by in named if at != NEVER]
    return [f"{when} by {visible(by)}" if by else when for when, by in told]


def _as_json(token: Token) -> dict[str, Any]:
    times = {name: getattr(token, name) for name in ("at", "valid_to", "revoked_at", "last_used")}
    told = {name: None if at == NEVER else to_text(at) for name, at in times.items()}
    said = {name: getattr(token, name) for name in ("title", "source", "scopes", "by", "revoked_by")}
    return {"number": token.pk, **said, **told}


def _new(space: Space, arguments: argparse.Namespace) -> None:
    _, shown = tokens.issue(
        space,
        arguments.source,
        arguments.scope or ("read", "write", "feedback"),
        by=stored.user(),
        now=clock(),
        title=arguments.title,
        valid_to=arguments.valid_to,
    )
    print(shown)


def _rotate(space: Space, arguments: argparse.Namespace) -> None:
    print(tokens.rotate(space, arguments.token, by=stored.user(), now=clock())[1])


def _revoke(space: Space, arguments: argparse.Namespace) -> None:
    tokens.revoke(space, arguments.token, by=stored.user(), now=clock())
    print(f"Token {arguments.token} has ended.")
