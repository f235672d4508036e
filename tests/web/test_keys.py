"""Keyboard use from signing up to the end of the first turns, and pages that are 320 pixels wide."""

from __future__ import annotations

import pytest

from tests.driver import Player, Remote
from tests.web.browsing import until
from tests.web.contact import pages

FOCUS = "() => { const { activeElement: at } = document; return at && at !== document.body ? `${at.localName}#${at.id}.${at.className} ${at.textContent.slice(0, 40)}` : null }"
MATCHES = "(query) => document.activeElement.matches(query)"
ASKED = "() => { const desk = document.querySelector('ow-desk'); return Boolean(desk && !desk.busy && desk.game.asked.length) }"


def tab_to(page, query, most=80):
    """Press Tab until an element that matches has the focus."""
    for _ in range(most):
        if page.evaluate(MATCHES, query):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{query} is not reached by Tab; the focus is on {page.evaluate(FOCUS)}")


def focused(page):
    """The focused element; there must be one."""
    where = page.evaluate(FOCUS)
    assert where is not None, "the focus is lost"
    return where


@pytest.mark.soak
def test_first_turns_of_a_new_player_can_be_played_by_keyboard_alone(visiting):
    page = visiting.open("/")
    tab_to(page, "main input")
    page.keyboard.type("Cleo")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your turns").wait_for()
    focused(page)

    page.keyboard.press("n")
    page.get_by_label("Players", exact=True).wait_for()
    focused(page)
    tab_to(page, "input[name=kind]")
    while page.evaluate("document.activeElement.value") != "nim":
        page.keyboard.press("ArrowDown")
    until(page, "() => document.querySelector('ow-new .stack [aria-busy]') === null")
    until(page, "() => document.querySelector('ow-new form button.main').textContent === 'Start game'")
    tab_to(page, "ow-new form button.main")
    page.keyboard.press("Enter")
    page.locator("ow-desk").wait_for()
    focused(page)

    for _ in range(3):
        until(page, ASKED, seconds=120)
        before = page.evaluate("document.querySelector('ow-desk').game.seq")
        tab_to(page, "ow-desk .menu .action")
        page.keyboard.press("Enter")
        for _ in range(6):
            if page.locator("ow-desk [data-key=send]:not([disabled])").count():
                break
            focused(page)
            tab_to(page, "ow-desk fieldset.next button.choice, ow-desk fieldset.next input")
            if page.evaluate(MATCHES, "input"):
                page.keyboard.type("1")
            page.keyboard.press("Enter")
        tab_to(page, "ow-desk [data-key=send]")
        page.keyboard.press("Enter")
        until(
            page,
            "(before) => { const desk = document.querySelector('ow-desk'); return !desk.busy && desk.game.seq > before }",
            before,
            seconds=120,
        )
        focused(page)
        if page.evaluate("document.querySelector('ow-desk').game.over"):
            break
    assert page.locator("ow-desk .failed").count() == 0


@pytest.mark.soak
def test_the_focus_stays_where_it_is_while_others_play(ada, site, window):
    bo = Player.register(site, "Bo")
    game = ada.make_game("nim", 2, visibility="public", options={"heaps": 8})["id"]
    bo.join(game)
    ada.start(game)
    first, second = (ada, bo) if ada.summary(game)["pending_questions"][0]["seat"] == 1 else (bo, ada)
    visiting = window()
    visiting.sign_in(second)
    page = visiting.open(f"/games/{game}")
    page.locator("#tab-history").wait_for()
    page.locator(".heading a").focus()

    first.send(game, {"type": "take", "heap": 1, "objects": 1}, want=200)
    until(page, ASKED, seconds=60)
    assert "Guide" in focused(page)

    page.locator("ow-board [role=button]").first.focus()
    second.send(game, {"type": "take", "heap": 2, "objects": 1}, want=200)
    until(page, "() => document.querySelector('ow-desk').game.asked.length === 0", seconds=60)
    until(page, "() => document.querySelectorAll('ow-board [role=button]').length === 0")
    page.wait_for_timeout(100)
    assert "frame" in focused(page)


@pytest.fixture(scope="module")
def addresses(url):
    """Every page, with content to show."""
    site = Remote(url)
    ada, birk = Player.register(site, "Ada"), Player.register(site, "Birk of Sofia")
    yield ada, pages(ada, birk)
    site.close()


@pytest.mark.soak
@pytest.mark.parametrize("name", ["home", "new", "me", "room", "table-battalia", "table-nim", "replay", "check"])
def test_page_at_400_percent_zoom_needs_no_horizontal_scrolling(window, addresses, name):
    """1280 pixels at 400 % are 320. Reduced motion must also leave no transitions or animations."""
    ada, paths = addresses
    visiting = window(viewport={"width": 320, "height": 256}, reduced_motion="reduce")
    visiting.expected |= {404, 409}
    visiting.sign_in(ada)
    page = visiting.open(paths[name])
    page.wait_for_load_state("domcontentloaded")
    page.wait_for_timeout(1500)

    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    moving = "() => [...document.querySelectorAll('*')].filter((node) => { const { transitionDuration, animationDuration, scrollBehavior } = getComputedStyle(node); return parseFloat(transitionDuration) > 0 || parseFloat(animationDuration) > 0 || scrollBehavior === 'smooth' }).map((node) => node.outerHTML.slice(0, 80))"
    assert page.evaluate(moving) == []
