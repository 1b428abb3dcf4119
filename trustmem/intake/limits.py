"""How often a token may ask: so many times a minute by what that needs, in each process by itself."""

from django.core.cache import cache

from trustmem.store.models import Token

#: So many times a minute, by scope.
LIMITS = {"read": 1200, "write": 300, "feedback": 600, "import": 60}
_MINUTE = 60


def to_wait(token: Token, scope: str, second: int) -> int:
    """Count that a token asks; so many seconds it is to wait before it asks again (0: it may)."""
    key = f"asked:{token.pk}:{scope}:{second // _MINUTE}"
    cache.add(key, 0, timeout=2 * _MINUTE)
    return _MINUTE - second % _MINUTE if cache.incr(key) > LIMITS[scope] else 0


def sentence(scope: str) -> str:
    """What somebody is told who has to wait."""
    return f"this token has asked {LIMITS[scope]} times in a minute, its share"
