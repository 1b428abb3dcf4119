"""What the frame around every page shows."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from trustmem.desk.access import may, spaces_of
from trustmem.store.models import Role, Space, User


def frame(request: HttpRequest) -> dict[str, Any]:
    """`spaces` that one may change to, and what one may do in this one; nothing is asked where no frame is drawn."""
    user, role = getattr(request, "user", None), getattr(request, "role", None)
    return {
        "space": getattr(request, "space", None),
        "spaces": SimpleLazyObject(lambda: _others(user)),
        "may_review": role is not None and may(role, Role.REVIEWER),
        "may_import": role is not None and may(role, Role.CURATOR),
        "may_administer": role is not None and may(role, Role.ADMIN),
    }


def _others(user: object) -> list[Space]:
    return list(spaces_of(user)) if isinstance(user, User) else []
