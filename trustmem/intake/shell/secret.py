"""The secret that signs sessions and links: made up once, and kept in the home, where all processes find it."""

import os
from contextlib import suppress

from django.conf import settings

_NAME = "secret-key"


def keep() -> None:
    """Keep the secret that the settings made up; where another process was first, its secret holds here too."""
    if os.environ.get("SECRET_KEY"):
        return
    kept = settings.HOME / _NAME
    if not kept.exists():
        whole = kept.with_name(f"{_NAME}.{os.getpid()}")
        with open(whole, "x", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(settings.SECRET_KEY)
        with suppress(FileExistsError):
            os.link(whole, kept)
        whole.unlink()
    settings.SECRET_KEY = kept.read_text().strip()
