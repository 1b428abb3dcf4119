"""From a memory file of somebody's agent to one fact of it; by mouse, and by keyboard alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import PATIENCE, Desk, come_in, press

pytestmark = pytest.mark.realdata


@pytest.fixture
def page(browser: Browser, fresh: Desk) -> Iterator[Page]:
    """The owner, before any space is there."""
    context = browser.new_context(base_url=fresh.address)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    come_in(page, fresh)
    yield page
    context.close()


@pytest.fixture
def file(realdata: Path) -> Path:
    return realdata / "memstores/mcp-think-tank/memory.jsonl"


def test_from_a_file_to_one_of_its_facts(page: Page, file: Path) -> None:
    page.get_by_label("What is the space to be called?").fill("think-tank")
    page.get_by_role("button", name="Go on to the file").click()
    page.get_by_label("A memory file").set_input_files(file)
    page.get_by_role("button", name="See what it would become").click()
    page.get_by_role("heading", name="What it would become").wait_for()
    assert Axe().run(page).response["violations"] == []
    expect(page.get_by_role("heading", name="Some of the facts, from all over the file")).to_be_visible()
    expect(page.locator("#state .time li")).to_have_count(10)
    page.get_by_role("button", name="Import it").click()
    page.wait_for_url("**/imports/import:*/")

    expect(page.get_by_role("heading", level=1)).to_have_text("memory.jsonl")
    with page.expect_download() as download:
        page.locator("a[href$='report.json']").click()
    assert download.value.suggested_filename.endswith(".json")

    page.get_by_role("link", name="Facts", exact=True).click()
    claim = page.locator("tr a[data-stop]").first
    said = claim.inner_text().rstrip("…")
    claim.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(said[:100])
    expect(page.get_by_role("heading", name="Why")).to_be_visible()


def test_the_same_by_keyboard_alone(page: Page, file: Path) -> None:
    tab_to(page, "What is the space to be called?")
    press(page, "Control+a")
    page.keyboard.type("think-tank")
    press(page, "Enter")
    page.get_by_label("A memory file").wait_for()
    page.wait_for_load_state()
    tab_to(page, "A memory file")
    with page.expect_file_chooser() as chooser:
        page.get_by_label("A memory file").press("Enter")
    chooser.value.set_files(file)
    press(page, "Escape", "y")
    page.get_by_role("heading", name="What it would become").wait_for()
    press(page, "y")
    page.wait_for_url("**/imports/import:*/")
    press(page, "g", "f")
    page.locator("tr a[data-stop]").first.wait_for()
    press(page, "j", "Enter")
    expect(page.get_by_role("heading", name="Why")).to_be_visible()


def tab_to(page: Page, label: str) -> None:
    """Press Tab until a field has the focus."""
    field = page.get_by_label(label)
    for _ in range(40):
        if field.evaluate("each => each === document.activeElement"):
            return
        press(page, "Tab")
    pytest.fail(f"no Tab leads to “{label}”")


def test_a_file_that_is_none_of_ours_is_refused_in_one_sentence_and_nothing_is_kept(page: Page, tmp_path: Path) -> None:
    page.get_by_label("What is the space to be called?").fill("odd")
    page.get_by_role("button", name="Go on to the file").click()
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(1000))
    page.get_by_label("A memory file").set_input_files(picture)
    page.get_by_role("button", name="See what it would become").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    assert page.url.endswith("/imports/")
    page.get_by_role("link", name="Facts", exact=True).click()
    expect(page.get_by_text("There are no facts here yet")).to_be_visible()
