"""How people work on the queue: what each has in hand, has put aside or likes to look at; no folds of the lines."""

from django.db import models

from trustmem.store.models.fields import NameField
from trustmem.store.models.spaces import Space


class Handout(models.Model):
    """That somebody has a case in hand, until others get it too."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="handouts", db_index=False)
    case = NameField()
    by = NameField()
    until = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "case"), name="a_case_is_in_one_hand"),)

    def __str__(self) -> str:
        return f"{self.case} with {self.by}"


class SetAside(models.Model):
    """That somebody put a case aside at an instant: skipped it, or for everybody (`by` is '') snoozed it `until` then.
    `who` did it."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="set_aside", db_index=False)
    case = NameField()
    by = NameField(default="")
    who = NameField()
    at = models.BigIntegerField()
    until = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "case", "by"), name="a_case_is_set_aside_once"),)

    def __str__(self) -> str:
        return f"{self.case} by {self.who}"


class SavedView(models.Model):
    """A filter of the queue that somebody keeps under a title; `query` is that of its address."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="saved_views", db_index=False)
    by = NameField()
    title = NameField()
    query = models.TextField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "by", "title"), name="a_title_is_one_view"),)

    def __str__(self) -> str:
        return self.title


class Told(models.Model):
    """What the next page says on top in somebody's browser: what came of a form that was sent there."""

    browser = NameField()
    says = models.TextField()
    at = models.BigIntegerField()

    class Meta:
        indexes = (
            models.Index(fields=("browser", "id"), name="told_in_a_browser"),
            models.Index(fields=("at",), name="told_by_age"),
        )

    def __str__(self) -> str:
        return self.says


class Click(models.Model):
    """That a form was sent: sent again, it does nothing, and is answered with the `act` that it was."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="clicks", db_index=False)
    by = NameField()
    token = NameField()
    act = NameField(default="")
    at = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "by", "token"), name="a_click_counts_once"),)
        indexes = (models.Index(fields=("space", "at"), name="clicks_by_age"),)

    def __str__(self) -> str:
        return f"{self.token} by {self.by}"
