"""The routes."""

from typing import Any, Literal

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import NinjaAPI, Query, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.parser import Parser
from pydantic import ConfigDict, Field

from trustmem.actions import agents, serving
from trustmem.actions.errors import Refusal
from trustmem.actions.search import MOST, search
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.core.vocabulary import CHANNELS
from trustmem.explanations import stored
from trustmem.explanations.explanation import explanation
from trustmem.formats import strict_json
from trustmem.intake import shapes
from trustmem.intake.clock import clock
from trustmem.intake.rest import problems
from trustmem.intake.rest.access import FEEDBACK, READ, WRITE, speaker
from trustmem.intake.rest.idempotency import once
from trustmem.intake.rest.problems import Problem
from trustmem.store import lists, queries
from trustmem.store.lists import Cursor, Filter, Sort
from trustmem.store.models import Fact, Pass, Space
from trustmem.store.states import STANDING


class _Strict(Parser):
    """One loader of JSON at every entrance: no key twice, no NaN, no depth without end."""

    def parse_body(self, request: HttpRequest) -> Any:
        return strict_json.loads(request.body)


api = NinjaAPI(
    parser=_Strict(),
    title="trustmem",
    version="1",
    description="What an agent remembers, scored: it proposes, uses and reports, and never certifies itself.",
    urls_namespace="rest",
    docs_url=None,
    openapi_url="/openapi.json",
)
#: No id, no run, no page of a list is longer than this.
_NAME = 500
_Run = Field(None, max_length=_NAME, description="one sitting of yours; by default, your source and the day")


class _Said(Schema):
    """What nobody says is refused, not passed over: a field that is misspelt must not look heard."""

    model_config = ConfigDict(extra="forbid")

    run: str | None = _Run


class FactIn(_Said):
    """Something to remember. Who says it is the token's to say; when, the clock's; how well it is vouched for, nobody's
    but a person's or a key's."""

    text: str = Field(..., min_length=1, max_length=100_000)
    id: str | None = Field(None, min_length=1, max_length=_NAME, description="by default, one is made")
    subject: str | None = Field(None, max_length=100_000)
    predicate: str | None = Field(None, max_length=100_000)
    object: str | None = Field(None, max_length=100_000)
    entities: list[str] = Field(default_factory=list, max_length=1000)
    producer: Literal["user", "document", "inference", "unknown"] = "unknown"
    valid_from: str | None = Field(None, max_length=40, description="RFC 3339 with an offset")
    valid_to: str | None = Field(None, max_length=40)
    tags: list[str] = Field(default_factory=list, max_length=1000)
    meta: dict[str, Any] | None = None


class EdgeIn(_Said):
    """That one fact updates, extends, derives from or contradicts another: `from` is the newer one."""

    newer: str = Field(..., alias="from", min_length=1, max_length=_NAME)
    relation: Literal["updates", "extends", "derives", "contradicts"]
    older: str = Field(..., alias="to", min_length=1, max_length=_NAME)
    note: str = Field("", max_length=100_000)


class FlagIn(_Said):
    """Why a fact is wrong."""

    note: str = Field("", max_length=100_000)


class FeedbackIn(_Said):
    """What came of using facts: of a whole answer, all that it rests on."""

    facts: list[str] = Field(..., min_length=1, max_length=200)
    outcome: Literal["helpful", "unhelpful", "corrected", "ignored"]
    confirmed: bool = False
    signals: dict[Literal[CHANNELS], float] = Field(default_factory=dict)  # type: ignore[valid-type]
    note: str = Field("", max_length=100_000)


class ListIn(Schema):
    """Which facts, and which page of them."""

    after: str | None = Field(None, max_length=_NAME, description="the `next` of the page before")
    size: int = Field(50, ge=1, le=200)
    source: str | None = Field(None, max_length=_NAME)
    entity: str | None = Field(None, max_length=_NAME)
    band: str | None = Field(None, max_length=20)
    flag: str | None = Field(None, max_length=20)


class SearchIn(Schema):
    """What is looked for, and in which order it comes."""

    q: str = Field(..., min_length=1, max_length=2000)
    limit: int = Field(10, ge=1, le=MOST)
    order: Literal["trust", "freshness"] = "trust"
    history: bool = Field(False, description="claims that others replaced as well, behind what holds")
    run: str | None = _Run


def _answered(value: Any, status: int = 200) -> HttpResponse:
    return JsonResponse(value, status=status, json_dumps_params={"ensure_ascii": False})


@api.post(
    "/facts", auth=WRITE, summary="Remember something", tags=["facts"], response={201: dict, 200: dict, 409: dict}
)
def remember(request: HttpRequest, said: FactIn) -> HttpResponse:
    """Kept as a new fact, or as a touch of the one that it restates; refused where a person has forgotten it."""

    def do() -> HttpResponse:
        given = {name: value for name, value in said.dict().items() if value and name not in ("id", "run")}
        told = agents.remember(speaker(request, said.run), given, now=clock(), id=said.id)
        status = {"new": 201, "refused": 409}.get(told.status, 200)
        return _answered(shapes.remembered(told), status)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.get("/facts", auth=READ, summary="List facts", tags=["facts"], response=dict)
def list_facts(request: HttpRequest, asked: Query[ListIn]) -> HttpResponse:
    """Live facts, the most trusted first; `next` is where the following page begins."""
    _refuse_unknown(request, ListIn)
    space = speaker(request).space
    try:
        filter = Filter(source=asked.source, entity=asked.entity, band=asked.band, flag=asked.flag)
        page = lists.page(space, filter, Sort("trust"), Cursor.of(asked.after) if asked.after else None, asked.size)
    except ValueError as error:
        raise Problem(400, str(error)) from None
    now = clock()
    scores = score(queries.stored(space, [row.pk for row in page.rows]), now)
    told = {"now": to_text(now), "facts": shapes.listed(page.rows, scores)}
    return _answered(told | {"next": str(page.next) if page.next else None})


@api.get("/facts/{path:id}", auth=READ, summary="One fact with its breakdown", tags=["facts"], response=dict)
def show(request: HttpRequest, id: str) -> HttpResponse:
    """Its scores in full precision, its factors and why, its opinion, flags, chain and what would lift it."""
    space, now = speaker(request).space, clock()
    row = _fact(space, id)
    told = explanation(stored.memory(space, row.name, now), row.name)
    return _answered(told | {"constants_version": queries.version(space)})


@api.delete("/facts/{path:id}", auth=WRITE, summary="Forget a fact of your own", tags=["facts"], response=dict)
def forget(request: HttpRequest, id: str) -> HttpResponse:
    """Of what others said, or people vouch for, you say that it is wrong instead: `POST /flags/…`."""

    def do() -> HttpResponse:
        space = speaker(request).space
        row = _fact(space, id)
        if row.source != speaker(request).source or row.tier:
            raise Problem(403, f'the fact "{row.name}" is not yours alone to forget: flag it, and a person decides')
        return _answered({"act": agents.forget(speaker(request), row.name, now=clock())})

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.get("/search", auth=READ, summary="What is known of something", tags=["search"], response=dict)
def find(request: HttpRequest, asked: Query[SearchIn]) -> HttpResponse:
    """What holds, the most trusted and useful first; what nobody has reviewed beyond its share is `folded`."""
    _refuse_unknown(request, SearchIn)
    who, now = speaker(request, asked.run), clock()
    answer = search(who.space, asked.q, now=now, limit=asked.limit, order=asked.order, history=asked.history)
    if request.method == "GET" and "prefetch" not in request.headers.get("Sec-Purpose", ""):
        serving.note(who, serving.RECALLED, [hit.fact.name for hit in answer.hits], now=now)
    return _answered(shapes.found(answer, asked.limit))


@api.post("/edges", auth=WRITE, summary="Relate two facts", tags=["facts"], response={201: dict})
def relate(request: HttpRequest, said: EdgeIn) -> HttpResponse:
    """`counts` is false where it waits for a person: it would harm what is vouched for better."""

    def do() -> HttpResponse:
        speaks = speaker(request, said.run)
        for name in (said.newer, said.older):
            _fact(speaks.space, name)
        act, counts = agents.relate(speaks, said.newer, said.relation, said.older, now=clock(), note=said.note)
        return _answered({"act": act, "counts": counts}, 201)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.post("/flags/{path:id}", auth=WRITE, summary="Say that a fact is wrong", tags=["facts"], response={201: dict})
def flag(request: HttpRequest, said: FlagIn, id: str) -> HttpResponse:
    """`counts` is false where it waits for a person."""

    def do() -> HttpResponse:
        speaks = speaker(request, said.run)
        act, counts = agents.flag(speaks, _fact(speaks.space, id).name, now=clock(), note=said.note)
        return _answered({"act": act, "counts": counts}, 201)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.post("/feedback", auth=FEEDBACK, summary="Say what came of using facts", tags=["feedback"], response={201: dict})
def feedback(request: HttpRequest, said: FeedbackIn) -> HttpResponse:
    """It makes facts easier or harder to retrieve, never truer; `confirmed` also speaks for them."""

    def do() -> HttpResponse:
        speaks = speaker(request, said.run)
        names = [_fact(speaks.space, name).name for name in said.facts]
        values = {"signals": said.signals, "confirmed": said.confirmed, "note": said.note}
        return _answered({"act": agents.report(speaks, names, said.outcome, now=clock(), **values)}, 201)  # type: ignore[arg-type]

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.get("/passes", auth=READ, summary="The latest consolidation passes", tags=["space"], response=dict)
def passes(request: HttpRequest) -> HttpResponse:
    _refuse_unknown(request)
    found = Pass.objects.filter(space=speaker(request).space).order_by("-instant")[:50]
    return _answered({"passes": [{"at": to_text(each.instant), "void": each.void} for each in found]})


@api.get("/health", auth=None, summary="Whether the store answers", tags=["space"], response=dict)
def health(request: HttpRequest) -> HttpResponse:
    _refuse_unknown(request)
    Space.objects.exists()
    return _answered({"status": "ok", "now": to_text(clock())})


def _fact(space: Space, name: str) -> Fact:
    """A fact of a space that agents are told of. Raises Problem where there is none: of another space, of none, and of
    what was forgotten alike."""
    row = None if "\0" in name else Fact.objects.filter(space=space, name=name).first()
    if row is None or row.state not in STANDING.to_readers:
        raise Problem(404, "there is no such fact in this space")
    return row


def _refuse_unknown(request: HttpRequest, asked: type[Schema] | None = None) -> None:
    """A filter that is passed over would look applied."""
    known = asked.model_fields if asked else {}
    unknown = next((name for name in request.GET if name not in known), None)
    if unknown is not None:
        raise Problem(400, f'"{unknown[:60]}" is no parameter here')


@api.exception_handler(Problem)
def _of_ours(request: HttpRequest, problem: Problem) -> HttpResponse:
    return problems.of(request, problem)


@api.exception_handler(Refusal)
def _refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    return problems.answer(409, str(refusal))


@api.exception_handler(AuthenticationError)
def _nobody(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return problems.answer(401, "ask with a token: Authorization: Bearer tm_…")


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    first = error.errors[0] if error.errors else {}
    field = ".".join(str(each) for each in first.get("loc", ())[2:]) or str((first.get("loc") or ("",))[-1])
    return problems.answer(422, f"{field}: {first.get('msg', 'cannot be')}", field)


@api.exception_handler(HttpError)
def _http(request: HttpRequest, error: HttpError) -> HttpResponse:
    why = f"the body {error.__cause__}" if isinstance(error.__cause__, ValueError) else str(error)
    return problems.answer(error.status_code, why)


@api.exception_handler(DatabaseError)
def _busy(request: HttpRequest, error: DatabaseError) -> HttpResponse:
    return problems.answer(503, "the database cannot be asked now; try again", retry_after=5)


#: The addresses. Nobody signs in here: each asks for a token of its own.
routes = api.urls
for _route in routes[0]:
    _route.callback.login_required = False  # type: ignore[union-attr]
