"""The home page: the account, its turns, the lists of games, and a new game in three clicks."""

from __future__ import annotations

import json

import pytest

from tests.driver import Player
from tests.web.browsing import until, violations
from tests.workers.crew import eventually

COUNT = "globalThis.clicks = JSON.parse(sessionStorage.clicks ?? '0'); addEventListener('click', (event) => { if (event.isTrusted && event.detail > 0) sessionStorage.clicks = ++clicks }, true)"
"""Counts mouse clicks over all pages of a window; clicks caused by Enter have no ``detail``."""


def turn_of(ada, hours=30):
    """A game in which it is Ada's turn, with a deadline."""
    game = ada.make_game("nim", 2, pace={"mode": "per_question", "hours": hours})["id"]
    ada.seat_bot(game)
    ada.start(game)
    return game


def test_game_against_two_bots_starts_within_three_clicks(visiting, site):
    visiting.context.add_init_script(COUNT)
    page = visiting.open("/")

    page.get_by_role("link", name="Play now").click()
    page.wait_for_url("**/new")
    page.locator("ow-new").get_by_label("Your name").wait_for()
    page.keyboard.type("Ash of the clicks")
    page.get_by_role("button", name="Start game").click()
    page.wait_for_url("**/games/*")
    page.locator("ow-table h1").wait_for()

    assert page.evaluate("clicks") <= 3
    game = Player(site).summary(page.url.rpartition("/")[2])
    assert game["status"] == "running"
    assert [seat["player"] and seat["player"]["name"] for seat in game["seats"]] == ["Ash of the clicks", None, None]
    assert all(seat["bot"] for seat in game["seats"][1:])


STORED = "JSON.stringify(Object.entries(localStorage).concat(Object.entries(sessionStorage)))"


def test_sign_up_stores_no_token_that_scripts_can_read(visiting):
    page = visiting.open("/")
    page.get_by_label("Your name").fill("Birk")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your turns").wait_for()

    cookies = {each["name"]: each for each in visiting.context.cookies()}
    session = cookies["oraclewheel_session"]
    assert session["httpOnly"]
    for readable in (page.evaluate("document.cookie"), page.evaluate(STORED)):
        assert session["value"] not in readable
        assert "owt_" not in readable
    page.reload()
    page.get_by_role("heading", name="Your turns").wait_for()
    assert page.locator("#who").inner_text() == "Birk"


def test_token_signs_in_and_signing_out_ends_the_session(visiting, ada):
    visiting.expected |= {401, 409}  # 409: no email is sent here
    page = visiting.open("/me")
    page.get_by_text("I have a token").click()
    page.get_by_label("Token").fill("owt_wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("The token is unknown").first.wait_for()
    page.get_by_label("Token").fill(f" {ada.token} ")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Ada", level=1).wait_for()
    assert ada.token not in page.evaluate(STORED)

    sessions = page.get_by_role("region", name="Sessions")
    sessions.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_text("You have no way back into this account").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Sign out anyway").click()
    page.get_by_role("heading", name="Sign in", level=1).wait_for()

    assert page.evaluate("localStorage.getItem('ow.session')") is None
    assert visiting.context.cookies() == []
    assert [each["kind"] for each in ada.get("/v1/me/tokens").json["tokens"]] == ["token"]


def test_sign_out_does_not_warn_an_account_with_a_way_back(visiting, ada):
    visiting.expected |= {401, 409}
    ada.post("/v1/me/recovery-codes", {}, want=201)
    visiting.sign_in(ada)
    page = visiting.open("/me")
    page.get_by_role("region", name="Sessions").get_by_role("button", name="Sign out", exact=True).click()

    page.get_by_role("heading", name="Sign in", level=1).wait_for()


OVER = "**/v1/games?mine=true&status=over&limit=1"


def test_way_back_is_offered_once_after_the_first_game(visiting, ada):
    visiting.expected.add(409)  # no email is sent here
    visiting.sign_in(ada)
    game = turn_of(ada)
    page = visiting.page
    with page.expect_response(OVER) as met:
        visiting.open("/")
    assert met.value.json()["games"] == []
    question = page.get_by_role("region", name="Keep your account")
    assert question.count() == 0

    ada.send(game, {"type": "resign"}, want=200)
    eventually(lambda: ada.summary(game)["status"] == "over")
    page.reload()
    question.get_by_role("button", name="Not now").click()
    question.wait_for(state="detached")
    page.reload()
    page.get_by_role("region", name="Finished").wait_for()
    assert question.count() == 0

    page.evaluate("localStorage.removeItem('ow.asked')")
    page.reload()
    question.get_by_role("link", name="Add a way back").click()
    page.get_by_role("region", name="Ways back into this account").get_by_text("You have none.").wait_for()


@pytest.mark.soak
def test_account_with_a_way_back_is_not_asked(visiting, ada):
    ada.post("/v1/me/recovery-codes", {}, want=201)
    game = turn_of(ada)
    ada.send(game, {"type": "resign"}, want=200)
    eventually(lambda: ada.summary(game)["status"] == "over")
    visiting.sign_in(ada)
    page = visiting.page
    with page.expect_response("**/v1/me/recovery-codes") as met:
        visiting.open("/")
    assert met.value.json()["left"] == 10
    page.get_by_role("region", name="Finished").wait_for()

    assert page.get_by_role("region", name="Keep your account").count() == 0


OLD = "(who) => localStorage.setItem('ow.session', JSON.stringify(who))"


def test_token_stored_by_an_earlier_release_becomes_a_session(visiting, ada):
    page = visiting.open("/")
    page.evaluate(OLD, {"token": ada.token, "id": ada.id, "name": ada.name})
    page.reload()
    page.get_by_role("heading", name="Your turns").wait_for()

    assert ada.token not in page.evaluate(STORED)
    page.reload()
    page.get_by_role("heading", name="Your turns").wait_for()
    assert [each["kind"] for each in ada.get("/v1/me/tokens").json["tokens"]] == ["token", "session"]


@pytest.mark.soak
def test_stored_token_survives_while_the_service_is_unavailable(visiting, ada):
    visiting.expected |= {401, 503}
    visiting.page.route(
        "**/v1/session", lambda route: route.fulfill(status=503, body="{}", headers={"Retry-After": "60"})
    )
    page = visiting.open("/")
    page.evaluate(OLD, {"token": ada.token, "id": ada.id, "name": ada.name})
    page.reload()
    page.get_by_role("heading", name="Board games by post").wait_for()
    assert ada.token in page.evaluate(STORED)

    page.unroute("**/v1/session")
    page.reload()
    page.get_by_role("heading", name="Your turns").wait_for()


@pytest.mark.soak
def test_revoked_session_signs_every_window_out(visiting, ada):
    visiting.expected.add(401)
    visiting.sign_in(ada)
    page = visiting.open("/")
    page.get_by_role("heading", name="Your turns").wait_for()
    other = visiting.context.new_page()
    other.goto(visiting.url)
    other.get_by_role("heading", name="Your turns").wait_for()
    ada.call("DELETE", "/v1/me/tokens", want=204)

    page.reload()
    page.get_by_role("heading", name="Board games by post").wait_for()
    other.get_by_role("heading", name="Board games by post").wait_for()


@pytest.mark.soak
def test_session_started_elsewhere_shows_its_own_account(visiting, ada, site):
    """A page of the service that has no script, such as that of an email link, can replace the session."""
    visiting.sign_in(ada)
    visiting.open("/").get_by_text("Signed in as Ada").wait_for()
    visiting.sign_in(Player.register(site, "Birk"))

    visiting.open("/").get_by_text("Signed in as Birk").wait_for()


@pytest.mark.soak
def test_invalid_name_is_reported_at_its_field(visiting):
    visiting.expected.add(422)
    page = visiting.open("/")
    page.get_by_label("Your name").fill("System")
    page.keyboard.press("Enter")
    page.locator(".fault").wait_for()

    field = page.get_by_label("Your name")
    assert field.get_attribute("aria-invalid") == "true"
    assert field.evaluate("node => node === document.activeElement")
    assert page.evaluate("localStorage.getItem('ow.session')") is None


@pytest.mark.soak
@pytest.mark.parametrize(("zone", "there"), [("Europe/Sofia", "20:00"), ("Asia/Kolkata", "23:30")])
def test_turns_show_deadlines_in_the_readers_zone(window, ada, zone, there):
    game = turn_of(ada)
    visiting = window(timezone_id=zone)
    visiting.sign_in(ada)
    page = visiting.open("/")
    turn = page.locator(".turn", has=page.locator(f'a[href="/games/{game}"]'))
    turn.wait_for()

    due = ada.turns()[0]["deadline"]
    shown = turn.locator("time").inner_text()
    assert shown == page.evaluate(
        "([at, timeZone]) => new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'short', timeZone}).format(at)",
        [due, zone],
    )
    away = ("tomorrow", "in 1 day", "in 29 hours", "in 30 hours")  # depends on how fast the page loaded
    assert any(words in turn.inner_text() for words in away)


@pytest.mark.soak
def test_relative_times_count_calendar_days(window):
    page = window(timezone_id="Europe/Sofia").open("/")
    said = page.evaluate(
        "import('/app/parts/when.js').then(({ far }) => [47.9, -47.9].map((hours) => far(Date.now() + hours * 3_600_000)))"
    )
    assert ["in 2 days", "2 days ago"] == said


@pytest.mark.soak
def test_new_turn_appears_while_the_page_is_open(visiting, ada):
    visiting.sign_in(ada)
    page = visiting.open("/")
    page.get_by_text("It's not your turn in any game.").wait_for()

    game = turn_of(ada)

    page.locator(f'.turn a[href="/games/{game}"]').wait_for()


@pytest.mark.soak
def test_lists_show_more_games_page_by_page(visiting, ada):
    made = [ada.make_game("nim", 2)["id"] for _ in range(8)]
    page = visiting.open("/")
    shelf = page.get_by_role("region", name="Open games")
    cards = shelf.locator("li.game")
    cards.first.wait_for()
    assert cards.count() == 6

    shelf.get_by_role("button", name="Show more").click()
    until(page, "document.querySelectorAll('.shelves section:first-child li').length >= 8")

    listed = shelf.locator("a").evaluate_all("links => links.map((link) => link.pathname.split('/').pop())")
    assert set(made) <= set(listed)
    assert len(listed) == len(set(listed))
    for game in made:
        ada.call("DELETE", f"/v1/games/{game}")


@pytest.mark.soak
def test_running_and_finished_games_are_listed(visiting, ada):
    running, over = turn_of(ada), turn_of(ada)
    ada.send(over, {"type": "resign"}, want=200)  # bots finish the game
    eventually(lambda: ada.summary(over)["status"] == "over")
    page = visiting.open("/")

    for title, game in (("In progress", running), ("Finished", over)):
        page.get_by_role("region", name=title).locator(f'a[href="/games/{game}"]').wait_for()


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [320, 1440])
def test_axe_finds_nothing_wrong_on_the_home_page_when_signed_in(window, axe, site, scheme, size):
    ada = Player.register(site, "Ada <b>of</b> the 'long' \"name\" & so on")
    turn_of(ada)
    ada.make_game("battalia", 2, modules=["rammoth", "keeper"])
    visiting = window(color_scheme=scheme, viewport={"width": size, "height": 900})
    visiting.sign_in(ada)
    page = visiting.open("/")
    page.locator(".turn").first.wait_for()
    page.locator("section:not([hidden]) li.game").first.wait_for()

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size
    assert ada.name in page.locator("#who").text_content()


@pytest.mark.soak
def test_hostile_name_stays_text(visiting, site):
    hostile = Player.register(site, '<img src=x onerror="bad()">')
    page_url = hostile.make_game("nim", 2)["id"]
    visiting.sign_in(hostile)
    visiting.expected.add(409)  # no email is sent here
    page = visiting.open("/")
    page.get_by_text(hostile.name).first.wait_for()
    page.goto(f"{visiting.url}/games/{page_url}")
    page.locator(".seat .name", has_text="<img").wait_for()
    page.goto(f"{visiting.url}/me")
    page.get_by_role("heading", name=hostile.name, level=1).wait_for()

    assert page.locator("main img[src='x']").count() == 0


@pytest.mark.soak
def test_corrupt_session_in_the_browser_does_not_break_the_page(visiting):
    for kept in (
        "nonsense",
        "[]",
        json.dumps({"token": 5}),
        json.dumps({"token": "owt_gone", "id": "p", "name": "<b>x"}),
    ):
        visiting.open("/")
        visiting.page.evaluate("(kept) => localStorage.setItem('ow.session', kept)", kept)
        visiting.expected.add(401)
        visiting.page.reload()
        visiting.page.get_by_role("heading", name="Board games by post").wait_for()
