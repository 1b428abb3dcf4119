"""A pass from the button to its report, rolled back and brought back; by mouse, and by keyboard alone."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage, press
from tests.e2e.nasty import SCRIPTS

#: A report, and not the page of a job.
REPORT = re.compile(r"/passes/20[^/]+/$")


@pytest.fixture
def page(new_page: NewPage) -> Page:
    page = new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a text ran: {dialog.message}"))
    return page


def test_from_run_now_to_a_report_that_is_filtered_rolled_back_and_brought_back(page: Page) -> None:
    page.goto("/spaces/nasty/passes/")
    page.get_by_role("button", name="Run now").click()
    page.wait_for_url(REPORT)
    looked_at(page)
    rows = page.locator(".changes tbody tr")
    every = rows.count()
    expect(page.get_by_text(SCRIPTS[0]).first).to_be_visible()
    page.get_by_role("link", name="promoted").click()
    page.wait_for_url("**/?did=promoted")
    expect(page.locator(".chip[aria-current]")).to_contain_text("promoted")
    assert rows.count() < every
    page.get_by_text("Roll back…").click()
    page.get_by_label("Why").fill("too soon")
    page.get_by_role("button", name="Roll back", exact=True).click()
    expect(page.get_by_role("heading", name="This pass is rolled back")).to_be_visible()
    looked_at(page)
    page.get_by_role("button", name="Bring back").click()
    expect(page.get_by_text("Brought back: it counts again.")).to_be_visible()
    expect(rows).to_have_count(min(every, 50))


def test_the_same_by_keyboard_alone(page: Page) -> None:
    page.goto("/spaces/demo/")
    press(page, "g", "p")
    page.wait_for_url("**/passes/")
    press(page, "v")
    expect(page.get_by_role("heading", name="What a pass would do")).to_be_visible()
    looked_at(page)
    press(page, "y")
    page.wait_for_url(REPORT)
    press(page, "z")
    page.keyboard.type("too soon")
    press(page, "Control+Enter")
    expect(page.get_by_role("heading", name="This pass is rolled back")).to_be_visible()
    press(page, "y")
    expect(page.get_by_text("Brought back: it counts again.")).to_be_visible()


def looked_at(page: Page) -> None:
    """Nobody is shut out, and nothing spills."""
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
