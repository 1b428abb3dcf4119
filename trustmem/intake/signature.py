"""A signature as it comes in at the doors."""

from pydantic import BaseModel, ConfigDict, Field

from trustmem.formats.fields import MAX_IDENTIFIER, MAX_TEXT


class Signature(BaseModel):
    """By a key of your source: Ed25519 over the RFC 8785 form of the claim, both in base64."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(min_length=1, max_length=MAX_IDENTIFIER)
    claim: str = Field(min_length=1, max_length=MAX_TEXT)
    value: str = Field(min_length=88, max_length=88)
