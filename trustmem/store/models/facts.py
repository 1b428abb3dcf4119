"""A fact as it stands, what touched it, and its stored score. Codes are those of `core.vocabulary`."""

from django.db import models

from trustmem.core.consolidation import NO_STAMP
from trustmem.core.instants import EVER, NEVER
from trustmem.store.models.fields import NameField
from trustmem.store.models.folds import UNCHECKED, Fold, KeyedIndex

#: Stands for "there was no feedback": what feedback gives lies from -1 to 1. (SQLite would store NaN as NULL.)
NO_FEEDBACK = -9.0


class Fact(Fold):
    # Copies of the text, which `erase` empties.
    name = NameField()
    text = models.TextField(default="")
    subject = models.TextField(default="")
    predicate = models.TextField(default="")
    object = models.TextField(default="")
    entities = models.TextField(default="[]")  # a JSON list of names

    # As it was born.
    source = NameField(default="unknown")
    run = NameField()
    producer = models.SmallIntegerField(default=0)
    core = models.BooleanField(default=False)
    at = models.BigIntegerField()
    at_known = models.BooleanField(default=True)
    arrived = models.BigIntegerField()
    baseline_count = models.BigIntegerField(default=0)
    first_seen = models.BigIntegerField()
    bad_signature = models.BooleanField(default=False)

    # As it stands by all that came.
    state = models.SmallIntegerField(default=0)
    tier = models.SmallIntegerField(default=0)
    accepted = models.BooleanField(default=False)
    r = models.BigIntegerField(default=0)
    s = models.BigIntegerField(default=0)
    evidence = models.BigIntegerField(default=0)
    contradictions = models.BigIntegerField(default=0)
    use_count = models.BigIntegerField(default=0)
    depth = models.BigIntegerField(default=0)
    dismissible = models.BooleanField(default=False)
    challenged = models.BooleanField(default=False)
    contradicted = models.BooleanField(default=False)  # a live `contradicts` edge ends in it
    times = models.BinaryField(default=b"")  # of its reinforcements: int64, little-endian
    uses = models.BinaryField(default=b"")  # a byte for each of them: 1 a use, 0 confirming
    latest_at = models.BigIntegerField()  # of all that is said about it: what lies ahead of now is flagged

    # As the last pass left it (`core.consolidation.Weights`).
    scope = models.SmallIntegerField(default=0)
    prior = models.FloatField()
    derived = models.FloatField()
    half_life = models.FloatField()
    anchor = models.FloatField()
    anchored_at = models.BigIntegerField(default=0)
    stamp = models.BigIntegerField(default=NO_STAMP)
    pruned = models.BooleanField(default=False)
    lapsed = models.BooleanField(default=False)
    weighed_at = models.BigIntegerField(default=EVER)  # as in `core.stored.Stored`

    # What is new since then, as in `core.affirmations.News`.
    reaffirmed_at = models.BigIntegerField(default=NEVER)
    corroborated_at = models.BigIntegerField(default=NEVER)

    # By feedback: compounded over all of it, and what the newest gave.
    retrieval_priority = models.FloatField(default=NO_FEEDBACK)
    reinforcement_count = models.BigIntegerField(default=0)
    newest_reinforcement = models.FloatField(default=NO_FEEDBACK)
    newest_decay_adjustment = models.FloatField(default=NO_FEEDBACK)
    newest_retrieval_priority = models.FloatField(default=NO_FEEDBACK)
    newest_policy_delta = models.FloatField(default=NO_FEEDBACK)
    newest_identity_impact = models.FloatField(default=NO_FEEDBACK)
    newest_tool_dependence_delta = models.FloatField(default=NO_FEEDBACK)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_fact"),)
        # For passes; and for lists by age, of everything and of a source, and by the weight that only events move.
        indexes = (
            KeyedIndex(fields=("space", "id"), name="facts_in_order"),
            KeyedIndex(fields=("space", "state", "at", "id"), name="facts_by_age"),
            KeyedIndex(fields=("space", "source", "state", "at", "id"), name="facts_of_a_source_by_age"),
            KeyedIndex(fields=("space", "state", "derived", "id"), name="facts_by_weight"),
        )

    def __str__(self) -> str:
        return self.name


class Touch(Fold):
    """Unique by fact, source, run and kind; `at` is the earliest, `echo` says that it repeats what had been handed out.
    `kind` is a code of TOUCH_KINDS."""

    fact = models.ForeignKey(Fact, related_name="touches", **UNCHECKED)
    source = NameField()
    run = NameField()
    kind = models.SmallIntegerField()
    at = models.BigIntegerField()
    echo = models.BooleanField(default=False)

    class Meta:
        indexes = (models.Index(fields=("space", "fact"), name="touches_of_a_fact"),)

    def __str__(self) -> str:
        return f"{self.fact_id} by {self.source}"
