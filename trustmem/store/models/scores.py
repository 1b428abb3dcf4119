"""The score of a fact as it was at an instant: what lists filter and sort by."""

from django.db import models
from django.db.models.lookups import Exact

from trustmem.core.instants import NEVER
from trustmem.core.vocabulary import FLAGS
from trustmem.store.models.fields import FactKey, NameField
from trustmem.store.models.folds import UNCHECKED, Fold, KeyedIndex

#: The bit of each flag in `Score.flags`.
BITS = {flag: 1 << place for place, flag in enumerate(FLAGS)}


def index_of(flag: str) -> str:
    """The name of the index of the facts that have a flag.

    >>> index_of("use-only")
    'facts_use_only_by_trust'
    """
    return f"facts_{flag.replace('-', '_')}_by_trust"


def _flagged(flag: str) -> models.Index:
    has_it = models.Q(Exact(models.F("flags").bitand(BITS[flag]), BITS[flag]))
    return KeyedIndex(fields=("space", "state", "trust", "fact"), name=index_of(flag), condition=has_it)


class Score(Fold):
    """Trust as it was at `scored_at`, for lists: the one number driven by the clock that stands in an index.

    `state` and `source` are copies of the fact's. `flags` has a bit for each of FLAGS and then of NOTICES, the lowest
    for the first. `band` is for show: since a band is a range of trust, lists ask for that.
    """

    fact = FactKey(related_name="score", **UNCHECKED)
    state = models.SmallIntegerField()
    source = NameField()
    trust = models.FloatField()
    band = models.SmallIntegerField()
    flags = models.IntegerField(default=0)
    scored_at = models.BigIntegerField(default=NEVER)

    class Meta:
        indexes = (
            KeyedIndex(fields=("space", "fact"), name="scores_in_order"),
            KeyedIndex(fields=("space", "state", "trust", "fact"), name="facts_by_trust"),
            *map(_flagged, FLAGS),
        )

    def __str__(self) -> str:
        return f"{self.fact_id}: {self.trust:.2f}"
