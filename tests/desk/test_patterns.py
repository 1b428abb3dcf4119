"""The kit is shown whole on one page, to those who build pages."""

import re

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from tests.desk.conftest import ClientOf
from trustmem.core.vocabulary import BANDS, STATES
from trustmem.desk import words
from trustmem.desk.templatetags.desk import register
from trustmem.store.models import User

pytestmark = pytest.mark.django_db

(TEMPLATES,) = settings.TEMPLATES[0]["DIRS"]
COMPONENTS = sorted(path.name for path in (TEMPLATES / "components").glob("*.html"))
SOURCE = (TEMPLATES / "patterns" / "patterns.html").read_text(encoding="utf-8")


@pytest.fixture
def client(owner: User, client_of: ClientOf, settings) -> Client:
    settings.DEBUG = True
    return client_of(owner)


def test_it_is_there_only_where_people_build_pages(client, settings):
    settings.DEBUG = False
    assert client.get(reverse("patterns")).status_code == 404


def test_every_component_is_shown(client):
    used = {template.name for template in client.get(reverse("patterns")).templates}
    assert [name for name in COMPONENTS if f"components/{name}" not in used] == []


def test_every_filter_is_shown():
    assert [name for name in register.filters if not re.search(rf"\|{name}\b", SOURCE)] == []


def test_every_band_flag_and_state_is_shown(client):
    shown = client.get(reverse("patterns")).text
    assert [
        name
        for name in (*BANDS, *words.OF_FLAGS, *STATES[1:])
        if f">{words.word(name)}<" not in shown.replace("</svg>", ">")
    ] == []


def test_every_part_has_a_heading_and_a_line_about_what_it_is_for(client):
    sections = re.findall(
        r"<(?:section|figure).*?</(?:section|figure)>", client.get(reverse("patterns")).text, re.DOTALL
    )
    assert len(sections) > 12
    assert [part[:200] for part in sections if not re.search(r"<h2.*?</h2>\s*<p class=\"soft\">\w", part)] == []


def test_texts_of_users_are_shown_as_they_are(client):
    shown = client.get(reverse("patterns")).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert '<span class="hidden-mark">&lt;U+202E&gt;</span>' in shown


def test_its_figure_is_drawn_from_the_same_address(client):
    assert len(client.get(reverse("patterns") + "?figure").json()["data"]) == len(BANDS)
