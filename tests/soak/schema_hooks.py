"""What schemathesis is to know of our door: how lines are written and read."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """Lines of JSON; what is none goes as it is."""
    if isinstance(value, list):
        return b"".join(json.dumps(each).encode() + b"\n" for each in value)
    return json.dumps(value).encode()


@schemathesis.deserializer("application/x-ndjson")
def values(context, response):
    return [json.loads(line) for line in response.content.splitlines()]
