"""The time slider: by keyboard alone, by links from change to change, and without scripts."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Desk, NewPage, press

PAGES = ("facts/cold-4/", "chains/cold-4/", "facts/?text=cold", "chains/")
THEN = re.compile(r"As of \d+ \w+ \d{4} \d\d:\d\d")


def instant(page: Page) -> str:
    found = re.search(r"as_of=([^&]+)", page.url)
    return found[1] if found else ""


@pytest.mark.parametrize("path", PAGES)
def test_the_slider_moves_by_arrows_keeps_the_keyboard_and_ends_at_now(new_page: NewPage, path: str) -> None:
    page = new_page()
    page.goto(f"/spaces/demo/{path}")
    press(page, "s")
    slider = page.locator("#as-of-slider")
    slider.focus()
    seen = []
    for _ in range(3):
        press(page, "ArrowLeft")
        page.wait_for_url(lambda url: "as_of=" in url and url not in seen)
        expect(page.locator(".then")).to_contain_text(THEN)
        expect(slider).to_be_focused()
        expect(page.locator(".htmx-added, .htmx-settling")).to_have_count(0)  # before that, no move does anything
        seen.append(page.url)
    assert [*seen] == sorted(seen, reverse=True)
    assert slider.get_attribute("aria-valuetext") in page.locator(".then").inner_text()
    press(page, "End")
    expect(page.locator(".then")).to_have_count(0)
    expect(slider).to_be_focused()
    assert instant(page) == ""


@pytest.mark.parametrize("path", PAGES)
def test_keys_lead_from_change_to_change_and_back_to_now(new_page: NewPage, path: str) -> None:
    page = new_page()
    page.goto(f"/spaces/demo/{path}")
    press(page, "s", "[")
    page.wait_for_url("**as_of=*")
    expect(page.locator(".then")).to_contain_text(THEN)
    last = instant(page)
    press(page, "[")
    page.wait_for_url(lambda url: last not in url)
    assert instant(page) < last
    press(page, "]")
    page.wait_for_url(f"**{last}**")
    page.go_back()
    page.locator("header.side").wait_for()
    press(page, "0")
    expect(page.locator(".then")).to_have_count(0)


@pytest.mark.parametrize("path", PAGES)
def test_without_scripts_there_are_a_field_and_links(
    browser: Browser, desk: Desk, signed_in: object, path: str
) -> None:
    context = browser.new_context(base_url=desk.address, storage_state=signed_in, java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"/spaces/demo/{path}")
    page.locator(".as-of > summary").click()
    expect(page.locator("#as-of-slider")).to_be_hidden()
    page.get_by_role("link", name="Change before").click()
    expect(page.locator(".then")).to_contain_text(THEN)
    page.locator("#id_as_of").fill("2020-01-01T12:00")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".then")).to_contain_text("As of 1 Jan 2020 12:00 UTC")
    page.get_by_role("link", name="Now").click()
    expect(page.locator(".then")).to_have_count(0)
    context.close()
