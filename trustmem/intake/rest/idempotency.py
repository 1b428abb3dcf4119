"""Idempotency: a request that comes again under its key has one effect, and the same answer, marked as replayed.

The answer is kept in the transaction of the effect, for 24 hours. Another request under the key is refused with 422,
and one while the first is still in flight with 409.
"""

import hashlib
import re
from collections.abc import Callable

from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse

from trustmem.actions.tokens import ANSWERS_KEPT
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.intake.rest.problems import Problem
from trustmem.store.models import Answered, Token

HEADER, REPLAYED = "Idempotency-Key", "Idempotency-Replayed"
#: A key: so long at most, and nothing in it that is not seen.
KEY = re.compile("^[!-~]{1,255}$")
#: Whoever is in flight for longer is taken to be gone.
_IN_FLIGHT = 45 * MICROSECONDS_PER_SECOND


def once(request: HttpRequest, token: Token, now: int, do: Callable[[], HttpResponse]) -> HttpResponse:
    """Do what a request asks for, unless it came before under its key. Raises Problem."""
    key = request.headers.get(HEADER)
    if key is None:
        return do()
    if not KEY.fullmatch(key):
        raise Problem(400, f'"{HEADER}" is at most 255 letters, digits and signs of ASCII long, without spaces')
    digest = hashlib.sha256(repr((request.method, request.get_full_path(), request.body)).encode()).hexdigest()
    kept = _begin(token, key, digest, now)
    if kept is not None:
        return _again(kept, digest)
    mine = Answered.objects.filter(space=token.space_id, token=token, key=key, at=now)
    try:
        with transaction.atomic():
            response = do()
            if not mine.update(status=response.status_code, body=response.content.decode()):
                raise Problem(409, "it took so long that another request under this key took its place")
    except BaseException:
        mine.filter(status=0).delete()  # nothing was done, so nothing is kept
        raise
    return response


def _begin(token: Token, key: str, digest: str, now: int) -> Answered | None:
    """What is kept of a key; None: this request begins."""
    under = Answered.objects.filter(space=token.space_id, token=token, key=key)
    under.filter(at__lt=now - ANSWERS_KEPT).delete()
    under.filter(status=0, at__lt=now - _IN_FLIGHT).delete()
    try:
        with transaction.atomic():
            Answered.objects.create(space_id=token.space_id, token=token, key=key, digest=digest, at=now)
    except IntegrityError:
        return under.first()
    return None


def _again(kept: Answered, digest: str) -> HttpResponse:
    if kept.digest != digest:
        raise Problem(422, f'"{HEADER}" was used for another request')
    if not kept.status:
        raise Problem(409, "a request under this key is still in flight")
    response = HttpResponse(kept.body, content_type="application/json", status=kept.status)
    response[REPLAYED] = "true"
    return response
