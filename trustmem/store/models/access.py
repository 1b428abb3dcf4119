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
    """What an agent shows; only its digest is kept. It speaks as `source`."""

    space = models.ForeignKey(Space, models.CASCADE, related_name="tokens")
    digest = NameField(unique=True)
    title = models.TextField(default="")
    source = NameField()
    scopes = models.JSONField(default=list)
    at = models.BigIntegerField()
    valid_to = models.BigIntegerField(default=NEVER)
    revoked_at = models.BigIntegerField(default=NEVER)

    def __str__(self) -> str:
        return self.title or self.source
