"""The smallest parts of pages, as filters that every template has."""

from django import template

from trustmem.desk import components

register = template.Library()

for part in (components.band, components.flag, components.marked, components.when):
    register.filter(part.__name__, part)
