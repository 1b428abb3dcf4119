"""Not built yet."""

from typing import Any

from django.http import HttpResponse


def show(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("dashboard.show")


def bands(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("dashboard.bands")
