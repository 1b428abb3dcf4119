"""The tokens of a space as settings show them, and how an agent is connected, ready to be copied."""

import os
import shlex
import sys
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext, pgettext

from trustmem.actions.tokens import PREFIX, SCOPES
from trustmem.core.instants import NEVER
from trustmem.desk.instants import When, ahead, when
from trustmem.store.models import Space, Token

#: Of those that have ended, so many are shown.
_ENDED = 20
#: What stands for a token where there is none to show.
_SOME = f"{PREFIX}…"


class Scope(NamedTuple):
    """What a token may do: the word for it, what that allows, and whether it is ticked."""

    name: str
    title: str
    allows: str
    is_ticked: bool


def scopes(ticked: Collection[str]) -> list[Scope]:
    """All scopes, in their order."""
    words = {
        "read": (
            pgettext("scope of a token", "read"),
            gettext("search, list, show, explain and export facts, and ask what changed"),
        ),
        "write": (
            pgettext("scope of a token", "write"),
            gettext("remember, relate and flag facts, have its own forgotten, and ask for that of others"),
        ),
        "feedback": (pgettext("scope of a token", "feedback"), gettext("report what came of using facts")),
        "import": (pgettext("scope of a token", "import"), gettext("send many lines at once")),
    }
    return [Scope(name, *words[name], name in ticked) for name in SCOPES]


class Row(NamedTuple):
    """A token: who made it and when, until when it is valid (None: for good), when it was used last (None: never), when
    it ended (None: it stands), and who revoked it."""

    number: int
    title: str
    source: str
    scopes: str
    by: str
    at: When
    valid_to: When | None
    last_used: When | None
    ended: When | None
    is_revoked: bool
    revoked_by: str


class Tokens(NamedTuple):
    """Those that stand, the newest first; of those that have ended the newest, and whether there are more."""

    standing: list[Row]
    ended: list[Row]
    is_more: bool


def tokens(space: Space, now: int) -> Tokens:
    standing = Q(revoked_at=NEVER) & (Q(valid_to=NEVER) | Q(valid_to__gt=now))
    every = Token.objects.filter(space=space).order_by("-pk")
    words = {each.name: each.title for each in scopes(())}
    ended = list(every.exclude(standing)[: _ENDED + 1])
    return Tokens(
        [_row(each, words, now) for each in every.filter(standing)],
        [_row(each, words, now) for each in ended[:_ENDED]],
        len(ended) > _ENDED,
    )


def _row(token: Token, words: dict[str, str], now: int) -> Row:
    is_revoked = token.revoked_at != NEVER
    runs_out = None if token.valid_to == NEVER else token.valid_to
    ended = token.revoked_at if is_revoked else runs_out if runs_out is not None and runs_out <= now else None
    return Row(
        token.pk,
        token.title,
        token.source,
        ", ".join(words[each] for each in token.scopes),
        token.by,
        when(token.at, now),
        None if runs_out is None else ahead(runs_out, now),
        None if token.last_used == NEVER else when(token.last_used, now),
        None if ended is None else when(ended, now),
        is_revoked,
        token.revoked_by,
    )


class Share(NamedTuple):
    """How much of what agents find may come from sources that nobody has reviewed, in percent; who set that, and when
    (None: nobody did)."""

    percent: int
    by: str
    at: When | None


def share(space: Space, now: int) -> Share:
    at = None if space.unreviewed_at == NEVER else when(space.unreviewed_at, now)
    return Share(space.unreviewed_share, space.unreviewed_by, at)


class Way(NamedTuple):
    """A way to connect: what it is called, what there is to know, and what is copied; `id` names that on the page."""

    id: str
    title: str
    says: str
    code: str


def connect(desk: str, token: str, *, tells_where: bool) -> list[Way]:
    """The ways to connect an agent to a desk at an address, with a token in them ('': something stands for it), and
    with where things lie on its machine, for those who may know."""
    shown, desk = token or _SOME, desk.rstrip("/")
    bearer = f"Authorization: Bearer {shown}"
    return [
        Way(
            "mcp-stdio",
            gettext("Claude Code, on the machine of the desk"),
            gettext(
                "It runs the command itself, which finds the desk by TRUSTMEM_HOME, or DATABASE_URL where it has one."
            ),
            f"claude mcp add trustmem -e TRUSTMEM_TOKEN={shown} {_on_this_machine(tells_where)} mcp",
        ),
        Way(
            "mcp-http",
            gettext("Claude Code, and whatever speaks MCP over HTTP"),
            gettext("The door beside the desk: “trustmem serve” opens it, and “trustmem mcp --http” does alone."),
            f'claude mcp add --transport http trustmem {_mcp(desk)} \\\n  --header "{bearer}"',
        ),
        Way(
            "curl",
            gettext("Any language, over HTTP"),
            gettext("Every route, with what it takes and answers, is described at /api/v1/openapi.json."),
            f'curl -G {desk}/api/v1/search \\\n  --data-urlencode "q=what holds" \\\n  -H "{bearer}"',
        ),
        Way(
            "python",
            gettext("Python"),
            gettext("The client comes with trustmem, also for programs that await."),
            f'from trustmem.client import Client\n\nwith Client("{desk}", token="{shown}") as desk:\n'
            '    for hit in desk.search("what holds")["hits"]:\n        print(hit["band"], hit["text"])',
        ),
    ]


def _on_this_machine(tells_where: bool) -> str:
    """Where the database is, as the command needs to hear it, and the command."""
    if not tells_where:
        return "-e TRUSTMEM_HOME=… -- trustmem"
    command = Path(sys.executable).with_name("trustmem")
    # An address of a database may hold a password, and is the admin's to put in.
    where = "DATABASE_URL=…" if os.environ.get("DATABASE_URL") else f"TRUSTMEM_HOME={shlex.quote(str(settings.HOME))}"
    return f"-e {where} -- {shlex.quote(str(command) if command.exists() else 'trustmem')}"


def _mcp(desk: str) -> str:
    """Where the door over MCP is: at an address of its own, or at another port of the host that is asked."""
    at: str = settings.MCP_AT
    if not at.isdecimal():
        return at
    asked = urlsplit(desk)
    host = f"[{asked.hostname}]" if ":" in (asked.hostname or "") else asked.hostname
    return f"{asked.scheme}://{host}:{at}/mcp"
