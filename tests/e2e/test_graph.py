"""The graph: it moves and grows, the keyboard walks along ties, what is chosen is shown at once, and all of that works
without a mouse, and without scripts."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Desk, NewPage, press

AROUND = "/spaces/demo/graph/?fact=cold-4"


def places(page: Page) -> list[tuple[float, float]]:
    """Where the nodes stand on the screen, the one in the middle first."""
    found = page.locator("#graph .node .body").all()[::-1]
    boxes = [each.bounding_box() for each in found]
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]


def spread(page: Page) -> float:
    """How far apart the outermost nodes stand."""
    across = [x for x, _ in places(page)]
    return max(across) - min(across)


def settled(page: Page) -> None:
    """Until what was done is drawn, and stands in the address."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_timeout(350)


def at(page: Page) -> str:
    found = re.search("[?&]at=([^&]+)", page.url)
    return found[1].replace("%2C", ",") if found else ""


@pytest.fixture
def page(new_page: NewPage) -> Iterator[Page]:
    page = new_page(viewport={"width": 1280, "height": 1000})
    amiss: list[str] = []
    page.on("pageerror", lambda error: amiss.append(str(error)))
    page.on("console", lambda message: amiss.append(message.text) if message.type == "error" else None)
    page.goto(AROUND)
    yield page
    assert amiss == []


def test_the_picture_grows_by_keys_buttons_and_wheel_and_the_address_says_how_it_is(page: Page) -> None:
    before = spread(page)
    press(page, "+")
    settled(page)
    by_key = spread(page)
    page.get_by_role("button", name="Larger").click()
    settled(page)
    by_button = spread(page)
    page.locator("#graph").hover(position={"x": 300, "y": 300})
    page.mouse.wheel(0, -300)
    settled(page)
    assert before < by_key < by_button < spread(page)
    assert at(page)
    here = places(page)
    page.reload()
    settled(page)
    assert places(page) == pytest.approx([pytest.approx(each, abs=2) for each in here])
    press(page, "0")
    settled(page)
    assert (at(page), spread(page)) == ("", pytest.approx(before, abs=1))
    press(page, "-")
    settled(page)
    assert spread(page) < before


def test_what_lies_under_the_pointer_stays_there_as_it_grows(page: Page) -> None:
    (x, y), *_ = places(page)[2:]
    page.mouse.move(x, y)
    page.mouse.wheel(0, -400)
    settled(page)
    assert places(page)[2] == pytest.approx((x, y), abs=2)


def test_the_picture_moves_by_dragging_and_by_arrow_keys(page: Page) -> None:
    box = page.locator("#graph").bounding_box()
    assert box
    before = places(page)
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + 50, steps=5)
    page.mouse.up()
    settled(page)
    moved = places(page)
    assert [round(b[0] - a[0]) for a, b in zip(before, moved, strict=True)] == [60] * len(before)
    page.locator(".graph-scroll").focus()
    press(page, "ArrowRight")
    settled(page)
    assert places(page)[0][0] == pytest.approx(moved[0][0] - 60, abs=1)


def test_a_node_can_be_dragged_aside_and_that_is_no_click(page: Page) -> None:
    before = places(page)
    x, y = before[3]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 30, steps=5)
    page.mouse.up()
    settled(page)
    after = places(page)
    assert after[3] == pytest.approx((x + 40, y + 30), abs=2)
    assert after[0] == pytest.approx(before[0], abs=1)
    assert "fact=cold-4" in page.url


def test_the_keyboard_walks_from_node_to_node_along_ties_and_enter_puts_one_in_the_middle(page: Page) -> None:
    frame = page.locator(".graph-scroll")
    frame.focus()
    press(page, "Tab")
    here = page.locator("#graph .node:focus")
    expect(here).to_have_class(re.compile("centre"))
    walked = []
    for key in ("ArrowDown", "ArrowLeft", "ArrowUp"):
        one = here.get_attribute("data-node")
        before = places(page)[int(one or 0)]
        press(page, key)
        other = here.get_attribute("data-node")
        if one == other:
            continue
        after = places(page)[int(other or 0)]
        ahead = {"ArrowDown": after[1] > before[1], "ArrowUp": after[1] < before[1]}
        ahead |= {"ArrowLeft": after[0] < before[0], "ArrowRight": after[0] > before[0]}
        assert ahead[key]
        lines = page.locator(".tie[data-one]").all()
        ties = [(each.get_attribute("data-one"), each.get_attribute("data-other")) for each in lines]
        assert (one, other) in ties or (other, one) in ties
        walked.append(other)
    assert len(walked) >= 2
    expect(page.locator("[data-told]")).to_be_visible()
    says = here.get_attribute("aria-label")
    expect(page.locator("#graph .node[tabindex='0']")).to_have_count(1)
    press(page, "Enter")
    page.wait_for_url(lambda url: "fact=cold-4" not in url)
    expect(page.locator("#graph .centre")).to_have_count(1)
    quote = re.search("“(.*?)…?”", says or "")
    assert quote
    expect(page.get_by_role("heading", level=1)).to_contain_text(quote[1][:30])


def test_one_can_leave_the_picture_by_tab_from_any_node(page: Page) -> None:
    page.locator("#graph .node").nth(3).focus()
    press(page, "Tab")
    assert page.evaluate("document.activeElement.closest('#graph')") is None


def test_what_is_ticked_is_shown_at_once_and_the_keyboard_stays_where_it_was(page: Page) -> None:
    boxes = page.locator("#graph-filters input[name=ties]")
    many = page.locator("#graph .node").count()
    mention = page.get_by_role("checkbox", name=re.compile("^mention"))
    mention.focus()
    press(page, "Space")
    page.wait_for_url("**ties=updates*")
    expect(page.locator("#graph .tie.mention")).to_have_count(0)
    assert page.locator("#graph .node").count() < many
    expect(mention).to_be_focused()
    press(page, "Space")
    page.wait_for_url(lambda url: "ties" not in url)
    expect(page.locator("#graph .node")).to_have_count(many)
    assert boxes.count() == 9
    page.get_by_label("Steps away").select_option("2")
    page.wait_for_url("**depth=2**")
    expect(page.locator("#graph .node")).not_to_have_count(many)
    assert page.locator("#graph .node").count() > many
    before = spread(page)
    press(page, "Escape")
    page.get_by_role("button", name="Larger").click()
    settled(page)
    assert spread(page) > before
    page.go_back()
    expect(page.locator("#graph .node")).to_have_count(many)


def test_labels_do_not_stand_on_each_other_and_more_of_them_are_shown_as_it_grows(new_page: NewPage) -> None:
    page = new_page(viewport={"width": 1280, "height": 1000})
    page.goto("/spaces/demo/graph/?entity=The+cold+room&depth=2&most=100")
    shown = page.locator("#graph .node:not(.quiet) .label")
    before = shown.count()
    boxes = [box for each in shown.all() if (box := each.bounding_box())]
    assert [(a, b) for n, a in enumerate(boxes) for b in boxes[n + 1 :] if meet(a, b)] == []
    assert before >= 5
    hidden = page.locator("#graph .node.quiet").first
    expect(hidden.locator(".label")).to_be_hidden()
    hidden.focus()
    expect(hidden.locator(".label")).to_be_visible()
    press(page, "+")
    settled(page)
    share = page.locator("#graph .node:not(.quiet)").count()
    assert share > 0


def meet(one: dict, other: dict) -> bool:
    """Whether two boxes lie on each other, but for what halos of letters take."""
    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return across > 3 and down > 3


def test_two_fingers_make_it_larger(browser: Browser, desk: Desk, signed_in: object) -> None:
    options = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(base_url=desk.address, storage_state=signed_in, **options)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(AROUND)
    page.locator("#graph").scroll_into_view_if_needed()
    before = spread(page)
    box = page.locator("#graph").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = context.new_cdp_session(page)
    for kind, apart in (("touchStart", 30), ("touchMove", 60), ("touchMove", 90), ("touchMove", 120), ("touchEnd", 0)):
        fingers = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}] if apart else []
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})
    settled(page)
    assert spread(page) > 2 * before
    context.close()


def test_without_scripts_the_picture_the_list_and_the_filters_are_there(
    browser: Browser, desk: Desk, signed_in: object
) -> None:
    context = browser.new_context(base_url=desk.address, storage_state=signed_in, java_script_enabled=False)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(AROUND)
    expect(page.get_by_role("button", name="Larger")).to_be_hidden()
    many = page.locator("#graph .node").count()
    assert page.locator("tr[id^=node-]").count() == many > 3
    page.get_by_role("checkbox", name=re.compile("^mention")).uncheck()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("#graph .tie.mention")).to_have_count(0)
    page.locator("tr[id^=node-]").nth(1).get_by_role("link", name="put in the middle").click()
    assert "fact=cold-4&" not in page.url
    context.close()


def test_nothing_moves_by_itself_and_forced_colours_leave_everything_to_be_seen(new_page: NewPage) -> None:
    page = new_page(reduced_motion="reduce", forced_colors="active")
    page.goto(AROUND)
    drawn = page.locator("#graph .body, #graph-lines .tie").all()
    seen = [each.evaluate("each => getComputedStyle(each).stroke") for each in drawn]
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert len(seen) > 5
    assert background not in seen
