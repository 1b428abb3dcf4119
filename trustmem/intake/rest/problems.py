"""What went wrong, as RFC 9457 has it: one sentence, and no part of the program in it."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse

CONTENT_TYPE = "application/problem+json"
#: What a status means, in two words.
TITLES = {
    400: "not understood",
    401: "no token",
    403: "not allowed",
    404: "not there",
    405: "not so",
    409: "in conflict",
    411: "of no length",
    413: "too long",
    415: "of another kind",
    422: "cannot be",
    429: "too often",
    500: "failed",
    503: "busy",
}


class Problem(Exception):
    """Why a request is answered by an error: a status, a sentence, and the field that it is about ('': none)."""

    def __init__(self, status: int, detail: str, field: str = "", *, retry_after: int = 0) -> None:
        super().__init__(detail)
        self.status, self.detail, self.field, self.retry_after = status, detail, field, retry_after


def answer(status: int, detail: str, field: str = "", *, retry_after: int = 0) -> HttpResponse:
    """The response of a problem."""
    told: dict[str, Any] = {"type": "about:blank", "title": TITLES.get(status, "failed"), "status": status}
    told |= {"detail": detail} | ({"field": field} if field else {})
    response = HttpResponse(json.dumps(told, ensure_ascii=False), content_type=CONTENT_TYPE, status=status)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if retry_after:
        response["Retry-After"] = str(retry_after)
    return response


def of(request: HttpRequest, problem: Problem) -> HttpResponse:
    return answer(problem.status, problem.detail, problem.field, retry_after=problem.retry_after)
