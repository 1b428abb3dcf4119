"""Passes of consolidation, and what each changed."""

from django.db import models

from trustmem.core.instants import EVER
from trustmem.store.models.facts import Fact
from trustmem.store.models.folds import UNCHECKED, Fold


class Pass(Fold):
    """Kept with its instant and its running clock even where it changed nothing, or is `void` since it was undone.
    Facts go through it in the order of their keys, and those up to `through` have (EVER: all).
    The rest is how many facts it weighed, changed and so on."""

    instant = models.BigIntegerField()
    clock = models.BigIntegerField()
    void = models.BooleanField(default=False)
    through = models.BigIntegerField(default=EVER)
    weighed = models.BigIntegerField(default=0)
    changed = models.BigIntegerField(default=0)
    revived = models.BigIntegerField(default=0)
    pruned = models.BigIntegerField(default=0)
    promoted = models.BigIntegerField(default=0)
    deferred = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "instant"), name="an_instant_has_one_pass"),)

    def __str__(self) -> str:
        return f"pass at {self.instant}"


class EarlyTurn(Fold):
    """A fact that went through the pass under way before its turn, since something happened to it meanwhile: be it that
    it is gone since."""

    fact = models.OneToOneField(Fact, related_name="+", primary_key=True, **UNCHECKED)

    class Meta:
        indexes = (models.Index(fields=("space", "fact"), name="early_turns_of_a_space"),)

    def __str__(self) -> str:
        return str(self.fact_id)


#: What a pass can do to a fact; `Change.did` has a bit for each, the lowest for the first.
DEEDS = ("pruned", "revived", "promoted", "re-weighed", "stamped")


class Change(Fold):
    """One row for each fact that a pass changed: what was stored of it before and after, where they differ, and what
    the pass `did` to it."""

    of_pass = models.ForeignKey(Pass, related_name="changes", **UNCHECKED)
    fact = models.ForeignKey(Fact, related_name="changes", **UNCHECKED)
    did = models.SmallIntegerField(default=0)
    before = models.JSONField()
    after = models.JSONField()

    class Meta:
        indexes = (
            models.Index(fields=("space", "of_pass"), name="changes_by_a_pass"),
            models.Index(fields=("space", "fact"), name="changes_of_a_fact"),
        )

    def __str__(self) -> str:
        return f"{self.fact_id} by pass {self.of_pass_id}"
