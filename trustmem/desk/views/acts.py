"""Not built yet."""

from typing import Any

from django.http import HttpResponse


def accept(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("acts.accept")


def forget(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("acts.forget")


def correct(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("acts.correct")


def restore(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("acts.restore")


def undo(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("acts.undo")
