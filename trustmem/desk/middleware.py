"""What holds for every answer of the desk."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers

Answer = Callable[[HttpRequest], HttpResponse]


class VaryOnHtmx:
    """One address gives a page or a part of it: no cache may give one for the other, and none may keep what is private.

    Going back in a browser asks anew, so that it never shows a part without its page.
    """

    def __init__(self, answer: Answer) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.answer(request)
        patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request"])
        if "Cache-Control" not in response:
            patch_cache_control(response, private=True, no_store=True)
        return response
