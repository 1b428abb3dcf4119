"""A space: one memory, with one chain of lines."""

from django.db import models

from trustmem.core.instants import NEVER
from trustmem.store.models.fields import NameField

#: What stands before the first line of a chain. A constant, since NULLs would not be unique.
FIRST = "0" * 64


class Space(models.Model):
    """`name` is its id in files, and `alias` what it was called before it took the id of a file ('': it took none).
    `digest_key` is the hex of 32 random bytes. The head is that of the chain of lines, `arrived_to` when the latest of
    them arrived (a file may say: in times to come), `written_at` when the latest was written, and `folded_to` the
    position up to which the tables that are folds have it all. `to_scrub`: a text was erased, and the files of the
    database are still to be written anew without it. `vectors_written` and `vectors_dropped` count how often
    vectors of its facts were: who holds a copy of them sees by that what it lacks.

    Of a hundred hits of a search at most `unreviewed_share` come from sources that nobody has reviewed, and those
    beyond it are folded, once some source has been reviewed; `unreviewed_by` set it last, at `unreviewed_at`."""

    name = NameField(unique=True)
    alias = NameField(default="")
    title = models.TextField(default="")
    digest_key = models.TextField()
    head_position = models.BigIntegerField(default=0)
    head_digest = models.TextField(default=FIRST)
    arrived_to = models.BigIntegerField(default=NEVER)
    written_at = models.BigIntegerField(default=NEVER)
    folded_to = models.BigIntegerField(default=0)
    to_scrub = models.BooleanField(default=False)
    unreviewed_share = models.SmallIntegerField(default=20)  # a matter of taste
    unreviewed_by = NameField(default="")
    unreviewed_at = models.BigIntegerField(default=NEVER)
    vectors_written = models.BigIntegerField(default=0)
    vectors_dropped = models.BigIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("alias",), name="an_alias_is_one_space", condition=~models.Q(alias="")),
        )

    def __str__(self) -> str:
        return self.title or self.name
