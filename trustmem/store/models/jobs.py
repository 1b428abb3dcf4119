"""What is asked of the worker, files on their way in, and bands over time: how things stand, no folds of the lines."""

from django.db import models

from trustmem.core.instants import NEVER
from trustmem.store.models.fields import NameField
from trustmem.store.models.spaces import Space


class JobState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    #: It would do more than it may without a person's word.
    NEEDS_A_PERSON = "needs a person"


class Stage(models.TextChoices):
    """What a job on a file is at; `AGAIN` is reading once more after something was written."""

    READING = "reading"
    WRITING = "writing"
    AGAIN = "again"


#: A job in one of these is still to be done.
OPEN = (JobState.QUEUED, JobState.RUNNING)


class Job(models.Model):
    """A long piece of work on a space, which somebody asked for; the row is the truth, and a queue only says that it is
    there.

    Of a kind there is at most one of a `slot` ('': as many as come). Whoever claims a job holds it until `lease_until`
    and has a number, `attempt`, on which each of its writes depends: so who lost it to another writes nothing. `tries`
    is how often it was begun since it was asked for last. `done` of `of` is how far it is with its `stage`. `asked` is
    what was asked for, in ids and names; `result` is JSON ('': there is none yet), and `error` one sentence. `instant`
    is that of the pass that it began (NEVER: none), `constants_version` the one in force when it was begun (0: none),
    `before` and `after` are JSON, how many facts there were in each state ('': not counted). Of a kind, one at most
    waits for a person.
    """

    space = models.ForeignKey(Space, models.CASCADE, related_name="jobs", db_index=False)
    kind = NameField()
    slot = NameField(default="")
    state = NameField(choices=JobState.choices, default=JobState.QUEUED)
    asked = models.JSONField(default=dict)
    asked_at = models.BigIntegerField()
    by = NameField(default="")
    started_at = models.BigIntegerField(default=NEVER)
    ended_at = models.BigIntegerField(default=NEVER)
    lease_until = models.BigIntegerField(default=NEVER)
    attempt = models.BigIntegerField(default=0)
    tries = models.BigIntegerField(default=0)
    stage = NameField(default="")
    done = models.BigIntegerField(default=0)
    of = models.BigIntegerField(default=0)
    result = models.TextField(default="")
    error = models.TextField(default="")
    instant = models.BigIntegerField(default=NEVER)
    constants_version = models.BigIntegerField(default=0)
    before = models.TextField(default="")
    after = models.TextField(default="")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("space", "kind", "slot"), name="a_slot_has_one_job", condition=~models.Q(slot="")
            ),
            models.UniqueConstraint(
                fields=("space", "kind"),
                name="one_job_waits_for_a_person",
                condition=models.Q(state=JobState.NEEDS_A_PERSON),
            ),
        )
        indexes = (
            models.Index(fields=("space", "asked_at"), name="jobs_by_age"),
            models.Index(fields=("space", "state"), name="jobs_to_do", condition=models.Q(state__in=OPEN)),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}: {self.state}"


class Schedule(models.Model):
    """When a kind of job is due in a space: at each instant (UTC) that is `offset` after a multiple of `every`, both in
    µs (0: never). `last_slot` is the latest of these that was asked for; `by` and `changed_at` who set it last, and
    when."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="schedules", db_index=False)
    kind = NameField()
    every = models.BigIntegerField()
    offset = models.BigIntegerField(default=0)
    last_slot = models.BigIntegerField(default=NEVER)
    by = NameField(default="")
    changed_at = models.BigIntegerField(default=NEVER)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "kind"), name="a_kind_has_one_schedule"),)

    def __str__(self) -> str:
        return f"{self.kind} every {self.every}"


class Upload(models.Model):
    """A file that somebody gave, packed with gzip, until it is taken in or thrown away; `digest` is that of what is
    unpacked. It holds texts, so it goes, with what was judged of it, wherever one of the space is erased."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="uploads", db_index=False)
    name = models.TextField()
    content = models.BinaryField()
    digest = models.TextField()
    source = NameField()
    by = NameField(default="")
    at = models.BigIntegerField()

    class Meta:
        indexes = (models.Index(fields=("space", "at"), name="uploads_by_age"),)

    def __str__(self) -> str:
        return self.name


class BandCount(models.Model):
    """How many live facts a space had in each band at an instant."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="band_counts", db_index=False)
    at = models.BigIntegerField()
    very_low = models.BigIntegerField()
    low = models.BigIntegerField()
    moderate = models.BigIntegerField()
    high = models.BigIntegerField()
    very_high = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "at"), name="an_instant_is_counted_once"),)

    def __str__(self) -> str:
        return f"bands at {self.at}"
