"""Versions of the constants in a browser: one is saved in the lab, found in the list, set against another,
gone back from, and that is undone; without scripts too."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Desk, press, visitor
from tests.e2e.test_every_page import violations

LAB, VERSIONS = "/spaces/demo/calibration/", "/spaces/demo/calibration/versions/"


@pytest.fixture
def page(browser: Browser, demo: Desk) -> Iterator[Page]:
    yield from visitor(browser, demo, permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture
def unscripted(browser: Browser, demo: Desk) -> Iterator[Page]:
    yield from visitor(browser, demo, java_script_enabled=False)


def test_a_version_is_saved_found_compared_gone_back_from_and_that_is_undone(page: Page) -> None:
    page.goto(LAB)
    page.get_by_label("B0, the midpoint").fill("-4")
    page.locator("#what-if").get_by_label("Why").fill("Our facts keep longer.")
    page.get_by_role("button", name="Put in force").click()
    expect(page.get_by_text("In force from now on, as a new version.")).to_be_visible()
    page.get_by_role("link", name="Versions", exact=True).click()
    newest = page.locator(".time > li").first
    expect(newest).to_contain_text(re.compile(r"Version 3\s+in force.*Our facts keep longer", re.DOTALL))
    expect(newest).to_contain_text(re.compile(r"\d+ live facts, \d+ changed band"))
    assert newest.locator(".mini-bands").count() == 2
    assert not violations(page)
    page.get_by_role("link", name="Version 1", exact=True).click()
    page.get_by_label("Set it against").select_option(label=page.locator("option", has_text="Version 3").inner_text())
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile(r"/versions/1/\?against=3#diff$"))
    row = page.get_by_role("row", name="activation_midpoint")
    expect(row).to_contain_text(re.compile(r"−4\s*→ −1\.7"))
    page.get_by_role("link", name="The other way round").click()
    page.wait_for_url(re.compile(r"/versions/3/\?against=1#diff$"))
    expect(row).to_contain_text(re.compile(r"−1\.7\s*→ −4"))
    assert not violations(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#fingerprint").inner_text() and len(copied) == 64
    page.goto(f"{VERSIONS}2/")
    fingerprint = page.locator("#fingerprint").inner_text()
    page.get_by_role("link", name="First see in the lab what they would do").click()
    expect(page.locator("#what-if strong").first).to_have_text(re.compile("would change band"))
    page.go_back()
    page.get_by_label("Why").fill("It told better before.")
    page.get_by_role("button", name="Roll back to version 2").click()
    page.wait_for_url(f"**{VERSIONS}")
    expect(newest).to_contain_text(re.compile(r"Version 4\s+in force.*It told better before", re.DOTALL))
    expect(newest).to_contain_text("A roll back to version 2.")
    expect(newest).to_contain_text(fingerprint[:12])
    press(page, "z")
    page.locator(".act[open]").get_by_label("Why").fill("No, it did not.")
    page.locator(".act[open]").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone. It counts as if it had never been.")).to_be_visible()
    expect(newest).to_contain_text(re.compile(r"Version 3\s+in force", re.DOTALL))
    page.goto(f"{VERSIONS}4/")
    expect(page.get_by_role("heading", name="It was undone")).to_be_visible()


def test_without_scripts_versions_are_compared_and_one_is_gone_back_to(unscripted: Page) -> None:
    page = unscripted
    page.goto(VERSIONS)
    page.get_by_role("link", name="Version 1", exact=True).click()
    page.get_by_label("Set it against").select_option(index=0)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="What differs from version 2")).to_be_visible()
    page.get_by_role("link", name="First see in the lab what they would do").click()
    expect(page.locator("#what-if strong").first).to_have_text(re.compile("would change band"))
    page.go_back()
    page.get_by_label("Why").fill("As all began.")
    page.get_by_role("button", name="Roll back to version 1").click()
    newest = page.locator(".time > li").first
    expect(newest).to_contain_text("A roll back to version 1.")
    newest.get_by_text("The numbers as a table").click()
    expect(newest.locator(".adopted tbody tr")).to_have_count(5)
    expect(page.get_by_text("uncalibrated")).to_be_visible()
