"""The queue in a browser: more of it is appended, going back shows whole pages, and much is decided or forgotten in few
clicks and comes back by one."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage, press

REVIEW = "/spaces/demo/review/"


@pytest.fixture
def page(new_page: NewPage) -> Iterator[Page]:
    page = new_page()
    page.goto(REVIEW)
    yield page


def left(page: Page) -> int:
    return int(re.sub(r"\D", "", page.locator(".tally b").inner_text()))


def test_more_is_appended_in_place_and_by_its_key(page: Page) -> None:
    rows = page.locator(".queue > li:has(.queued)")
    expect(rows).to_have_count(20)
    press(page, "m")
    expect(rows).not_to_have_count(20)
    assert page.url.endswith(REVIEW)
    names = [each.get_attribute("href") for each in page.locator(".queued").all()]
    assert len(names) == len(set(names))


def test_going_back_and_forward_shows_whole_pages(page: Page) -> None:
    for number in range(5):
        page.locator(".facet .chip").nth(number).click()
        page.locator("header.side").wait_for()
        page.locator(".queue .more a, .queued").first.click()
        page.locator("header.side").wait_for()
        page.goto(REVIEW)
    for move in (page.go_back, page.go_forward):
        for _ in range(15):
            move()
            page.locator("header.side").wait_for()
            expect(page.locator("html > body > .shell")).to_have_count(1)
    page.reload()
    expect(page.locator("html > body > .shell")).to_have_count(1)


def test_a_view_is_kept_and_goes(page: Page) -> None:
    page.get_by_role("link", name="challenge").first.click()
    page.get_by_text("Keep this view").click()
    page.get_by_label("Title").fill("What waits for a ruling")
    press(page, "Enter")
    kept = page.get_by_role("link", name="What waits for a ruling")
    expect(kept).to_have_attribute("aria-current", "true")
    page.goto(REVIEW)
    kept.click()
    expect(page).to_have_url(re.compile(r"\?kind=challenge$"))
    page.get_by_role("button", name="Delete this view").click()
    expect(kept).to_have_count(0)


def test_a_group_is_decided_in_three_clicks_and_comes_back_by_one(page: Page) -> None:
    before = left(page)
    page.get_by_role("link", name="Apply to all like this").first.click()
    expect(page.get_by_role("button", name="Decide all of them")).to_be_visible()
    expect(page.locator("main input:checked")).to_have_count(0)
    page.get_by_label("not a contradiction").check()
    page.get_by_role("button", name="Decide all of them").click()
    expect(page.get_by_role("status").first).to_contain_text("cases are decided.")
    assert left(page) < before
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").first).to_contain_text("Undone")
    assert left(page) == before


def test_the_facts_of_a_source_are_forgotten_in_three_clicks_and_come_back_by_one(page: Page) -> None:
    page.goto("/spaces/demo/facts/?order=rising")
    page.locator(".claim small a").first.click()
    title = page.locator("#found-title").inner_text()
    page.get_by_role("link", name="Forget all of this list").click()
    page.get_by_role("button", name="Forget them").click()
    expect(page.get_by_role("status").first).to_contain_text("forgotten")
    expect(page.locator("#found-title")).not_to_have_text(title)
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").first).to_contain_text("Undone")
    expect(page.locator("#found-title")).to_have_text(title, ignore_case=True)


def test_without_javascript_all_of_it_works_too(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(REVIEW)
    page.get_by_role("link", name="More", exact=True).click()
    expect(page.locator("header.side")).to_have_count(1)
    page.goto(REVIEW)
    page.get_by_role("button", name="Begin").click()
    expect(page).to_have_url(re.compile(r"/cases/[^/]*/\?upto=\d+$"))
