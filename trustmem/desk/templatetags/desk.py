"""The smallest parts of pages, as filters that every template has."""

from django import template
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import CsrfTokenNode
from django.utils.safestring import SafeString

from trustmem.desk import clicks, components

register = template.Library()

for part in (components.band, components.flag, components.marked, components.told, components.when):
    register.filter(part.__name__, part)


class _FormNode(CsrfTokenNode):
    """What every form has: that it is of a page of ours, as Django has it, and what tells one click from another."""

    def render(self, context: Context) -> SafeString:
        return SafeString(super().render(context) + clicks.field())


@register.tag
def csrf_token(parser: Parser, token: Token) -> _FormNode:
    """In place of Django's own, so that no form can be without."""
    return _FormNode()
