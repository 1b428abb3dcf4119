"""Who may do what: users and their roles in spaces, keys that sign, and tokens of agents."""

from django.contrib.auth.models import AbstractUser
from django.db import models

from trustmem.core.instants import NEVER
from trustmem.store.models.fields import NameField
from trustmem.store.models.folds import Fold
from trustmem.store.models.spaces import Space


class User(AbstractUser):
    """Our own from the start, since it cannot be added cheaply later."""


class Role(models.TextChoices):
    """Each may do what those before it may."""

    READER = "reader"
    REVIEWER = "reviewer"
    CURATOR = "curator"
    ADMIN = "admin"


class Membership(models.Model):
    space = models.ForeignKey(Space, models.CASCADE, related_name="memberships", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.TextField(choices=Role.choices, default=Role.READER)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "user"), name="a_user_has_one_role"),)

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role}"


class Key(Fold):
    """`public` is base64. A key revoked as compromised takes `signed` from all it ever signed."""

    name = NameField()
    source = NameField()
    public = models.TextField()
    at = models.BigIntegerField()
    valid_to = models.BigIntegerField(default=NEVER)
    revoked_at = models.BigIntegerField(default=NEVER)
    compromised = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "name"), name="a_name_is_one_key"),)

    def __str__(self) -> str:
        return f"{self.name} of {self.source}"


class Signature(Fold):
    """That the line at `position` came with a signature by a key of that name, known or not; and whether that key
    `holds` for it: it was checked when both were there."""

    position = models.BigIntegerField()
    key = NameField()
    holds = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "position"), name="a_line_has_one_signature"),)
        indexes = (models.Index(fields=("space", "key"), name="signatures_of_a_key"),)

    def __str__(self) -> str:
        return f"{self.position} by {self.key}"


class Token(models.Model):
    """What an agent shows; only its digest is kept. It speaks as `source`, and may do what its `scopes` say. `by` made
    it, and `revoked_by` ended it; `last_used` is told to the minute."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="tokens")
    digest = NameField(unique=True)
    title = models.TextField(default="")
    source = NameField()
    scopes = models.JSONField(default=list)
    by = NameField(default="")
    at = models.BigIntegerField()
    valid_to = models.BigIntegerField(default=NEVER)
    revoked_at = models.BigIntegerField(default=NEVER)
    revoked_by = NameField(default="")
    last_used = models.BigIntegerField(default=NEVER)

    def __str__(self) -> str:
        return self.title or self.source


class Served(models.Model):
    """That a `search` handed out facts, by name, in a run of a source: kept for a day, in which it may be `reported`
    what came of it, and until it is `recorded` as touches by a job, so that nobody who searches waits for that. By its
    `question` it is known that one asks what another did, and not what that was ('': nobody is to know)."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="served", db_index=False)
    search = NameField(default="")
    source = NameField()
    run = NameField()
    question = NameField(default="")
    at = models.BigIntegerField()
    facts = models.JSONField()
    recorded = models.BooleanField(default=False)
    reported = models.BigIntegerField(default=NEVER)

    class Meta:
        indexes = (
            models.Index(fields=("space", "id"), name="served_in_order", condition=models.Q(recorded=False)),
            models.Index(fields=("space", "search"), name="served_by_a_search"),
            models.Index(fields=("space", "question", "id"), name="asked_again", condition=~models.Q(question="")),
            models.Index(fields=("space", "at"), name="served_by_age"),
        )

    def __str__(self) -> str:
        return f"{self.search} by {self.source}"


class Answered(models.Model):
    """What a request of a token under an idempotency key was answered: its `digest` tells it from another one. While it
    is in flight, `status` is 0."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="answered", db_index=False)
    token = models.ForeignKey(Token, models.CASCADE, related_name="+", db_index=False)
    key = NameField()
    digest = NameField()
    status = models.SmallIntegerField(default=0)
    body = models.TextField(default="")
    at = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("space", "token", "key"), name="a_key_is_answered_once"),)
        indexes = (models.Index(fields=("space", "at"), name="answers_by_age"),)

    def __str__(self) -> str:
        return f"{self.key}: {self.status}"
