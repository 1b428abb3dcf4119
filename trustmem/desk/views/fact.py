"""Not built yet."""

from typing import Any

from django.http import HttpResponse


def show(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("fact.show")


def freshness(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("fact.freshness")
