"""The calibration lab in a browser: a handle is dragged, bands change, a version is saved, adopted and undone; by
mouse, by keyboard alone, and without scripts."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from tests.e2e.conftest import NewPage, press

LAB = "/spaces/demo/calibration/"
CHANGED = re.compile(r"^[\d\u202f]+ of [\d\u202f]+ facts would change band\.")
TRIED = re.compile(r"c\.activation_midpoint=")


@pytest.fixture
def page(new_page: NewPage) -> Iterator[Page]:
    """Where no text runs, no script fails, and the policy of the page has nothing to stop."""
    page, amiss = new_page(), list[str]()
    page.on("dialog", lambda dialog: (amiss.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: amiss.append(str(error)))
    page.on("console", lambda said: amiss.extend([said.text] if _is_amiss(said) else []))
    page.add_init_script(
        "addEventListener('securitypolicyviolation', (event) => console.error(event.violatedDirective))"
    )
    yield page
    assert amiss == []


def _is_amiss(said: ConsoleMessage) -> bool:
    return said.type == "error" and "status of 4" not in said.text


def test_b0_is_dragged_bands_change_a_version_is_saved_and_undone(page: Page) -> None:
    counted(page)
    before = page.get_by_label("B0, the midpoint").input_value()
    curve = page.locator("#activation-plot .scatterlayer path.js-line").first.get_attribute("d")
    drag(page, by=-60)
    field = page.get_by_label("B0, the midpoint")
    assert float(field.input_value()) < float(before)
    expect(page.get_by_role("slider").first).to_have_attribute("aria-valuenow", field.input_value())
    expect(page.locator("#what-if strong").first).to_have_text(CHANGED)
    expect(page.locator("#activation-plot .scatterlayer path.js-line").first).not_to_have_attribute("d", curve or "")
    expect(page).to_have_url(re.compile(re.escape(f"c.activation_midpoint={field.input_value()}") + "$"))
    expect(page.locator("#heat-plot")).to_have_attribute("data-drawn", "true")
    looked_at(page)
    save(page, "These facts are old.")
    expect(page.get_by_text("In force from now on, as a new version.")).to_be_visible()
    expect(page.get_by_text("“These facts are old.”")).to_be_visible()
    expect(field).to_have_value(re.compile(r"^-2\.\d+|^-3"))
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone. It counts as if it had never been.")).to_be_visible()
    expect(field).to_have_value(before)


def test_the_same_by_keyboard_alone(page: Page) -> None:
    page.goto("/spaces/demo/")
    press(page, "g", "b")
    page.wait_for_url(f"**{LAB}")
    handle = page.get_by_role("slider", name="B0")
    expect(handle).to_be_visible()
    field = page.get_by_label("B0, the midpoint")
    before = float(field.input_value())
    tab_to(page, handle)
    for _ in range(4):
        press(page, "ArrowLeft")
    press(page, "PageDown")
    expect(field).to_have_value(f"{before - 0.7:.15g}")
    expect(handle).to_have_attribute("aria-valuetext", f"{before - 0.7:.2f}")
    press(page, "Escape")
    expect(field).to_have_value(f"{before:.15g}")
    for key, side in (("End", "right"), ("Home", "left")):
        press(page, key)
        expect(handle).not_to_have_class(re.compile("beyond"))
        ends = page.evaluate("[axis().left, axis().left + axis().width]")
        at = handle.evaluate("each => Number.parseFloat(each.style.left)")
        assert abs(at - ends[side == "right"]) < 1
    expect(page.locator("#what-if strong").first).to_have_text(CHANGED)
    tab_to(page, page.locator("#what-if").get_by_label("Why"))
    page.keyboard.type("All of it is fresh.")
    press(page, "Control+Enter")
    expect(page.get_by_text("In force from now on, as a new version.")).to_be_visible()
    press(page, "u")
    expect(page.get_by_text("Undone. It counts as if it had never been.")).to_be_visible()
    page.wait_for_load_state()
    assert float(field.input_value()) == before


def test_without_scripts_what_if_is_a_page_and_a_version_is_saved_by_forms(new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(LAB)
    before = page.get_by_label("B0, the midpoint").input_value()
    page.get_by_label("B0, the midpoint").fill("-3.5")
    page.get_by_role("button", name="Show what the constants below would do").click()
    assert page.url.endswith(f"{LAB}what-if/?c.activation_midpoint=-3.5")
    expect(page.locator("#what-if strong").first).to_have_text(CHANGED)
    page.get_by_text("Bands before and after as a table").click()
    expect(page.locator(".matrix")).to_be_visible()
    page.get_by_role("link", name=f"back to {before.replace('-', '−')}").click()
    expect(page.get_by_label("B0, the midpoint")).to_have_value(before)
    page.go_back()
    save(page, "They are older than one thinks.")
    expect(page.get_by_text("In force from now on, as a new version.")).to_be_visible()
    page.locator(".notice").get_by_role("button", name="Undo").click()
    expect(page.get_by_label("B0, the midpoint")).to_have_value(before)


def test_going_back_leads_to_what_was_tried_before(page: Page) -> None:
    page.goto(LAB)
    for value in ("-3", "-2"):
        page.get_by_label("B0, the midpoint").fill(value)
        expect(page).to_have_url(re.compile(f"c.activation_midpoint={value}$"))
        page.get_by_label("σ, the scale").focus()
    page.go_back()
    expect(page.get_by_label("B0, the midpoint")).to_have_value("-3")
    expect(page.locator("#what-if strong").first).to_have_text(CHANGED)
    page.get_by_role("link", name="all back to what is in force").click()
    expect(page).to_have_url(re.compile(f"{LAB}$"))


def test_a_fit_fills_the_fields_and_a_wrong_number_is_said_at_its_field(page: Page) -> None:
    page.goto(LAB)
    page.get_by_role("button", name="Fit by two ages").click()
    page.wait_for_url(TRIED)
    expect(page.locator("#what-if strong").first).to_have_text(re.compile("would change band"))
    scale = page.get_by_label("σ, the scale")
    scale.fill("0")
    says = page.get_by_text("This must lie from 0.05 to 10.")
    expect(says).to_be_visible()
    expect(scale).to_have_attribute("aria-invalid", "true")
    looked_at(page)
    scale.fill("1")
    expect(says).to_be_hidden()
    expect(page.locator("#what-if strong").first).to_have_text(re.compile("would change band"))


def test_a_figure_and_its_numbers_are_kept_as_files(page: Page, tmp_path: Path) -> None:
    counted(page)
    expect(page.locator("#activation-plot")).to_have_attribute("data-drawn", "true")
    begins = {"png": b"\x89PNG", "svg": b"<svg"}
    for kind, beginning in begins.items():
        with page.expect_download() as kept:
            page.locator(f"#bench [data-save={kind}]").first.click()
        assert kept.value.suggested_filename == f"activation.{kind}"
        assert Path(kept.value.path()).read_bytes().startswith(beginning)
    with page.expect_download() as kept:
        page.locator("#bench a[download]").first.click()
    assert Path(kept.value.path()).read_text("utf-8-sig").startswith("from,to,count")
    assert kept.value.suggested_filename == "activation.csv"
    with page.expect_download() as kept:
        page.locator("#bench [data-save=svg]").first.click()
    drawing = Path(kept.value.path()).read_text()
    assert "Activation B · demo" in drawing and re.search(r"\d+ facts: \d+ drawn, \d+ of unknown age", drawing)
    assert re.search(r"B0 −[\d.]+, σ [\d.]+", drawing)


def test_other_histograms_come_in_place_of_those_that_are_shown(page: Page) -> None:
    counted(page)
    page.get_by_label("Of which facts").select_option("tier")
    expect(page.locator("#spread figure")).not_to_have_count(1)
    page.get_by_label("What", exact=True).select_option("age")
    expect(page.get_by_label("Bins")).to_contain_text("logarithmic")
    for plot in page.locator("#spread .plot").all():
        plot.scroll_into_view_if_needed()
        expect(plot).to_have_attribute("data-drawn", "true")


def test_a_finger_drags_as_a_mouse_does(new_page: NewPage) -> None:
    page, amiss = new_page(has_touch=True, viewport={"width": 390, "height": 800}), list[str]()
    page.on("console", lambda said: amiss.extend([said.text] if _is_amiss(said) else []))
    page.goto(LAB)
    page.locator("#activation-plot").scroll_into_view_if_needed()
    handle = page.get_by_role("slider", name="B0")
    expect(handle).to_be_visible()
    handle.scroll_into_view_if_needed()
    assert handle.evaluate("each => getComputedStyle(each).touchAction") == "none"
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in (10, 20, 30):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x + step, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page).to_have_url(TRIED)
    expect(page.locator("#what-if strong").first).to_have_text(CHANGED)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    short = page.locator("#in-short")
    expect(short).to_have_text(CHANGED)
    page.get_by_label("B0, the midpoint").scroll_into_view_if_needed()
    expect(short).to_be_in_viewport()
    page.locator("#constants").scroll_into_view_if_needed()
    expect(short).to_be_in_viewport()
    short.get_by_role("link").click()
    expect(page.get_by_role("heading", name="What if")).to_be_in_viewport()
    assert amiss == []


def test_what_somebody_made_larger_to_write_in_does_not_stop_what_is_dragged(page: Page) -> None:
    counted(page)
    drag(page, by=-30)
    value = page.get_by_label("B0, the midpoint").input_value()
    expect(page).to_have_url(re.compile(re.escape(f"c.activation_midpoint={value}") + "$"))
    page.wait_for_load_state("networkidle")
    why = page.locator("#what-if").get_by_label("Why")
    why.scroll_into_view_if_needed()
    box = why.bounding_box()
    assert box
    x, y = box["x"] + box["width"] - 4, box["y"] + box["height"] - 4
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 40, steps=4)
    page.mouse.up()
    assert "height" in (why.get_attribute("style") or "")
    drag(page, by=-60)
    value = page.get_by_label("B0, the midpoint").input_value()
    expect(page).to_have_url(re.compile(re.escape(f"c.activation_midpoint={value}") + "$"))


def test_all_figures_are_drawn_before_a_page_is_printed(page: Page) -> None:
    page.goto(LAB)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for plot in page.locator(".plot[data-src]").all():
        expect(plot).to_have_attribute("data-drawn", "true")


def counted(page: Page) -> None:
    """The lab of the demo, once a worker has counted its histograms, for which the demo has asked."""
    page.goto(LAB)
    expect(page.get_by_text("Histograms counted")).to_be_visible()
    page.locator("#activation-plot").scroll_into_view_if_needed()
    expect(page.locator("#activation-plot .barlayer .point").first).to_be_attached()


def drag(page: Page, by: int) -> None:
    """B0, by so many pixels, in some steps."""
    handle = page.get_by_role("slider", name="B0")
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=8)
    page.mouse.up()


def save(page: Page, reason: str) -> None:
    page.locator("#what-if").get_by_label("Why").fill(reason)
    page.get_by_role("button", name="Put in force").click()


def tab_to(page: Page, place: Locator) -> None:
    """By the tabulator alone."""
    for _ in range(120):
        if place.evaluate("each => each === document.activeElement"):
            return
        press(page, "Tab")
    pytest.fail("the keyboard does not lead there")


def looked_at(page: Page) -> None:
    """Nobody is shut out, and nothing spills."""
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
