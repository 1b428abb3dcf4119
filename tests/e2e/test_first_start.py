"""From the first start to a decision about one fact; with the mouse, by keyboard alone, and without any script."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE, Desk, come_in, press


@pytest.fixture
def page(browser: Browser, fresh: Desk) -> Iterator[Page]:
    """A browser that was never here."""
    context = browser.new_context(base_url=fresh.address)
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()


def test_from_the_first_start_to_a_fact_that_is_accepted_forgotten_and_restored(page: Page, fresh: Desk) -> None:
    come_in(page, fresh)
    page.get_by_role("button", name="Try the demo").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("need")
    page.get_by_role("link", name="Facts", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Facts")
    page.get_by_label("Search").fill("cold room")
    claim = page.locator("tr a[data-stop]").first
    expect(page.locator("tr a[data-stop]")).not_to_have_count(50)
    said = claim.inner_text()
    claim.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(said)

    decide(page, "Accept", "I asked Jonas.")
    expect(page.get_by_role("status").first).to_contain_text("Accepted")
    expect(page.get_by_text("human: a person accepted it").first).to_be_visible()
    decide(page, "Forget…", "It was wrong after all.")
    expect(page.get_by_role("status").first).to_contain_text("Forgotten")
    expect(page.locator("#history")).to_contain_text("It was wrong after all.")
    decide(page, "Restore", "No, it was right.")
    expect(page.get_by_role("status").first).to_contain_text("Restored")
    expect(page.get_by_text("Forget…").first).to_be_visible()

    page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").first).to_contain_text("Undone")
    expect(page.get_by_text("Restore").first).to_be_visible()


def decide(page: Page, act: str, reason: str) -> None:
    opened = page.locator("details.act", has_text=act)
    opened.locator("summary").click()
    opened.get_by_label("Why").fill(reason)
    opened.locator("form button").click()


def test_the_same_by_keyboard_alone(page: Page, fresh: Desk) -> None:
    page.goto(fresh.link)
    expect(page.get_by_role("button", name="Come in")).to_be_focused()
    press(page, "Enter")
    arrive(page, "What does your agent believe")
    press(page, "d")
    arrive(page, "need")
    press(page, "g", "f")
    arrive(page, "Facts")
    press(page, "/")
    page.keyboard.type("cold room")
    expect(page.locator(".chip")).not_to_have_count(0)
    said = page.locator("tr a[data-stop]").first.inner_text()
    press(page, "Escape", "j", "Enter")
    arrive(page, said)

    for key, reason, done in (("a", "Seen.", "Accepted"), ("f", "Gone.", "Forgotten"), ("r", "Back.", "Restored")):
        press(page, key)
        page.keyboard.type(reason)
        press(page, "Tab", "Enter")
        expect(page.get_by_role("status").first).to_contain_text(done)
    press(page, "u")
    expect(page.get_by_role("status").first).to_contain_text("Undone")


def arrive(page: Page, heading: str) -> None:
    """Where that page has come, and its scripts with it."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(heading)
    page.wait_for_load_state()


def test_the_keys_of_a_page_are_shown_and_silent_where_somebody_writes(page: Page, fresh: Desk) -> None:
    come_in(page, fresh)
    page.get_by_role("button", name="Try the demo").click()
    arrive(page, "need")
    press(page, "?")
    expect(page.get_by_role("dialog")).to_contain_text("Facts")
    press(page, "Escape", "g", "f")
    arrive(page, "Facts")
    page.get_by_label("Search").focus()
    page.keyboard.type("g d?")
    expect(page.get_by_label("Search")).to_have_value("g d?")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_it_works_without_scripts(browser: Browser, fresh: Desk) -> None:
    context = browser.new_context(base_url=fresh.address, java_script_enabled=False)
    page = context.new_page()
    come_in(page, fresh)
    page.get_by_role("button", name="Try the demo").click()
    page.get_by_role("link", name="Facts", exact=True).click()
    page.get_by_label("Flag").select_option("disputed")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator(".chip").first).to_contain_text("disputed")
    page.get_by_role("link", name="Next").click()
    page.locator("tr a[data-stop]").first.click()
    decide(page, "Accept", "Seen.")
    expect(page.get_by_role("status").first).to_contain_text("Accepted")
    context.close()


def test_the_link_works_once(page: Page, fresh: Desk, browser: Browser) -> None:
    come_in(page, fresh)
    other = browser.new_context().new_page()
    other.goto(fresh.link)
    expect(other.get_by_role("heading", level=1)).to_contain_text("has been used")
    other.goto(f"{fresh.address}/spaces/")
    expect(other.get_by_role("heading", level=1)).to_have_text("Sign in")
    other.context.close()
