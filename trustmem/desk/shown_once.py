"""Secrets that the next page shows, and no page after that: they wait in the session, sealed and not for long."""

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings

from trustmem.desk.access import DeskRequest

_KEY = "shown once"
#: Seconds after which nobody has come for it.
_PATIENCE = 600


def keep(request: DeskRequest, secret: str) -> None:
    """Keep a secret for the next page. It is written at once: a form that was sent twice is answered twice, and the
    second answer is the one that a browser shows."""
    request.session[_KEY] = _seal().encrypt(secret.encode()).decode()
    request.session.save()


def take(request: DeskRequest) -> str:
    """The secret that waits for this page, which is gone with that; '': there is none."""
    if request.method != "GET" or _KEY not in request.session:
        return ""
    try:
        return _seal().decrypt(request.session.pop(_KEY), ttl=_PATIENCE).decode()
    except InvalidToken:
        return ""


def _seal() -> Fernet:
    """What is kept in the database can be read only with the key of this desk, which is not kept there."""
    return Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"{_KEY} {settings.SECRET_KEY}".encode()).digest()))
