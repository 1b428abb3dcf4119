"""Who speaks: an agent, in the name of its token's source."""

from typing import NamedTuple

from trustmem.store.models import Space


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
