"""What the calibration lab keeps: histograms, outcomes and the figures of adoptions; no folds of the lines."""

from django.db import models

from trustmem.core.instants import NEVER
from trustmem.store.models.fields import NameField
from trustmem.store.models.spaces import Space


class Histogram(models.Model):
    """How often each value of a `measure` was found among the live facts of a space at an instant: of all of them
    (`by` is ''), or of those whose scope, producer, source or tier (`by`) is `of`.

    `edges` are one more than `counts`; `below`, `above` and `unknown` hold what no bin does, so that all counts sum to
    the number of values. `quartiles` are three numbers (none: there is no known value). `constants_version` was in
    force.
    """

    space = models.ForeignKey(Space, models.CASCADE, related_name="histograms", db_index=False)
    measure = NameField()
    by = NameField(default="")
    of = NameField(default="")
    bins = NameField()  # linear or log
    at = models.BigIntegerField()
    edges = models.JSONField(default=list)
    counts = models.JSONField(default=list)
    below = models.BigIntegerField(default=0)
    above = models.BigIntegerField(default=0)
    unknown = models.BigIntegerField(default=0)
    quartiles = models.JSONField(default=list)
    constants_version = models.BigIntegerField(default=1)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("space", "measure", "by", "of", "bins"), name="a_group_has_one_histogram_of_a_measure"
            ),
        )

    def __str__(self) -> str:
        return f"{self.measure} of {self.of or 'all'}"


class Outcome(models.Model):
    """That a person found a fact `right` or wrong, by the line at `position`, and what the fact was worth when they
    were asked (`asked_at`): when the case was opened, or just before they acted without one.

    `how` names the decision; `case` is '' without one; `sampled`: the case was drawn at random. The factors, `band`
    (its place in the vocabulary), `r`, `s`, `tier` and `depth` are as they were then. So are the terms of freshness, as
    ages: `times` are pairs of an age in µs and whether it was a use, `first_seen` is L in µs, and `baseline_count` n0.
    """

    space = models.ForeignKey(Space, models.CASCADE, related_name="outcomes", db_index=False)
    position = models.BigIntegerField()
    act = NameField(default="")
    fact = NameField()
    case = NameField(default="")
    how = NameField()
    right = models.BooleanField()
    sampled = models.BooleanField(default=False)
    asked_at = models.BigIntegerField()
    at = models.BigIntegerField()
    by = NameField(default="")
    source = NameField(default="")
    producer = models.SmallIntegerField()
    tier = models.SmallIntegerField()
    constants_version = models.BigIntegerField(default=1)
    band = models.SmallIntegerField()
    trust = models.FloatField()
    confidence = models.FloatField()
    freshness = models.FloatField()
    supersession = models.FloatField()
    provenance = models.FloatField()
    r = models.BigIntegerField()
    s = models.BigIntegerField()
    depth = models.BigIntegerField()
    baseline_count = models.BigIntegerField(default=0)
    first_seen = models.BigIntegerField(default=NEVER)
    times = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("space", "position", "fact"), name="a_line_finds_a_fact_right_or_wrong"),
        )
        indexes = (
            models.Index(fields=("space", "at"), name="outcomes_in_order"),
            models.Index(fields=("space", "source", "at"), name="outcomes_of_a_source"),
        )

    def __str__(self) -> str:
        return f"{self.fact} {self.how}"


class Adoption(models.Model):
    """The `figures` under which the line `version` put constants in force: what somebody saw who adopted them. A
    version that came by file has none."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="adoptions", db_index=False)
    version = NameField()
    at = models.BigIntegerField()
    figures = models.JSONField(default=dict)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "version"), name="a_version_is_adopted_once"),)

    def __str__(self) -> str:
        return self.version
