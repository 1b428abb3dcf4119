"""What is asked with: bodies and parameters. What nobody may say stands in none of them, and is refused by its name."""

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field, StringConstraints

from trustmem.actions.agents import EVENTS
from trustmem.actions.search import MOST
from trustmem.core.vocabulary import BANDS, CHANNELS, FLAGS
from trustmem.formats.fields import MAX_IDENTIFIER, MAX_TEXT
from trustmem.intake.signature import Signature

#: A name has no control characters.
_Name = Annotated[str, StringConstraints(max_length=MAX_IDENTIFIER, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]
_Share = Annotated[float, Field(ge=0, le=1, strict=True)]
_Run = Annotated[_Name, Field(description="one sitting of yours; by default, your source and the day")]


class _Said(Schema):
    """A field that is misspelt must not look heard."""

    model_config = ConfigDict(extra="forbid")

    run: _Run | None = None


class _Signed(_Said):
    """Who is signed for says under which id, and when: no other claim is dated by who makes it."""

    id: Annotated[_Name, Field(min_length=1, description="by default, one is made")] | None = None
    at: str | None = Field(None, max_length=40, description="RFC 3339 with an offset, of a signed claim alone")
    signature: Signature | None = None

    @property
    def signs(self) -> dict[str, Any]:
        """What the claim that is signed has of its own."""
        return {"id": self.id, "at": self.at, "signature": self.signature and self.signature.model_dump()}


class FactIn(_Signed):
    """Something to remember. Who says it is the token's to say; when, the clock's; how well it is vouched for, nobody's
    but a person's or a key's."""

    text: str = Field(..., min_length=1, max_length=MAX_TEXT)
    subject: str | None = Field(None, max_length=MAX_TEXT)
    predicate: str | None = Field(None, max_length=MAX_TEXT)
    object: str | None = Field(None, max_length=MAX_TEXT)
    entities: list[str] = Field(default_factory=list, max_length=1000)
    producer: Literal["user", "document", "inference", "unknown"] = "unknown"
    valid_from: str | None = Field(None, max_length=40, description="RFC 3339 with an offset")
    valid_to: str | None = Field(None, max_length=40, description="RFC 3339 with an offset")
    tags: list[str] = Field(default_factory=list, max_length=1000)
    meta: dict[str, Any] | None = None

    @property
    def says(self) -> dict[str, Any]:
        """What is said of the fact itself."""
        return {name: value for name, value in self.dict(exclude={"run", *self.signs}).items() if value}


class EdgeIn(_Signed):
    """That one fact updates, extends, derives from or contradicts another: `from` is the newer one."""

    newer: str = Field(..., alias="from", min_length=1, max_length=MAX_IDENTIFIER)
    relation: Literal["updates", "extends", "derives", "contradicts"]
    older: str = Field(..., alias="to", min_length=1, max_length=MAX_IDENTIFIER)
    note: str = Field("", max_length=MAX_TEXT)


class EventIn(_Said):
    """What happened to a fact: it was said again, found right or wrong elsewhere, read, or put in a prompt."""

    kind: Literal[EVENTS]  # type: ignore[valid-type]
    fact: str = Field(..., min_length=1, max_length=MAX_IDENTIFIER)
    note: str = Field("", max_length=MAX_TEXT)


class FlagIn(_Said):
    """Why a fact is wrong."""

    note: str = Field("", max_length=MAX_TEXT)


class ForgetIn(_Said):
    """Why a fact is to be forgotten: it is kept with what is done, and shown to the person who is asked."""

    reason: str = Field("", max_length=MAX_TEXT)


class FeedbackIn(_Said):
    """What came of using `facts`, by their `outcome`; or of a `search` as a whole, by what of it was `used`."""

    facts: list[str] = Field(default_factory=list, max_length=200)
    outcome: Literal["helpful", "unhelpful", "corrected", "ignored"] | None = None
    search: _Name | None = Field(None, description="the id of a search of yours within a day, in the place of `facts`")
    used: list[str] | None = Field(None, max_length=MOST, description="what of it the answer rests on, possibly none")
    confirmed: bool = False
    signals: dict[Literal[CHANNELS], _Share] = Field(default_factory=dict)  # type: ignore[valid-type]
    note: str = Field("", max_length=MAX_TEXT)


class ListIn(Schema):
    """Which facts, and which page of them."""

    after: str | None = Field(None, max_length=MAX_IDENTIFIER, description="the `next` of the page before")
    size: int = Field(50, ge=1, le=200)
    source: str | None = Field(None, max_length=MAX_IDENTIFIER)
    entity: str | None = Field(None, max_length=MAX_IDENTIFIER)
    band: Literal[BANDS] | None = None  # type: ignore[valid-type]
    flag: Literal[FLAGS] | None = None  # type: ignore[valid-type]


class SearchIn(Schema):
    """What is looked for, and in which order it comes."""

    q: str = Field(..., min_length=1, max_length=2000)
    limit: int = Field(10, ge=1, le=MOST)
    order: Literal["trust", "freshness"] = "trust"
    history: bool = Field(False, description="claims that others replaced as well, behind what holds")
    run: _Run | None = None
