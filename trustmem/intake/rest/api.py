"""The routes."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from ninja import Body, Query, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.parser import Parser

from trustmem.actions import agents, sending
from trustmem.actions.errors import Missing, Refusal, Unfit
from trustmem.actions.serving import Question
from trustmem.core.instants import to_text
from trustmem.core.scores import score
from trustmem.formats import strict_json
from trustmem.intake import answers, explained, fact, reports, shapes, unfit
from trustmem.intake.clock import clock
from trustmem.intake.rest import lines, problems
from trustmem.intake.rest.access import FEEDBACK, IMPORT, READ, WRITE, speaker
from trustmem.intake.rest.bodies import EdgeIn, EventIn, FactIn, FeedbackIn, FlagIn, ForgetIn, ListIn, SearchIn
from trustmem.intake.rest.documented import LINES_IN, Documented, by_lines
from trustmem.intake.rest.idempotency import HEADER, once
from trustmem.intake.rest.problems import Problem
from trustmem.intake.served import served
from trustmem.store import lists, queries
from trustmem.store.lists import Cursor, Filter, Sort
from trustmem.store.models import Pass, Space


class _Strict(Parser):
    """One loader of JSON at every entrance: no key twice, no NaN, no depth without end."""

    def parse_body(self, request: HttpRequest) -> Any:
        return strict_json.loads(request.body, max_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


api = Documented(
    parser=_Strict(),
    title="trustmem",
    version="1",
    description="What an agent remembers, scored: it proposes, uses and reports, and never certifies itself.",
    urls_namespace="rest",
    docs_url=None,
    openapi_url="/openapi.json",
)


def _answered(value: Any, status: int = 200) -> HttpResponse:
    return JsonResponse(value, status=status, json_dumps_params={"ensure_ascii": False})


_REMEMBERED = dict.fromkeys((200, 201, 409), answers.Remembered)
_SAID = dict.fromkeys((200, 201), answers.Said)


@api.post("/facts", auth=WRITE, summary="Remember something", tags=["facts"], response=_REMEMBERED)
def remember(request: HttpRequest, said: FactIn) -> HttpResponse:
    """Kept as a new fact, or as a touch of the one that it restates; refused where a person has forgotten it. What is
    signed is a fact of its own, and refused where the signature does not count."""

    def do() -> HttpResponse:
        told = agents.remember(speaker(request, said.run), said.says, now=clock(), **said.signs)
        status = {"new": 201, "refused": 409}.get(told.status, 200)
        return _answered(shapes.remembered(told), status)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.get("/facts", auth=READ, summary="List facts", tags=["facts"], response=answers.Page)
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


@api.get(
    "/facts/{path:id}", auth=READ, summary="One fact with its breakdown", tags=["facts"], response=explained.Explained
)
def show(request: HttpRequest, id: str) -> HttpResponse:
    """Its scores in full precision, its factors and why, its opinion, flags, chain and what would lift it."""
    return _answered(fact.explain(speaker(request).space, id, clock()))


_FORGOTTEN = dict.fromkeys((200, 202), answers.Forgotten)


@api.delete("/facts/{path:id}", auth=WRITE, summary="Have a fact forgotten", tags=["facts"], response=_FORGOTTEN)
def forget(request: HttpRequest, id: str, said: Body[ForgetIn | None] = None) -> HttpResponse:
    """A fact of your own that nobody vouches for is forgotten (200). Of any other a person is asked (202): it stays as
    it is until they decide that case."""
    _refuse_unknown(request)  # a reason in the address would look heard
    said = said or ForgetIn(reason="")

    def do() -> HttpResponse:
        speaks = speaker(request, said.run)
        told = agents.forget(speaks, fact.told(speaks.space, id).name, now=clock(), reason=said.reason)
        return _answered(shapes.forgotten(told), 200 if told.act else 202)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


#: By these headers a browser says that it only fetches what somebody might ask for: what is handed out goes on record,
#: and is not handed out before anybody asks.
_BEFORE_ANYBODY_ASKS = ("Sec-Purpose", "Purpose")


@api.get("/search", auth=READ, summary="What is known of something", tags=["search"], response=answers.Found)
def find(request: HttpRequest, asked: Query[SearchIn]) -> HttpResponse:
    """What holds, the most trusted and useful first; what nobody has reviewed beyond its share is `folded`."""
    _refuse_unknown(request, SearchIn)
    if any("prefetch" in request.headers.get(name, "") for name in _BEFORE_ANYBODY_ASKS):
        raise Problem(400, "nothing is fetched ahead here: ask when you want to know")
    question = Question(asked.q, asked.limit, asked.order, asked.history)
    return _answered(served(speaker(request, asked.run), question, now=clock()))


@api.post("/edges", auth=WRITE, summary="Relate two facts", tags=["facts"], response=_SAID)
def relate(request: HttpRequest, said: EdgeIn) -> HttpResponse:
    """`counts` is false where it waits for a person: it would harm what is vouched for better. What is signed and was
    said before is known (200)."""

    def do() -> HttpResponse:
        speaks = speaker(request, said.run)
        for name in (said.newer, said.older):
            fact.told(speaks.space, name)
        edge = said.newer, said.relation, said.older
        act, counts = agents.relate(speaks, *edge, now=clock(), note=said.note, **said.signs)
        return _answered(shapes.said(act, counts), 201 if act else 200)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.post(
    "/events", auth=WRITE, summary="Tell of what happened to a fact", tags=["facts"], response={201: answers.Said}
)
def tell(request: HttpRequest, said: EventIn) -> HttpResponse:
    """`counts` is false where it waits for a person. What was handed out in the run before is no evidence when it is
    said again."""

    def do() -> HttpResponse:
        speaks = speaker(request, said.run)
        name = fact.told(speaks.space, said.fact).name
        return _answered(shapes.said(*agents.tell(speaks, said.kind, name, now=clock(), note=said.note)), 201)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.post(
    "/flags/{path:id}", auth=WRITE, summary="Say that a fact is wrong", tags=["facts"], response={201: answers.Said}
)
def flag(request: HttpRequest, said: FlagIn, id: str) -> HttpResponse:
    """`counts` is false where it waits for a person."""

    def do() -> HttpResponse:
        speaks = speaker(request, said.run)
        act, counts = agents.flag(speaks, fact.told(speaks.space, id).name, now=clock(), note=said.note)
        return _answered(shapes.said(act, counts), 201)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.post(
    "/feedback", auth=FEEDBACK, summary="Say what came of using facts", tags=["feedback"], response={201: answers.Acted}
)
def feedback(request: HttpRequest, said: FeedbackIn) -> HttpResponse:
    """Of `facts`, what their `outcome` was; or of a `search` as a whole, which of its facts were `used`: these helped,
    and the rest was ignored. It makes facts easier or harder to retrieve, never truer; `confirmed` also speaks for
    them."""

    def do() -> HttpResponse:
        reported = reports.Reported(**said.dict(exclude={"run"}))
        return _answered({"act": reports.report(speaker(request, said.run), reported, now=clock())}, 201)

    return once(request, request.auth, clock(), do)  # type: ignore[attr-defined]


@api.post(
    "/bulk",
    auth=IMPORT,
    summary="Send many lines",
    tags=["lines"],
    response=answers.LineAnswer,
    openapi_extra=LINES_IN | by_lines(answers.LineAnswer),
)
def send(request: HttpRequest) -> StreamingHttpResponse:
    """Lines of an interchange file, of the types fact, edge, event and feedback, each answered by a line: it is new,
    known, refused, waiting for what it names, or rejected. Sent again they are known, so there is no key for that."""
    _refuse_unknown(request)
    if HEADER in request.headers:
        raise Problem(400, f'"{HEADER}" is for one request; lines that came before are known')
    speaks, given = speaker(request), lines.read(request)
    return lines.answer(map(shapes.line, sending.send(speaks, given, now=clock())))


@api.get(
    "/export",
    auth=READ,
    summary="All facts with their scores",
    tags=["lines"],
    response=answers.Exported,
    openapi_extra=by_lines(answers.Exported),
)
def export(request: HttpRequest) -> StreamingHttpResponse:
    """One fact a line, live and pruned ones, in the order in which they came."""
    _refuse_unknown(request)
    return lines.answer(lines.export(speaker(request).space, clock()))


@api.get("/passes", auth=READ, summary="The latest consolidation passes", tags=["space"], response=answers.Passes)
def passes(request: HttpRequest) -> HttpResponse:
    _refuse_unknown(request)
    found = Pass.objects.filter(space=speaker(request).space).order_by("-instant")[:50]
    return _answered({"passes": [{"at": to_text(each.instant), "void": each.void} for each in found]})


@api.get("/health", auth=None, summary="Whether the store answers", tags=["space"], response=answers.Health)
def health(request: HttpRequest) -> HttpResponse:
    _refuse_unknown(request)
    Space.objects.exists()
    return _answered({"status": "ok", "now": to_text(clock())})


def _refuse_unknown(request: HttpRequest, asked: type[Schema] | None = None) -> None:
    """A filter that is passed over would look applied."""
    known = asked.model_fields if asked else {}
    for name, values in request.GET.lists():
        if name not in known:
            raise Problem(400, f'"{name[:60]}" is no parameter here')
        if len(values) > 1:
            raise Problem(400, f'"{name[:60]}" is given {len(values)} times')


@api.exception_handler(Problem)
def _of_ours(request: HttpRequest, problem: Problem) -> HttpResponse:
    return problems.of(request, problem)


@api.exception_handler(Refusal)
def _refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    return problems.answer(409, str(refusal))


@api.exception_handler(Missing)
def _not_there(request: HttpRequest, missing: Missing) -> HttpResponse:
    return problems.answer(404, str(missing))


@api.exception_handler(Unfit)
def _unfit(request: HttpRequest, unfit: Unfit) -> HttpResponse:
    return problems.answer(422, str(unfit), unfit.field)


@api.exception_handler(AuthenticationError)
def _nobody(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    return problems.answer(401, "ask with a token: Authorization: Bearer tm_…")


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    field, sentence = unfit.why(error.errors[0], skip=2)  # "body", and what the route calls it
    return problems.answer(422, sentence, field)


@api.exception_handler(RequestDataTooBig)
def _too_long(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return problems.answer(413, f"the body is longer than {settings.DATA_UPLOAD_MAX_MEMORY_SIZE >> 20} MiB")


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
