"""The queue is cleared in a real browser: by keyboard alone, by double clicks, by two at once, and without scripts.

Cases 065, 079, 083 and 085 are among these journeys.
"""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Desk, come_in, press, visitor
from tests.e2e.test_clicks import double_click
from tests.e2e.test_every_page import violations

REVIEW = "/spaces/demo/review/?kind=contradiction"
#: Keys of verdicts that take no words: keep left and right, both updates, neither, not a contradiction.
KEYS = "123460"
NEEDED = 20


@pytest.fixture
def page(browser: Browser, demo: Desk) -> Iterator[Page]:
    yield from visitor(browser, demo)


def begin(page: Page) -> None:
    page.goto(REVIEW)
    press(page, "n")
    page.wait_for_url("**/cases/**")


def decided(page: Page, number: int) -> None:
    """So many cases are decided, and the next stands there."""
    expect(page.locator(".case-progress")).to_contain_text(re.compile(rf"^\s*{number + 1} of "))


def decide(page: Page, key: str, number: int) -> None:
    """Two keys."""
    press(page, key, "Enter")
    decided(page, number)


def test_twenty_contradictions_are_decided_by_keyboard_alone_two_keys_each(page: Page) -> None:
    amiss: list[str] = []
    page.on("console", lambda message: amiss.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: amiss.append(str(error)))
    begin(page)
    total = int(page.locator(".case-progress small").first.inner_text().removeprefix("1 of "))
    waiting = int(page.locator("#open-cases").inner_text())
    for number in range(NEEDED):
        decide(page, KEYS[number % len(KEYS)], number + 1)
        expect(page.get_by_role("status").first).to_contain_text("Decided: ")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator("#open-cases")).to_have_text(str(waiting - NEEDED))
    page.locator(".trail summary").click()
    expect(page.locator(".trail li")).to_have_count(10)
    page.goto(REVIEW)
    expect(page.get_by_role("heading", name="Open cases")).to_have_text(f"Open cases: {total - NEEDED}")
    assert not amiss


def test_085_back_and_forward_through_fifteen_decisions_never_show_a_bare_part(page: Page) -> None:
    begin(page)
    for number in range(15):
        decide(page, "0", number + 1)
    for move in (page.go_back, page.go_forward):
        for _ in range(15):
            move()
            expect(page.locator("html > body > .shell > header.side")).to_have_count(1)
            expect(page.get_by_role("heading", level=1)).to_have_text("Which of these holds?")
            assert "/decide/" not in page.url
    page.reload()
    expect(page.locator(".claim-card")).to_have_count(2)


def test_083_a_double_click_on_a_verdict_decides_one_case(page: Page) -> None:
    begin(page)
    press(page, "1")
    double_click(page, page.get_by_role("button", name="Keep left"))
    decided(page, 1)
    page.locator(".trail summary").click()
    expect(page.locator(".trail li")).to_have_count(1)


def test_065_undo_names_what_it_takes_back_and_comes_back_to_that_case(page: Page) -> None:
    begin(page)
    first, here = page.locator(".beside-claim").first.inner_text(), page.url
    decide(page, "1", 1)
    press(page, "s")
    expect(page.get_by_role("status").first).to_contain_text("Skipped for now")
    press(page, "u")
    expect(page.get_by_role("status").first).to_contain_text("Taken up again: ")
    press(page, "u")
    panel = page.locator("details.act[open]")
    expect(panel.get_by_role("button").nth(0)).to_contain_text("Undo: keep left, ")
    expect(panel.get_by_role("button").nth(0)).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_role("status").first).to_contain_text("the case is open again")
    assert page.locator(".beside-claim").first.inner_text() == first
    assert page.url == here


def test_on_a_narrow_screen_both_claims_are_read_together_and_what_stands_behind_each_unfolds(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    begin(page)
    page.evaluate("document.querySelector('.claims').scrollIntoView()")
    for claim in page.locator(".beside-claim").all():
        expect(claim).to_be_in_viewport(ratio=1)
    rows, folds = page.locator(".claim-rows"), page.locator(".claim-more summary")
    expect(rows.first).to_be_hidden()
    folds.first.click()
    expect(rows.first).to_be_visible()
    expect(rows.last).to_be_hidden()
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(rows.last).to_be_visible()
    expect(folds.last).to_be_hidden()


def test_keys_are_silent_where_one_writes_and_a_reason_is_a_key_away(page: Page) -> None:
    begin(page)
    press(page, "1")
    page.keyboard.type("As 2 say, 0 deny?")
    expect(page.locator("details.act[open] input[name=reason]")).to_have_value("As 2 say, 0 deny?")
    expect(page.locator("#keys")).to_be_hidden()
    press(page, "Enter")
    decided(page, 1)
    press(page, "2", "Alt+1")
    decided(page, 2)
    press(page, "u")
    expect(page.get_by_role("status").first).to_contain_text("the case is open again")
    press(page, "?")
    expect(page.locator("#keys")).to_contain_text("keep left")
    expect(page.locator("#keys")).to_contain_text("snooze…")
    press(page, "Escape", "6", "Escape")
    expect(page.locator("details.act[open]")).to_have_count(0)
    expect(page.locator("summary[data-key='6']")).to_be_focused()


def test_079_of_two_who_decide_one_case_the_second_sees_what_happened_and_can_undo_it(page: Page) -> None:
    begin(page)
    other = page.context.new_page()
    other.goto(page.url)
    decide(other, "2", 1)
    press(page, "1", "Enter")
    expect(page.get_by_role("alert")).to_contain_text("somebody was first")
    assert "/decide/" not in page.url
    assert violations(page) == []
    page.get_by_role("button", name="Undo that and decide").click()
    expect(page.get_by_role("status").first).to_contain_text("the case is open again")
    decide(page, "1", 1)


def test_what_cannot_be_sent_can_be_sent_again(page: Page) -> None:
    begin(page)
    page.context.set_offline(True)
    press(page, "1", "Enter")
    expect(page.locator("#lost")).to_be_visible()
    page.context.set_offline(False)
    press(page, "Enter")
    decided(page, 1)


def test_without_scripts_each_step_is_a_page(browser: Browser, demo: Desk) -> None:
    context = browser.new_context(base_url=demo.address, java_script_enabled=False)
    page = context.new_page()
    come_in(page, demo)
    page.goto(REVIEW)
    page.get_by_role("button", name="Begin").click()
    for number in range(2):
        page.locator("summary", has_text="keep right").click()
        page.get_by_role("button", name="Keep right").click()
        decided(page, number + 1)
    page.locator("summary", has_text="snooze…").click()
    page.get_by_role("button", name="Tomorrow").click()
    expect(page.get_by_role("status").first).to_contain_text("Snoozed until")
    page.locator("summary", has_text="undo…").click()
    page.get_by_role("button", name="Take up again").click()
    expect(page.get_by_role("status").first).to_contain_text("Taken up again")
    context.close()
