"""The schema of the door: OpenAPI 3.1, which says of every answer what it is, be it a problem."""

from collections.abc import Iterator
from typing import Any

from ninja import NinjaAPI

from trustmem.actions.sending import SAYS
from trustmem.formats.fields import MAX_IDENTIFIER
from trustmem.intake.answers import Problem
from trustmem.intake.rest import problems
from trustmem.intake.rest.idempotency import HEADER, KEY, REPLAYED
from trustmem.intake.rest.lines import CONTENT_TYPE as LINES

_BODIES = {"post", "put", "patch", "delete"}
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_KEY = {
    "in": "header",
    "name": HEADER,
    "required": False,
    "schema": {"type": "string", "pattern": KEY.pattern},
    "description": "a request that comes again under its key has one effect, and the same answer, for 24 hours",
}
_REPLAYED = {REPLAYED: {"schema": {"const": "true"}, "description": "it was answered before, under the same key"}}
_RETRY = {"Retry-After": {"schema": {"type": "integer", "minimum": 1}, "description": "seconds"}}


class Documented(NinjaAPI):
    """What ninja says of the routes, and what holds for all of them."""

    def get_openapi_schema(self, **where: Any) -> Any:
        schema = super().get_openapi_schema(**where)
        for methods in schema["paths"].values():
            for method, operation in methods.items():
                _complete(method, operation)
        schema["components"]["schemas"]["Problem"] = Problem.model_json_schema(mode="serialization")
        schema["components"]["securitySchemes"] = {"Bearer": {"type": "http", "scheme": "bearer"}}
        return schema


def by_lines(answer: type[Any]) -> dict[str, Any]:
    """What is said of a route that answers by lines, each of them such an answer."""
    lines = {"type": "array", "items": {"$ref": f"#/components/schemas/{answer.__name__}"}, "description": _LINES}
    return {"responses": {200: {"content": {LINES: {"schema": lines}}}}}


_LINES = "one item a line, and no brackets"
#: Lines that are sent, as far as they are alike.
LINES_IN = {
    "requestBody": {
        "required": True,
        "content": {
            LINES: {
                "schema": {
                    "type": "array",
                    "description": f"{_LINES}: as an interchange file has them (docs/format.md)",
                    "items": {
                        "type": "object",
                        "properties": {
                            "type": {"enum": list(SAYS)},
                            "id": {"type": "string", "maxLength": MAX_IDENTIFIER},
                            "at": {"type": "string", "format": "date-time"},
                        },
                        "required": ["type", "id", "at"],
                    },
                }
            }
        },
    }
}


def _complete(method: str, operation: dict[str, Any]) -> None:
    operation["operationId"] = operation["operationId"].rpartition("_api_")[2]
    responses: dict[str, Any] = {str(status): said for status, said in operation["responses"].items()}
    takes_lines = LINES in operation.get("requestBody", {}).get("content", {})
    if method != "get" and not takes_lines:
        operation["parameters"] = [*operation["parameters"], _KEY]
    for told, said in responses.items():
        if LINES in said.get("content", {}):
            said["content"].pop("application/json", None)
        if method != "get" and not takes_lines and told.startswith("2"):
            said["headers"] = _REPLAYED
    for status in _problems(method, operation, takes_lines):
        said = responses.setdefault(str(status), {"description": problems.TITLES[status], "content": {}})
        said["content"][problems.CONTENT_TYPE] = {"schema": _PROBLEM}
        if status in (429, 503):
            said["headers"] = _RETRY
    operation["responses"] = dict(sorted(responses.items()))


def _problems(method: str, operation: dict[str, Any], takes_lines: bool) -> Iterator[int]:
    """With which problems a route can answer."""
    yield from (400, 503)
    if "security" in operation:
        yield from (401, 403, 429)
    if method in _BODIES:
        yield 413
    if takes_lines:
        yield from (411, 415)
    elif method != "get":
        yield from (409, 422)
    if any(each["in"] == "query" for each in operation["parameters"]):
        yield 422
    if any(each["in"] == "path" for each in operation["parameters"]) or operation["operationId"] in _NAMING:
        yield 404


#: What names facts in its body.
_NAMING = ("relate", "tell", "feedback")
