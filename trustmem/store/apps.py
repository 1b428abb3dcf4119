"""The one app with models."""

from django.apps import AppConfig


class StoreConfig(AppConfig):
    name = "trustmem.store"
