"""The analysis of a game in its replay: requested, awaited, refused, failed, and read by all who may see the game."""

from __future__ import annotations

from contextlib import suppress

import pytest
from playwright.sync_api import Error

from service.features.analysis.storage import RETRY_AFTER, StoredAnalysis
from tests.driver import Player, Remote
from tests.web.browsing import until, violations
from tests.web.replay.conftest import HOSTILE, comes_to
from tests.web.replay.thinking import Thinker

BLUNDER = [(3, 5), (2, 2), (1, 1), (2, 1)]
"""Heaps of 1, 3 and 5: the first player takes the whole largest heap instead of three, and loses."""


WIDER = """() => [...document.querySelectorAll(".analysis, .analysis *")]
    .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth && !each.closest(".plot, thead"))
    .map((each) => each.outerHTML)"""
"""Elements that are wider than the window. The table heads are visually hidden in narrow windows."""


def nim(ada, birk=None, said=BLUNDER, **told):
    """A game of Nim with these moves, each by the player to move; without Birk a sandbox of Ada's."""
    box = {"sandbox": {}} if birk is None else {}
    game = ada.make_game("nim", 2, options={"heaps": 3}, visibility="public", **box, **told)["id"]
    (birk or ada).join(game)
    ada.start(game)
    for each in said:
        takes(game, ada, birk or ada, *each)
    return game


def takes(game, ada, birk, heap, objects):
    seat = ada.summary(game)["pending_questions"][0]["seat"]
    command = {"type": "take", "heap": heap, "objects": objects}
    (ada if seat == 1 else birk).send(game, command, seat=seat, want=200)


@pytest.fixture(scope="module")
def pair(url):
    site = Remote(url)
    yield Player.register(site, "Ada"), Player.register(site, HOSTILE)
    site.close()


@pytest.fixture(scope="module")
def over(pair):
    """A finished game with its turning point in commit 2."""
    return nim(*pair)


@pytest.fixture
def thinker(service, over):
    made = Thinker(service.folder / "data")
    made.forgets(over)
    yield made
    made.close()


@pytest.fixture
def opened(window, pair):
    """Open the replay of a game as a player or a visitor. Responses get a short Retry-After."""

    def open_replay(game, player=None, **told):
        visiting = window(**told)
        visiting.expected.add(404)  # there is no analysis
        if player is not None:
            visiting.sign_in(player)
        visiting.page.route("**/v1/games/*/analysis*", _at_once)
        page = visiting.open(f"/games/{game}/replay")
        page.locator("ow-board svg").wait_for()
        page.visiting = visiting
        return page

    return open_replay


def _at_once(route):
    with suppress(Error):  # the page may be closed at any moment
        response = route.fetch()
        changed = {"retry-after": "0.2"} if response.ok else {}
        coded = ("content-encoding", "content-length")
        headers = {name: value for name, value in response.headers.items() if name not in coded}
        route.fulfill(response=response, headers={**headers, **changed})


def section(page):
    return page.get_by_role("region", name="Analysis", exact=True)


def ask(page):
    section(page).get_by_role("button", name="Analyze game", exact=True).click()


def turn(page):
    return section(page).get_by_role("button", name="Commit 2").first


IN_SIGHT = (
    "(({ top }) => top > -2 && top < innerHeight / 2)(document.querySelector('ow-board').getBoundingClientRect())"
)
"""Whether the top of the board is in the upper half of the window."""


@pytest.mark.soak
def test_requested_analysis_shows_its_progress_and_then_its_result(opened, pair, over, thinker):
    thinker.awake()
    page = opened(over, pair[0])
    ask(page)
    section(page).get_by_text("Waiting to start").wait_for()
    assert section(page).get_by_role("button", name="Analyze").count() == 0

    thinker.looks(over)
    section(page).get_by_text("1 of 5 positions analyzed").wait_for()
    assert section(page).get_by_role("progressbar", name="Analysis progress").evaluate("bar => bar.position") == 0.2
    found = thinker.makes(over)

    section(page).get_by_role("table", name="Seats").wait_for()
    until(page, "document.querySelector('#news').textContent.includes('level 1 is done')")
    assert section(page).get_by_role("progressbar").count() == 0
    for place, each in enumerate(found["seats"]):
        row = section(page).get_by_role("table").locator("tbody tr").nth(place)
        cells = [f"{each['judged']}", f"{100 * each['unbeaten']:.0f}\u00a0%", f"{100 * each['lost']:.0f}", "+0 ± 0"]
        assert row.locator("td").all_inner_texts() == cells
    (point,), (mistake,) = found["turning_points"], found["mistakes"]
    told = turn(page).inner_text().replace("\u00a0", " ")
    assert "100 % → 0 %, by their own choice (lost 100 percentage points)" in told
    assert point["text"] in told
    assert f"Better: {mistake['better']}" in told
    assert f", seat {point['seat']}: " in told


@pytest.mark.soak
def test_turning_points_lead_to_their_commit_by_mouse_and_keyboard(opened, pair, over, thinker):
    thinker.makes(over)
    page = opened(over, pair[0])
    turn(page).wait_for()
    assert turn(page).get_attribute("aria-current") is None
    turn(page).scroll_into_view_if_needed()
    assert not page.evaluate(IN_SIGHT)

    turn(page).focus()
    page.keyboard.press("Enter")

    comes_to(page, 2)
    until(page, IN_SIGHT)
    assert turn(page).get_attribute("aria-current") == "step"
    assert turn(page).evaluate("button => button === document.activeElement")
    page.keyboard.press("End")
    comes_to(page, 5)
    assert turn(page).get_attribute("aria-current") is None
    assert "chance of winning after commit 5" in section(page).locator(".legend").inner_text()

    ring = section(page).locator(".ring")
    ring.scroll_into_view_if_needed()
    box = ring.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    comes_to(page, 2)
    until(page, IN_SIGHT)
    assert "shown" in ring.get_attribute("class")


@pytest.mark.soak
def test_click_on_the_chart_goes_to_its_commit_without_scrolling(opened, pair, over, thinker):
    thinker.makes(over)
    page = opened(over, pair[0])
    plot = section(page).locator(".plot")
    plot.scroll_into_view_if_needed()
    box, before = plot.bounding_box(), page.evaluate("scrollY")
    assert before > 0

    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    comes_to(page, 3)
    assert page.evaluate("scrollY") == before
    assert section(page).get_by_role("img", name="Chance of winning over 5 commits").count() == 1
    assert plot.locator("polyline").count() == 2


@pytest.mark.soak
def test_visitor_sees_the_deepest_analysis_without_requesting_it(opened, over, thinker):
    for level in (1, 2):
        thinker.makes(over, level)
    page = opened(over)

    section(page).get_by_role("table").wait_for()
    assert section(page).get_by_label("Level").input_value() == "2"
    assert section(page).get_by_role("button", name="Analyze").count() == 0
    assert page.locator("main img[src='x']").count() == 0
    assert HOSTILE in section(page).inner_text()
    section(page).get_by_label("Level").select_option("1")
    section(page).get_by_text("Level 1, made by release").wait_for(state="attached")


@pytest.mark.soak
def test_visitor_can_request_an_analysis_only_after_signing_in(opened, pair, over, thinker):
    page = opened(over)
    section(page).get_by_role("link", name="Sign in").wait_for()
    assert section(page).get_by_role("link", name="Sign in").get_attribute("href") == "/me"
    assert section(page).get_by_role("button", name="Analyze").count() == 0

    page.evaluate("(token) => import('/app/parts/account.js').then(({ signIn }) => signIn(token))", pair[0].token)

    section(page).get_by_role("button", name="Analyze").wait_for()
    assert section(page).get_by_role("link", name="Sign in").count() == 0


@pytest.mark.soak
def test_missing_search_worker_is_reported_and_the_request_can_be_repeated(opened, pair, over, thinker):
    page = opened(over, pair[0])
    page.visiting.expected.add(503)
    asked = []
    page.on("request", lambda request: asked.append(request) if request.method == "POST" else None)
    ask(page)
    section(page).get_by_role("alert").get_by_text("No search worker is running.", exact=True).wait_for()
    assert len(asked) == 1
    assert section(page).get_by_role("button", name="Analyze").evaluate("button => button === document.activeElement")

    thinker.awake()
    ask(page)

    section(page).get_by_text("Waiting to start").wait_for()
    assert section(page).get_by_role("alert").count() == 0
    assert len(asked) == 2


@pytest.mark.soak
def test_failed_analysis_says_why_and_another_level_can_be_requested(opened, pair, over, thinker):
    thinker.awake()
    page = opened(over, pair[0])
    ask(page)
    section(page).get_by_text("Waiting to start").wait_for()
    thinker.kept(over).fail("it is longer than what is looked at")

    failed = section(page).get_by_role("alert")
    failed.get_by_text("The analysis failed. It is longer than what is looked at.").wait_for()
    assert section(page).get_by_role("progressbar").count() == 0
    assert section(page).get_by_role("button", name="Analyze").count() == 0
    section(page).get_by_label("Level").select_option("3")
    ask(page)
    section(page).get_by_text("Waiting to start").wait_for()
    assert failed.count() == 0


@pytest.mark.soak
def test_analysis_that_failed_an_hour_ago_can_be_requested_again(opened, pair, over, thinker):
    thinker.awake()
    kept = thinker.kept(over)
    StoredAnalysis(kept._notes, lambda: kept._now() - RETRY_AFTER, over, 1).request(5)
    kept.fail("the rules failed on it")
    page = opened(over, pair[0])
    section(page).get_by_role("alert").get_by_text("The analysis failed.").wait_for()

    section(page).get_by_role("button", name="Analyze again").click()

    section(page).get_by_text("Waiting to start").wait_for()
    assert section(page).get_by_role("alert").count() == 0


@pytest.mark.soak
def test_page_waits_for_a_service_that_is_temporarily_unavailable(opened, pair, over, thinker):
    thinker.awake()
    page = opened(over, pair[0])
    page.visiting.cut = True
    ask(page)
    section(page).get_by_text("Waiting to start").wait_for()
    page.route("**/v1/games/*/analysis*", lambda route: route.abort())
    section(page).get_by_role("alert").get_by_text("The service cannot be reached.").wait_for()

    page.unroute("**/v1/games/*/analysis*")
    thinker.makes(over)

    section(page).get_by_role("table").wait_for()
    assert section(page).get_by_role("alert").count() == 0


@pytest.mark.soak
def test_own_sandbox_can_be_analyzed_again_after_new_moves(opened, pair, thinker):
    ada, _ = pair
    box = nim(ada, said=BLUNDER[:2])
    thinker.awake()
    page = opened(box, ada)
    ask(page)
    section(page).get_by_text("Waiting to start").wait_for()
    thinker.makes(box)
    section(page).get_by_role("table").wait_for()

    takes(box, ada, ada, *BLUNDER[2])

    section(page).get_by_text("This analysis covers the first 3 of 4 commits.").wait_for()
    section(page).get_by_role("button", name="Analyze new moves").click()
    section(page).get_by_role("progressbar").wait_for()
    thinker.makes(box)
    section(page).get_by_role("img", name="Chance of winning over 4 commits").wait_for()
    assert section(page).get_by_role("button", name="Analyze").count() == 0


@pytest.mark.soak
def test_running_game_has_no_analysis_section_until_it_ends(opened, pair, thinker):
    """A request would be refused with 409, which the window would report as an error."""
    ada, birk = pair
    box, game = nim(ada, said=BLUNDER[:1]), nim(ada, birk, said=BLUNDER[:3])
    thinker.makes(box)
    for which, player in ((game, ada), (game, None), (box, birk), (box, None)):
        page = opened(which, player)
        until(page, "document.querySelector('.analysis') !== null")
        assert section(page).count() == 0
    page = opened(game, ada)
    until(page, "document.querySelector('.analysis') !== null")

    takes(game, ada, birk, *BLUNDER[3])

    section(page).get_by_role("button", name="Analyze").wait_for()


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [320, 1440])
def test_axe_finds_nothing_wrong_and_nothing_is_wider_than_the_window(opened, pair, over, thinker, axe, size, scheme):
    thinker.makes(over)
    thinker.kept(over, 2).request(5)
    thinker.kept(over, 3).request(5)
    thinker.kept(over, 3).fail("The rules failed on it.")
    page = opened(over, pair[0], color_scheme=scheme, viewport={"width": size, "height": 900})
    for level, seen in (("1", "table"), ("2", "progressbar"), ("3", "alert")):
        section(page).get_by_label("Level").select_option(level)
        section(page).get_by_role(seen).wait_for()
        if level == "1":
            section(page).get_by_text("About these numbers").click()
        assert violations(page, ".analysis") == []
        assert page.evaluate("document.documentElement.scrollWidth") <= size
        assert page.evaluate(WIDER) == []
