"""Who speaks: an agent, in the name of its token's source."""

import re
from typing import NamedTuple

from trustmem.formats import fields
from trustmem.store.models import Space

#: What a run is called that nobody named: after its source and the day.
_OF_A_DAY = re.compile(r"(?P<source>.+)@\d{4}-\d\d-\d\d", re.DOTALL)


class Speaker(NamedTuple):
    """Who speaks, in which space and run: the source is that of the token, never the caller's word. A `run` of ''
    takes its default, the source and the day. `reports`: the token may report what came of using facts."""

    space: Space
    source: str
    run: str = ""
    reports: bool = False

    @property
    def says(self) -> dict[str, str]:
        return {"source": self.source} | ({"run": self.run} if self.run else {})


def why_not(run: str, source: str) -> str:
    """Why a source cannot speak in a run that it names: the end of a sentence; '' where it can. In the day of another
    source it could make an echo of what that says next.

    >>> why_not("monday", "ana"), why_not("ana@2026-01-05", "ana"), why_not("ben@2026-01-05", "ana")
    ('', '', 'is the day of the source "ben"')
    """
    try:
        fields.identifier(run)
    except ValueError as error:
        return str(error)
    day = _OF_A_DAY.fullmatch(run)
    return f'is the day of the source "{day["source"]}"' if day and day["source"] != source else ""
