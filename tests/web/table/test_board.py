"""Zooming and scrolling the board by touch, mouse and buttons, and its size in the window."""

from __future__ import annotations

import pytest

from tests.web.browsing import until

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
LIT = "() => document.querySelectorAll('ow-board [role=button]').length > 1"
ZOOM = "() => document.querySelector('ow-board').zoom"


def box(page, query="ow-board svg"):
    return page.locator(query).first.bounding_box()


def fingers(page, kind, *points):
    """Send touch events to the browser."""
    touches = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    page.cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


@pytest.fixture
def phone(ada, begin, sit):
    """Ada's phone, with a board on which many elements can be selected."""
    page = sit(ada, begin(ada, "battalia", 3), **PHONE).page
    until(page, LIT)
    page.cdp = page.context.new_cdp_session(page)
    page.locator("ow-board").scroll_into_view_if_needed()
    return page


def spread(page, apart):
    """Pinch in the middle of the board. Returns the point between the fingers, relative to the board, before and after."""
    page.evaluate("document.querySelector('ow-board').scrollIntoView()")
    x, y = 170, 300
    under = "([x, y]) => { const box = document.querySelector('ow-board svg').getBoundingClientRect(); return [(x - box.x) / box.width, (y - box.y) / box.height] }"
    before = page.evaluate(under, [x, y])
    first, last = (20, apart) if apart > 20 else (120, 20)
    fingers(page, "touchStart", (x - first, y))
    fingers(page, "touchStart", (x - first, y), (x + first, y))
    for step in range(1, 9):
        far = first + (last - first) * step / 8
        fingers(page, "touchMove", (x - far, y), (x + far, y))
    fingers(page, "touchEnd")
    return before, page.evaluate(under, [x, y])


def drag(page):
    """Move one finger on the board up and to the left."""
    fingers(page, "touchStart", (250, 350))
    for step in range(1, 11):
        fingers(page, "touchMove", (250 - 15 * step, 350 - 15 * step))
    fingers(page, "touchEnd")


@pytest.mark.soak
def test_pinch_zooms_and_keeps_the_point_between_the_fingers(phone):
    wide = box(phone)["width"]

    before, after = spread(phone, 60)

    until(phone, "() => document.querySelector('ow-board').zoom > 2")
    assert box(phone)["width"] > wide * 2
    assert after == pytest.approx(before, abs=0.05)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    spread(phone, 0)
    until(phone, "() => document.querySelector('ow-board').zoom < 2")


@pytest.mark.soak
def test_tap_selects_on_a_zoomed_board_and_pinch_selects_nothing(phone):
    spread(phone, 60)
    until(phone, "() => document.querySelector('ow-board').zoom > 1.5")
    # A single command starts at once, several open a choice, and a square that is only part of commands is selected.
    chosen = "() => document.querySelector('ow-board [aria-pressed=true], ow-desk .making, ow-desk .menu .several, ow-desk dialog') !== null"
    assert not phone.evaluate(chosen)
    for _ in range(10):  # a page that was scrolled just now may still move under the finger
        lit = phone.locator("ow-board [role=button]").first
        lit.scroll_into_view_if_needed()
        where = lit.bounding_box()
        phone.touchscreen.tap(where["x"] + where["width"] / 2, where["y"] + where["height"] / 2)
        phone.wait_for_timeout(1500)
        if phone.evaluate(chosen):
            break

    assert phone.evaluate(chosen)
    assert phone.evaluate(ZOOM) > 1.5


@pytest.mark.soak
def test_one_finger_scrolls_the_zoomed_board(phone):
    phone.evaluate("document.querySelector('ow-board').zoom = 3")
    phone.evaluate("document.querySelector('ow-board').scrollIntoView()")
    frame = "() => { const { scrollLeft, scrollTop } = document.querySelector('ow-board .frame'); return scrollLeft + scrollTop }"
    at = phone.evaluate(frame)
    drag(phone)

    until(phone, f"(at) => ({frame})() > at + 20", at)
    assert phone.evaluate(ZOOM) == 3


@pytest.mark.soak
def test_one_finger_on_a_board_that_is_not_zoomed_scrolls_the_page(phone):
    phone.evaluate("document.querySelector('ow-board').scrollIntoView()")
    at = phone.evaluate("scrollY")
    drag(phone)

    until(phone, "(at) => scrollY > at + 20", at)
    assert phone.evaluate(ZOOM) == 1


@pytest.mark.soak
def test_buttons_above_the_board_zoom_within_bounds(phone):
    assert box(phone, "ow-board .zoom")["y"] < box(phone)["y"]
    for _ in range(12):
        phone.get_by_role("button", name="Zoom in").tap()
    assert phone.evaluate(ZOOM) == 6
    phone.get_by_role("button", name="Fit to window").tap()
    whole = box(phone)
    assert whole["height"] <= 740
    assert whole["width"] <= 360
    for button in phone.locator("ow-board .zoom button").all():
        assert min(button.bounding_box()["width"], button.bounding_box()["height"]) >= 44


@pytest.mark.soak
@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)], ids=str)
def test_map_next_to_the_desk_fits_the_window_without_scrolling(ada, begin, sit, size):
    page = sit(ada, begin(ada, "battalia", 3), viewport={"width": size[0], "height": size[1]}).page
    until(page, LIT)

    frame = box(page, "ow-board .frame")
    assert frame["y"] + frame["height"] <= size[1]
    for ref in ("A1", "G7"):
        area = box(page, f"ow-board [data-kind=square][data-ref={ref}]")
        assert area["y"] + area["height"] <= frame["y"] + frame["height"], ref
    page.get_by_role("button", name="Fit to window").click()
    whole = box(page)
    assert whole["y"] + whole["height"] <= size[1]
    assert page.evaluate("scrollY") == 0


@pytest.mark.soak
def test_board_keeps_its_size_when_the_page_is_scrolled(ada, begin, sit):
    page = sit(ada, begin(ada, "battalia", 3), viewport={"width": 1280, "height": 800}).page
    until(page, LIT)
    before = page.evaluate("getComputedStyle(document.querySelector('ow-board')).getPropertyValue('--fit')")
    page.evaluate("scrollTo(0, 400)")
    assert 0 < page.evaluate("scrollY")
    page.evaluate("dispatchEvent(new Event('resize'))")

    assert before == page.evaluate("getComputedStyle(document.querySelector('ow-board')).getPropertyValue('--fit')")


@pytest.mark.soak
def test_mouse_drag_moves_the_zoomed_board_and_selects_nothing(ada, begin, sit):
    page = sit(ada, begin(ada, "battalia", 3)).page
    until(page, LIT)
    page.evaluate("document.querySelector('ow-board').zoom = 3")
    lit = page.locator("ow-board [role=button]").first
    lit.scroll_into_view_if_needed()
    where = lit.bounding_box()
    x, y = where["x"] + where["width"] / 2, where["y"] + where["height"] / 2
    left = "() => { const { scrollLeft, scrollTop } = document.querySelector('ow-board .frame'); return [scrollLeft, scrollTop] }"
    before = page.evaluate(left)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y - 20, steps=4)
    page.mouse.move(x - 40, y - 30, steps=4)
    page.mouse.up()
    page.mouse.move(x, y)

    assert page.evaluate(left) != before
    assert page.locator("ow-desk .making").count() == 0
