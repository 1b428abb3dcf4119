"""Signs of life: a file in the home of whose age can be told whether a worker or beat does what it is there for."""

import time

from django.conf import settings

#: A part without a sign of life for so many seconds is not well; several times what it takes between two.
LONGEST = 60.0


def sign(part: str) -> None:
    """Say that a part has done just now what it is there for."""
    folder = settings.HOME / "alive"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / part).touch(mode=0o600)


def age(part: str) -> float | None:
    """Seconds since a part gave its last sign; None where it never did."""
    try:
        return time.time() - (settings.HOME / "alive" / part).stat().st_mtime
    except FileNotFoundError:
        return None
