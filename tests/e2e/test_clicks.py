"""Case 083: a double click in a real browser is one click: with scripts, which send a form once, and without, where all
that is sent comes in."""

from time import sleep

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import NewPage

#: Seconds between the two clicks: quicker, a browser itself sends no more than the second.
_GAP = 0.05


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
@pytest.mark.parametrize(("act", "done"), [("Accept", "Accepted"), ("Forget", "Forgotten")])
def test_a_double_click_decides_once_and_undoes_once(new_page: NewPage, act: str, done: str, scripts: bool) -> None:
    page = new_page(java_script_enabled=scripts)
    page.goto("/spaces/demo/facts/sensor-door/")
    happened = page.locator("#history li").count()
    page.locator("summary", has_text=f"{act}…").click()
    double_click(page, page.get_by_role("button", name=f"{act} it"))
    assert_told_once(page, done, happened + 1)
    double_click(page, page.locator("main > .notice").get_by_role("button", name="Undo"))
    assert_told_once(page, "Undone", happened + 2)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_the_second_of_two_clicks_sends_nothing_from_the_page_that_came_of_the_first(
    new_page: NewPage, scripts: bool
) -> None:
    """That page has a button at the same place, which would take back what the first click did."""
    page = new_page(java_script_enabled=scripts)
    page.goto("/spaces/demo/facts/sensor-door/")
    happened = page.locator("#history li").count()
    page.locator("summary", has_text="Accept…").click()
    page.get_by_role("button", name="Accept it").click()
    undo = page.locator("main > .notice").get_by_role("button", name="Undo")
    undo.click(trial=True)
    time = page.context.new_cdp_session(page)
    time.send("Animation.enable")
    time.send("Animation.setPlaybackRate", {"playbackRate": 0.001})  # however busy the machine is
    box = undo.bounding_box()
    assert box
    for _ in range(2):
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(page.locator("main > .notice", has_text="Undone")).to_have_count(1)
        expect(page.locator("main > .notice").get_by_role("button", name="Undo")).to_be_visible()
    page.reload()
    expect(page.locator("#history li")).to_have_count(happened + 2)


def double_click(page: Page, button: Locator) -> None:
    button.click(trial=True)  # it can be by now
    box = button.bounding_box()
    assert box
    for _ in range(2):
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        sleep(_GAP)


def assert_told_once(page: Page, said: str, happened: int) -> None:
    """One notice stands on top, and says so; the history has so many lines."""
    expect(page.locator("main > .notice", has_text=said)).to_have_count(1)
    expect(page.locator("main > .notice:not([hidden])")).to_have_count(1)
    expect(page.locator("#history li")).to_have_count(happened)
