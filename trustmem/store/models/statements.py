"""What somebody said about a fact, and what became of it."""

from django.db import models

from trustmem.store.models.facts import Fact
from trustmem.store.models.fields import NameField
from trustmem.store.models.folds import UNCHECKED, Fold


class Statement(Fold):
    """The line at `position` is about `fact`; of an edge that is the older end, and `other` the newer one.
    `kind` is a code of `core.columns.STATEMENTS`, `tier` the author's. `ruling` is the latest of a person: 1 upheld,
    -1 dismissed, 0 none. `withdrawn` and `challenge` as in section 1."""

    position = models.BigIntegerField()
    fact = models.ForeignKey(Fact, related_name="statements", **UNCHECKED)
    other = models.ForeignKey(Fact, related_name="statements_as_newer", null=True, **UNCHECKED)
    kind = models.SmallIntegerField()
    source = NameField()
    run = NameField()
    tier = models.SmallIntegerField(default=0)
    at = models.BigIntegerField()
    in_force = models.BooleanField(default=True)
    ruling = models.SmallIntegerField(default=0)
    withdrawn = models.BooleanField(default=False)
    challenge = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "position"), name="a_line_is_one_statement"),)
        indexes = (
            models.Index(fields=("space", "fact"), name="statements_of_a_fact"),
            models.Index(fields=("space", "source", "run"), name="statements_of_a_run"),
            models.Index(
                fields=("space", "other"), name="statements_from_a_fact", condition=models.Q(other__isnull=False)
            ),
        )

    def __str__(self) -> str:
        return f"{self.position} about {self.fact_id}"


class Ruling(Fold):
    """The line at `position` rules on the statement at `of`, which is about `fact`."""

    position = models.BigIntegerField()
    of = models.BigIntegerField()
    fact = models.ForeignKey(Fact, related_name="rulings", **UNCHECKED)
    upheld = models.BooleanField()
    at = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "position"), name="a_line_is_one_ruling"),)
        indexes = (models.Index(fields=("space", "fact"), name="rulings_about_a_fact"),)

    def __str__(self) -> str:
        return f"{self.position} on {self.of}"


class Waiting(Fold):
    """The line at `position` is without effect, since it names what has not come. `name` is one of all that it names:
    when that comes or goes, it is to be looked at again."""

    name = NameField()
    position = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name", "position"), name="a_line_waits_once"),)
        indexes = (models.Index(fields=("space", "position"), name="what_a_line_waits_for"),)

    def __str__(self) -> str:
        return f"{self.position} for {self.name}"
