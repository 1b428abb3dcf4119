"""Does trust predict truth, in a browser: a sample is drawn and decided by keyboard, and stands in figures."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Desk, press, visitor
from tests.e2e.test_every_page import see_all, violations

TRUTH = "/spaces/demo/calibration/truth/"


@pytest.fixture
def page(browser: Browser, demo: Desk) -> Iterator[Page]:
    yield from visitor(browser, demo)


@pytest.fixture
def unscripted(browser: Browser, demo: Desk) -> Iterator[Page]:
    yield from visitor(browser, demo, java_script_enabled=False)


def test_a_sample_is_drawn_three_are_decided_by_keyboard_and_stand_in_the_diagrams(page: Page) -> None:
    page.goto(TRUTH)
    expect(page.get_by_role("heading", name="No outcome yet")).to_be_visible()
    page.get_by_role("button", name="Draw a calibration sample").focus()
    press(page, "Enter")
    page.wait_for_url("**/review/?kind=calibration+sample")
    expect(page.get_by_role("status").first).to_contain_text("A calibration sample is drawn")
    expect(page.get_by_role("heading", name="Open cases")).to_have_text("Open cases: 20")
    press(page, "n")
    page.wait_for_url("**/cases/**")
    for number, key in enumerate("112"):  # it holds, it holds, forget it
        press(page, key, "Enter")
        expect(page.locator(".case-progress")).to_contain_text(re.compile(rf"^\s*{number + 2} of "))
    page.goto(TRUTH)
    page.get_by_role("button", name="Collect now").press("Enter")
    expect(page.locator(".tally").first).to_have_text(re.compile(r"2\s+right\s+1\s+wrong\s+3\s+of these drawn"))
    see_all(page)
    assert page.locator(".plot[data-drawn='failed']").count() == 0
    assert page.locator("#bands-plot .errorbar").count() == page.locator("#bands-plot .scatterlayer .point").count() > 0
    page.locator("summary", has_text="The numbers as a table").first.click()
    counts = page.locator("table[data-follows='bands-plot'] tbody td:nth-child(2)").all_inner_texts()
    assert sum(map(int, counts)) == 3
    expect(page.get_by_text("too few", exact=True)).to_be_visible()
    assert not violations(page)


def test_without_scripts_a_sample_is_drawn_and_what_was_found_is_read_off_tables(unscripted: Page) -> None:
    page = unscripted
    page.goto(TRUTH)
    page.get_by_label("How many facts").select_option("50")
    page.get_by_role("button", name="Draw a calibration sample").click()
    expect(page.get_by_role("heading", name="Open cases")).to_have_text("Open cases: 50")
    page.get_by_role("button", name="Undo").first.click()
    page.goto(TRUTH)
    page.get_by_role("link", name="Sources", exact=True).click()
    expect(page.get_by_role("row", name=re.compile("^planner "))).to_be_visible()
    page.get_by_role("link", name="planner", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("planner")
    page.get_by_role("link", name="Fit to verdicts").click()
    expect(page.get_by_role("button", name="Fit what is ticked")).to_be_disabled()
    expect(page.locator("#missing")).to_contain_text("more outcomes are needed: a fit takes 50")
