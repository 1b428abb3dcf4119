"""The key of this instance (Ed25519), with which it signs what others can check without it. It is made at first use and
kept in the home, unless the environment gives one."""

import base64
import binascii
import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from trustmem.actions.errors import Refusal

#: A private key is any 32 bytes; it is written in base64.
_LENGTH = 32
_NAME = "instance-key"


def key() -> Ed25519PrivateKey:
    """Raises Refusal where what is given or kept is no key, or none can be kept."""
    given: str = settings.INSTANCE_KEY
    if given:
        return _read(given, "INSTANCE_KEY")
    file = Path(settings.INSTANCE_KEY_FILE).expanduser() if settings.INSTANCE_KEY_FILE else settings.HOME / _NAME
    try:
        return _read(kept(file, base64.b64encode(secrets.token_bytes(_LENGTH)).decode()), str(file))
    except OSError as error:
        raise Refusal(f"the key of this instance cannot be kept in {file}: {error.strerror}") from None


def _read(written: str, where: str) -> Ed25519PrivateKey:
    try:
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(written, validate=True))
    except (binascii.Error, ValueError):
        raise Refusal(f"{where} holds no key: that is {_LENGTH} bytes in base64") from None


def public(key: Ed25519PrivateKey) -> bytes:
    """What others check its signatures with."""
    return key.public_key().public_bytes_raw()


def fingerprint(public: bytes) -> str:
    """By what people tell a key: SHA-256 (hex)."""
    return hashlib.sha256(public).hexdigest()


def kept(file: Path, made: str) -> str:
    """What is kept in a file that nobody else may read: what was `made` up now, unless there is something."""
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole = file.with_name(f"{file.name}.{os.getpid()}-{secrets.token_hex(4)}")
        with open(whole, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as beside:
            beside.write(made)
        with suppress(FileExistsError):  # another process was first, and what it made holds here too
            os.link(whole, file)
        whole.unlink()
    return file.read_text().strip()
