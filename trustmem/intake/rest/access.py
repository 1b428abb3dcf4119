"""Who asks: a token and nothing else. A session of the desk opens nothing here, nor does a token open the desk."""

from typing import Any

from django.http import HttpRequest
from ninja.security import HttpBearer

from trustmem.actions import speakers, tokens
from trustmem.actions.speakers import Speaker
from trustmem.core.instants import MICROSECONDS_PER_SECOND
from trustmem.intake import limits
from trustmem.intake.clock import clock
from trustmem.intake.rest.problems import Problem
from trustmem.store.models import Token


class Bearer(HttpBearer):
    """`Authorization: Bearer tm_…`; `scope` is what the route needs. In an address no token is read."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        now = clock()
        found = tokens.who(token, now=now)
        if found is None:
            raise Problem(401, "this is no token of this desk, or it has ended")
        if self.scope not in found.scopes:
            raise Problem(403, f'this token has not the scope "{self.scope}"')
        wait = limits.to_wait(found, self.scope, now // MICROSECONDS_PER_SECOND)
        if wait:
            raise Problem(429, limits.sentence(self.scope), retry_after=wait)
        return found


#: What the routes need, by scope.
READ, WRITE, FEEDBACK, IMPORT = (Bearer(scope) for scope in tokens.SCOPES)


def speaker(request: Any, run: str | None = None) -> Speaker:
    """Who speaks, in the run that they say."""
    token: Token = request.auth
    why = speakers.why_not(run, token.source) if run else ""
    if why:
        raise Problem(422, f'"run" {why}', "run")
    return Speaker(token.space, token.source, run or "", reports=FEEDBACK.scope in token.scopes)
