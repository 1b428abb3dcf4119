"""What holds for every page, in both themes: nothing shuts anybody out, nothing runs that is a text, nothing spills."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.e2e import addresses
from tests.e2e.conftest import PATIENCE, Desk, NewPage, come_in, opened, press
from tests.e2e.nasty import SCRIPTS

#: By theme, what axe looks for: in the second only what a theme changes.
THEMES = {"light": {}, "dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}
#: What takes longest is done in so many parts, which share the processors.
_PARTS = 4


def test_every_address_of_the_desk_is_looked_at() -> None:
    assert addresses.names() == addresses.NO_PAGE | addresses.ELSEWHERE | addresses.LOOKED_AT


@pytest.fixture(scope="module")
def reports(desk: Desk, signed_in: object, browser: Browser) -> list[str]:
    """The pages of the imports there are, what the log has of them, and the cases."""
    context = browser.new_context(base_url=desk.address, storage_state=signed_in)  # type: ignore[arg-type]
    page = context.new_page()
    found = []
    for space in ("demo", "nasty"):
        page.goto(f"/spaces/{space}/imports/")
        found += [each.get_attribute("href") for each in page.locator("main a[href*='/imports/import:']").all()[-1:]]
        page.goto(f"/spaces/{space}/log/?what=imports")
        found += [each.get_attribute("href") for each in page.locator("main a[href*='/log/entries/']").all()[-1:]]
    for queue in ("demo/review/", "nasty/review/?kind=bulk+change", "nasty/review/?kind=contradiction"):
        page.goto(f"/spaces/{queue}")
        found += [each.get_attribute("href") for each in page.locator("main a[href*='/cases/']").all()[:2]]
    context.close()
    assert len(found) == 10
    return found


@pytest.mark.parametrize("part", range(_PARTS))
def test_axe_finds_nothing(new_page: NewPage, reports: list[str], part: int) -> None:
    page = new_page()
    found = []
    for path in [*addresses.pages(), *addresses.nasty_facts()[-6:], *reports][part::_PARTS]:
        page.goto(path)
        found += violations(page)
    assert not found, "\n".join(found)


def test_axe_finds_nothing_at_the_door(browser: Browser, desk: Desk) -> None:
    context = browser.new_context(base_url=desk.address)
    page = context.new_page()
    found = []
    for path in ("/sign-in/", "/enter/MQ/used-up/"):
        page.goto(path)
        found += violations(page)
    context.close()
    assert not found, "\n".join(found)


def test_axe_finds_nothing_in_the_kit(browser: Browser, tmp_path: Path) -> None:
    with opened(tmp_path / "home", DEBUG="1") as desk:
        context = browser.new_context(base_url=desk.address)
        page = context.new_page()
        come_in(page, desk)
        page.goto("/patterns/")
        found = violations(page)
        context.close()
    assert not found, "\n".join(found)


def violations(page: Page) -> list[str]:
    """What axe says of a page in each theme, with all that is folded away in it."""
    see_all(page)
    open_all(page)
    return [each for theme in THEMES for each in _violations(page, theme)]


def _violations(page: Page, theme: str) -> Iterator[str]:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    for each in Axe().run(page, options={"resultTypes": ["violations"], **THEMES[theme]}).response["violations"]:
        for node in each["nodes"]:
            yield f"{page.url} in {theme}, {each['id']}: {node['html'][:200]}"


def see_all(page: Page) -> None:
    """Scroll to every figure and wait until it stands, or says that it cannot."""
    for plot in page.locator(".plot[data-src]").all():
        plot.scroll_into_view_if_needed()
        expect(plot).to_have_attribute("data-drawn", re.compile("true|failed"), timeout=PATIENCE)


def open_all(page: Page) -> None:
    """What is folded away is looked at, too."""
    page.evaluate("document.querySelectorAll('details:not(.act)').forEach(each => { each.open = true })")


def test_no_text_runs_and_every_text_is_shown_as_it_stands(new_page: NewPage, reports: list[str]) -> None:
    page = new_page()
    amiss: list[str] = []
    page.on("dialog", lambda dialog: (amiss.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda message: amiss.extend(_of_policy(message)))
    page.on("pageerror", lambda error: amiss.append(f"error: {error}"))
    paths = [*addresses.nasty_facts(), "/spaces/nasty/", "/spaces/nasty/facts/", "/spaces/nasty/imports/"]
    paths += ["/spaces/nasty/log/", *reports]
    for path in [*paths, *addresses.errors()]:
        page.goto(path)
        see_all(page)
        open_all(page)
        assert page.locator(".plot[data-drawn='failed']").count() == 0
        if not page.title().endswith(" · trustmem"):
            amiss.append(f"{path} has the title {page.title()}")
    assert not amiss, "\n".join(amiss)


def _of_policy(message: ConsoleMessage) -> Iterator[str]:
    """What the policy of the page had to stop."""
    if message.type == "error" and "status of 4" not in message.text:
        yield f"{message.location['url']}: {message.text}"


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_a_script_in_a_fact_is_read_letter_by_letter(new_page: NewPage, number: int) -> None:
    page = new_page()
    page.goto(f"/spaces/nasty/facts/nasty-{number}/")
    assert page.get_by_role("heading", level=1).inner_text() == SCRIPTS[number]


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_no_page_is_wider_than_its_window(new_page: NewPage, reports: list[str], width: int) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    wide = []
    for path in [*addresses.pages(), *addresses.nasty_facts()[len(SCRIPTS) :], *reports]:
        page.goto(path)
        open_all(page)
        taken = page.evaluate("document.documentElement.scrollWidth")
        if taken > width:
            wide.append(f"{path}: {taken}")
    assert not wide, "\n".join(wide)


def test_short_forms_end_between_perceived_characters(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/spaces/nasty/facts/")
    assert "\ufffd" not in page.locator("main").inner_text()


def test_085_going_back_and_forward_never_shows_a_bare_part(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/spaces/demo/facts/")
    flags = ["superseded", "disputed", "stale", "uncertain", "settled"]
    for flag in flags * 3:
        page.get_by_label("Flag").select_option(flag)
        page.locator(".chip", has_text=flag).first.wait_for()
    for move in (page.go_back, page.go_forward):
        for _ in flags * 3:
            move()
            page.locator("header.side").wait_for()
            assert page.locator("html > body > .shell").count() == 1
    page.reload()
    assert page.locator("#found").count() == 1


def test_083_pressing_a_button_twice_is_one_act(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/spaces/demo/facts/label-printer/")
    before = page.locator("#history", has_text="accepted").count()
    press(page, "a")
    page.locator("details.act[open] form button").dblclick()
    page.get_by_role("status").first.wait_for()
    accepted = page.locator("#history li p", has_text="accepted it").all_inner_texts()
    assert len(accepted) == before + 1
