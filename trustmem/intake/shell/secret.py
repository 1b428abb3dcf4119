"""The secret that signs sessions and links: made up once, and kept in the home, where all processes find it."""

import os

from django.conf import settings

from trustmem.actions.instance import kept

_NAME = "secret-key"


def keep() -> None:
    """Keep the secret that the settings made up; where another process was first, its secret holds here too."""
    if not os.environ.get("SECRET_KEY"):
        settings.SECRET_KEY = kept(settings.HOME / _NAME, settings.SECRET_KEY)
