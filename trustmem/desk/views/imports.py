"""Not built yet."""

from typing import Any

from django.http import HttpResponse


def show(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("imports.show")


def job(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("imports.job")


def take(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("imports.take")


def discard(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("imports.discard")


def report(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("imports.report")


def download(request: Any, **named: Any) -> HttpResponse:
    return HttpResponse("imports.download")
