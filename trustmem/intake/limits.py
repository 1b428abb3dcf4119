"""How often a token may ask: so many times a minute by what that needs, by whichever door and process."""

from django.conf import settings

from trustmem.intake import counting
from trustmem.store.models import Token

#: So many times a minute, by scope.
LIMITS: dict[str, int] = settings.PER_MINUTE
_MINUTE = 60


def to_wait(token: Token, scope: str, second: int) -> int:
    """Count that a token asks; so many seconds it is to wait before it asks again (0: it may)."""
    asked = counting.count(f"{token.digest}-{scope}", second // _MINUTE)
    return _MINUTE - second % _MINUTE if asked > LIMITS[scope] else 0


def sentence(scope: str) -> str:
    """What somebody is told who has to wait."""
    return f"this token has asked {LIMITS[scope]} times in a minute, its share"
