"""Many at once, as lines of JSON (NDJSON): what an agent sends is read as it comes and no further than it may be long,
and what it is told is written as it is read."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse

from trustmem.actions.sending import MOST_BYTES, MOST_LINES
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.core.vocabulary import STATES
from trustmem.formats import scores as formats
from trustmem.intake import shapes
from trustmem.intake.rest.problems import Problem
from trustmem.store import bulk, queries
from trustmem.store.models import Fact, Space
from trustmem.store.states import STANDING

CONTENT_TYPE = "application/x-ndjson"
#: So many facts are scored at once.
_AT_ONCE = 1000
_TOLD = [STATES[state] for state in STANDING.to_readers]


def read(request: HttpRequest) -> list[bytes]:
    """The lines of a body. Raises Problem for one of another kind, of an unknown length, or too long."""
    if (request.content_type or "") not in (CONTENT_TYPE, "application/jsonl", "application/x-jsonlines"):
        raise Problem(415, f"lines come as {CONTENT_TYPE}")
    if "Transfer-Encoding" in request.headers:
        raise Problem(411, 'say beforehand how long it is, by "Content-Length"')
    lines, left = list[bytes](), MOST_BYTES
    while line := request.readline(left + 1):
        left -= len(line)
        if left < 0 or len(lines) == MOST_LINES:
            raise Problem(413, f"at most {MOST_BYTES >> 20} MiB and {MOST_LINES} lines are sent at once")
        lines.append(line)
    return lines


def answer(values: Iterable[Any]) -> StreamingHttpResponse:
    """Values as lines."""
    # In ASCII: many a reader takes U+2028 in a text for the end of the line.
    lines = (json.dumps(each, allow_nan=False).encode() + b"\n" for each in values)
    return StreamingHttpResponse(lines, content_type=CONTENT_TYPE)


def export(space: Space, now: int) -> Iterator[dict[str, Any]]:
    """The facts of a space that agents are told of, with their scores at an instant, in the order in which they came;
    each as it is when its turn comes."""
    version, constants = queries.version(space), queries.constants(space)
    keys = Fact.objects.filter(space=space).order_by("pk").values_list("pk", flat=True).iterator(_AT_ONCE)
    for chunk in bulk.chunks(keys, _AT_ONCE):
        told = formats.under(formats.rows(score(queries.stored(space, chunk), now)), version, constants)
        rows = {row["id"]: row for row in told if row["state"] in _TOLD}
        for fact in Fact.objects.filter(pk__in=chunk, state__in=STANDING.to_readers).order_by("pk"):
            if fact.name in rows:
                yield {"now": to_text(now), **shapes.claim(fact, fact.text), "scores": rows[fact.name]}
