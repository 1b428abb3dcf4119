"""Agents with tokens who ask over HTTP, and whose every answer is held against the schema of the door."""

import json
import re
from functools import lru_cache
from typing import Any

from django.test import Client
from jsonschema import Draft202012Validator

from tests.actions.world import LATER
from trustmem.actions import tokens
from trustmem.intake.rest.api import api

API = "/api/v1"


def token_of(space, source="bot", scopes=tokens.SCOPES, **values):
    return tokens.issue(space, source, scopes, by="ana", now=LATER, **values)[1]


class Agent:
    """Somebody with a token ('': none)."""

    def __init__(self, token: str) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {token}"} if token else {})

    def get(self, path, **query):
        return as_said("get", path, self.client.get(API + path, query))

    def post(self, path, body, **headers):
        raw = body if isinstance(body, str) else json.dumps(body)
        return as_said(
            "post", path, self.client.post(API + path, raw, content_type="application/json", headers=headers)
        )

    def delete(self, path, body=None, **headers):
        raw = body if isinstance(body, str) else "" if body is None else json.dumps(body)
        return as_said("delete", path, self.client.delete(API + path, raw, "application/json", headers=headers))

    def send(self, *lines, **headers):
        """Lines of an interchange file, as they are or as JSON."""
        raw = b"\n".join(each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines)
        sent = self.client.post(f"{API}/bulk", raw, content_type="application/x-ndjson", headers=headers)
        return as_said("post", "/bulk", sent)


def told(response) -> list[Any]:
    """The lines of an answer."""
    assert response["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]


def problem(response, status):
    """What went wrong, as RFC 9457 has it."""
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")
    said = response.json()
    assert said["status"] == status
    return said["detail"]


def as_said(method, path, response):
    """The response, which is as the schema says, where that knows of the address."""
    operation = _operation(method, path.partition("?")[0])
    if operation is None:
        return response
    said = operation["responses"].get(str(response.status_code))
    assert said is not None, f"{method} {path} answered {response.status_code}"
    kind = response["Content-Type"]
    assert kind in said["content"], f"{method} {path} answered {response.status_code} as {kind}"
    if response.streaming:
        response.streaming_content = lines = list(response.streaming_content)
        value = [json.loads(line) for line in b"".join(lines).splitlines()]
    else:
        value = response.json()
    _validator(json.dumps(said["content"][kind]["schema"])).validate(value)
    return response


@lru_cache
def schema() -> Any:
    return json.loads(json.dumps(api.get_openapi_schema()))


def _operation(method, path):
    for pattern, methods in schema()["paths"].items():
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^?]+", re.escape(pattern)), API + path):
            return methods.get(method)
    return None


@lru_cache
def _validator(of: str) -> Draft202012Validator:
    return Draft202012Validator({**json.loads(of), "components": schema()["components"]})
