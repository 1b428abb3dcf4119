"""The desk as an app of Django; it has no models."""

from django.apps import AppConfig
from django.utils.translation import gettext, ngettext

from trustmem.explanations import words


class DeskConfig(AppConfig):
    name = "trustmem.desk"

    def ready(self) -> None:
        words.speak(gettext, ngettext)
