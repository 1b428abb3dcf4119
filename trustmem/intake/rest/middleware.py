"""What holds for every answer to agents: no cookie is read or set, and whatever is wrong is a problem in JSON."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from trustmem.intake.rest import problems

PREFIX = "/api/"


class Agents:
    """Stands before all that knows of sessions: who comes by a browser's cookie is nobody here."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponse]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(PREFIX):
            return self.answer(request)
        if "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
            return problems.answer(411, "say how long the body is: it is not read in chunks")
        request.COOKIES.clear()
        response = self.answer(request)
        response.cookies.clear()
        if response.status_code >= 400 and "json" not in response.get("Content-Type", ""):
            told = problems.answer(response.status_code, _WORDS.get(response.status_code, "the request failed"))
            if "Allow" in response:
                told["Allow"] = response["Allow"]
            return told
        return response


_WORDS = {
    400: "the request was not understood",
    404: "there is nothing at this address",
    405: "this address takes other methods",
    413: "the body is too long",
}
