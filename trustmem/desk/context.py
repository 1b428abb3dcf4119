"""What the frame around every page shows."""

from typing import Any

from django.http import HttpRequest

from trustmem.desk.access import may
from trustmem.store.models import Role


def frame(request: HttpRequest) -> dict[str, Any]:
    """The space that a page is of, and what one may do in it. The database is not asked again."""
    role = getattr(request, "role", None)
    return {
        "space": getattr(request, "space", None),
        "may_review": role is not None and may(role, Role.REVIEWER),
        "may_import": role is not None and may(role, Role.CURATOR),
        "may_administer": role is not None and may(role, Role.ADMIN),
    }
