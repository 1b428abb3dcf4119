"""Fits of freshness that the desk made, as pages and forms carry them: signed, so that nobody makes one up; and what
a version keeps of one."""

from collections.abc import Mapping
from typing import Any

from django.core import signing

from trustmem.actions.fitting import SHOWN
from trustmem.core.calibration import Fit
from trustmem.core.constants import Constants
from trustmem.store.models import Space

#: What one is called in addresses and forms.
NAME = "fitted"
_SALT = "trustmem.fit"


def signed(space: Space, kind: str, fit: Fit, now: int, ages: Mapping[str, float]) -> str:
    """A fit by quartiles or by two ages, these being what was asked."""
    says = {"space": space.pk, "values": list(fit), "fit": kind, "fitted_at": now, "ages": dict(ages)}
    return signing.dumps(says, salt=_SALT, compress=True)


def behind(space: Space, text: str, before: Fit, after: Fit) -> dict[str, Any]:
    """What is kept of a fit with midpoint and scale that are put in force in place of others. Nothing: it is of another
    space, or found others, as far as a page shows them."""
    try:
        says = signing.loads(text, salt=_SALT)
    except signing.BadSignature:
        return {}
    is_found = all(abs(one - other) <= SHOWN for one, other in zip(after, says.pop("values"), strict=True))
    return says if says.pop("space") == space.pk and before != after and is_found else {}


def squash(constants: Constants) -> Fit:
    """Midpoint and scale of constants."""
    return Fit(*(getattr(constants, name) for name in Fit._fields))
