"""Not built yet."""

from typing import Any

from django.http import HttpResponse


def constants(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("settings.constants")


def members(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("settings.members")
