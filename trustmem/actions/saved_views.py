"""Saved views: what of the queue somebody likes to look at, under titles of their own."""

from trustmem.actions.errors import Refusal
from trustmem.store.models import SavedView, Space

#: So many views somebody keeps in a space.
MOST = 30


def save(space: Space, title: str, query: str, *, by: str) -> None:
    """Keep the query of an address under a title, in place of what stood there. Raises Refusal for one too many."""
    kept = SavedView.objects.filter(space=space, by=by)
    if kept.exclude(title=title).count() >= MOST:
        raise Refusal(f"you keep {MOST} views already: delete one that you need no more")
    SavedView.objects.update_or_create(space=space, by=by, title=title, defaults={"query": query})


def delete(space: Space, title: str, *, by: str) -> None:
    """Keep a view no more; without effect where there is none of that title."""
    SavedView.objects.filter(space=space, by=by, title=title).delete()
