"""A line: what came, in order. Triggers refuse every change of one, and `store.chain` writes and verifies them."""

from django.db import models

from trustmem.store.models.fields import NameField
from trustmem.store.models.spaces import Space


class Line(models.Model):
    """`name` is the line's id, `tag` says what it is (`fact`, `edge.updates`, `event.restated`, ...), `act` groups what
    one act wrote, and `imported` is the import that brought it ('': none). `body` is canonical JSON of all that is no
    free text; that stands in Text, and `text_digest` is its keyed digest.
    """

    pk = models.CompositePrimaryKey("space", "position")
    space = models.ForeignKey(Space, models.PROTECT, related_name="lines", db_index=False)
    position = models.BigIntegerField()
    name = NameField()
    tag = NameField()
    act = NameField(default="")
    imported = NameField(default="")
    at = models.BigIntegerField()
    arrived = models.BigIntegerField()
    body = models.TextField()
    text_digest = models.TextField(default="")
    previous = NameField()
    digest = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_line"),
            models.UniqueConstraint(fields=("space", "previous"), name="a_chain_has_no_fork"),
        )
        indexes = (
            models.Index(fields=("space", "act"), name="lines_of_an_act"),
            models.Index(fields=("space", "tag", "position"), name="lines_by_tag"),
        )

    def __str__(self) -> str:
        return f"{self.position} {self.tag} {self.name}"
