"""What waits for a person or was decided by one: cases, and the tombstones of what must not come back."""

from django.db import models

from trustmem.core.instants import NEVER
from trustmem.store.models.fields import FactKey, NameField
from trustmem.store.models.folds import UNCHECKED, Fold, KeyedIndex


class Case(Fold):
    """What the `case` line at `position` opened, and what became of it. `facts` are names; `factors` and
    `constants_version` are what they were when it was opened. `key` is the id without its round, by which a case that
    is found again is known ('': a file brought it, and nobody here would open one of that id). It `stands` while what
    it is about is so; it is open until it is closed, or stands no more."""

    name = NameField()
    position = models.BigIntegerField()
    key = NameField(default="")
    kind = models.TextField(default="")  # free, as are the factors and the verdict: `erase` empties them
    facts = models.JSONField(default=list)
    at = models.BigIntegerField()
    factors = models.TextField(default="{}")  # JSON
    constants_version = models.BigIntegerField(default=1)
    stands = models.BooleanField(default=True)
    closed_at = models.BigIntegerField(default=NEVER)
    verdict = models.TextField(default="")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_case"),)
        indexes = (
            models.Index(fields=("space", "key"), name="cases_by_key"),
            models.Index(fields=("space", "position"), name="cases_in_order"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class CaseFact(Fold):
    """That a case is about a fact, be that there or not."""

    case = models.ForeignKey(Case, related_name="about", **UNCHECKED)
    fact = NameField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "case", "fact"), name="a_case_names_a_fact_once"),)
        indexes = (models.Index(fields=("space", "fact"), name="cases_of_a_fact"),)

    def __str__(self) -> str:
        return f"{self.case_id} about {self.fact}"


class Closing(Fold):
    """That a line, by its `name` and `position`, closed the case of the name `of`, in an act ('': none)."""

    name = NameField()
    position = models.BigIntegerField()
    of = NameField()
    act = NameField(default="")
    by = NameField(default="")
    at = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "position"), name="a_line_is_one_closing"),)
        indexes = (
            models.Index(fields=("space", "of"), name="closings_of_a_case"),
            models.Index(fields=("space", "by", "position"), name="closings_by_somebody"),
            models.Index(fields=("space", "at"), name="closings_by_time"),
        )

    def __str__(self) -> str:
        return f"{self.of} by {self.by}"


class CaseGroup(Fold):
    """The open cases of a kind that one source brought: near-identical, and shown as one where they are many."""

    kind = NameField()
    source = NameField()
    count = models.BigIntegerField(default=0)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "kind", "source"), name="a_kind_by_a_source"),)
        indexes = (models.Index(fields=("space", "count"), name="groups_by_size"),)

    def __str__(self) -> str:
        return f"{self.count} {self.kind} by {self.source}"


class Queued(Fold):
    """An open case in its place in the queue. `consequence` is what there was to lose at `weighed_at`
    (`core.consequence`), `source` who brought it ('': several, or nobody). `grouped`: it is shown within its group."""

    case = FactKey(Case, related_name="queued", **UNCHECKED)
    position = models.BigIntegerField()
    kind = NameField()
    source = NameField(default="")
    consequence = models.FloatField(default=0.0)
    weighed_at = models.BigIntegerField(default=NEVER)
    grouped = models.BooleanField(default=False)

    class Meta:
        indexes = (
            KeyedIndex(fields=("space", "grouped", "consequence", "case"), name="queue_in_order"),
            KeyedIndex(fields=("space", "kind", "grouped", "consequence", "case"), name="queue_of_a_kind"),
            KeyedIndex(fields=("space", "source", "grouped", "consequence", "case"), name="queue_of_a_source"),
            KeyedIndex(fields=("space", "kind", "source", "grouped", "consequence", "case"), name="queue_of_a_group"),
            models.Index(fields=("space", "position"), name="queue_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.case_id}"


class Tombstone(Fold):
    """`digest` is keyed, of the normalised claim."""

    name = NameField()
    digest = NameField()
    by = NameField(default="")
    at = models.BigIntegerField()
    lifted_at = models.BigIntegerField(default=NEVER)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_tombstone"),)
        indexes = (models.Index(fields=("space", "digest"), name="tombstones_of_a_claim"),)

    def __str__(self) -> str:
        return self.name
