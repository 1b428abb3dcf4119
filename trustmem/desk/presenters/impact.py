"""What forgetting a fact would come to, as it stands in the form for that."""

from typing import NamedTuple

from django.utils.safestring import SafeString

from trustmem.desk.presenters.links import linked
from trustmem.explanations import impact as explained
from trustmem.explanations.memory import Memory

#: Of the claims that a sentence is about so many are shown.
_MOST = 3


class Told(NamedTuple):
    """A sentence, and links to the first of the claims that it is about."""

    says: str
    claims: list[SafeString]


def impact(asked: Memory, id: str, space: str) -> list[Told]:
    """Nothing where there is nothing to say; `space` is the name by which links lead into it."""
    told = explained.impact(asked, id).told()
    return [Told(says, [linked(space, fact, asked.text(fact)) for fact in facts[:_MOST]]) for says, facts in told]
