"""The account page: name, time zone, vacations, tokens, feeds and webhooks, as in the API."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
import requests

from tests.driver import Player
from tests.web.browsing import violations


@pytest.fixture
def page(visiting, ada):
    visiting.sign_in(ada)
    visiting.expected.add(409)  # no email is sent here
    page = visiting.open("/me")
    page.get_by_role("button", name="Create webhook").wait_for()
    return page


def part(page, name):
    return page.get_by_role("region", name=name, exact=True)


@pytest.mark.soak
def test_name_can_be_changed(page, ada):
    part(page, "Name").get_by_label("Name").fill("Ada of the Hill")
    part(page, "Name").get_by_role("button", name="Save").click()

    page.get_by_role("heading", name="Ada of the Hill", level=1).wait_for()
    assert page.locator("#who").inner_text() == "Ada of the Hill"
    assert ada.get("/v1/me").json["name"] == "Ada of the Hill"


@pytest.mark.soak
def test_time_zone_and_quiet_hours_are_saved(page, ada):
    told = part(page, "Time zone and quiet hours")
    told.get_by_label("Time zone").select_option("Asia/Tokyo")
    told.get_by_label("Quiet from").fill("22:00")
    told.get_by_label("Quiet until").fill("07:00")
    with page.expect_response("**/v1/me/preferences") as met:
        told.get_by_role("button", name="Save").click()

    assert met.value.status == 200
    assert ada.get("/v1/me/preferences").json == {"zone": "Asia/Tokyo", "quiet": {"from": "22:00", "to": "07:00"}}


@pytest.mark.soak
def test_vacation_can_be_added_and_canceled(page, ada):
    told = part(page, "Vacation")
    begins = told.get_by_label("From").input_value()  # in the browser's time zone
    told.get_by_role("button", name="Add vacation").click()
    told.get_by_role("button", name="Cancel vacation").wait_for()

    [vacation] = ada.get("/v1/me/vacations").json["vacations"]
    assert vacation["from"] == page.evaluate("(begins) => new Date(begins).getTime()", begins)
    assert vacation["to"] - vacation["from"] == 7 * 86_400_000
    part(page, "Vacation").get_by_role("button", name="Cancel vacation").click()
    page.locator("ow-me").get_by_role("button", name="Cancel vacation").wait_for(state="detached")
    assert ada.get("/v1/me/vacations").json["vacations"] == []


@pytest.mark.soak
def test_sitter_can_be_named_for_a_vacation(page, visiting, ada, site):
    visiting.expected |= {404, 409}  # the player is unknown; Bo has not agreed
    bo = Player.register(site, "Bo")
    told = part(page, "Vacation")
    told.get_by_label("Moves while you are away").select_option("sitter")
    told.get_by_label("Sitter").fill("nobody")
    told.get_by_role("button", name="Add vacation").click()
    told.get_by_text("There is no such player.").wait_for()
    assert told.get_by_label("Sitter").get_attribute("aria-invalid") == "true"

    told.get_by_label("Sitter").fill(bo.id)
    told.get_by_role("button", name="Add vacation").click()
    told.get_by_text("The player must agree to your request first.").wait_for()
    bo.agrees_to_sit_for(ada)
    told.get_by_role("button", name="Add vacation").click()
    told.get_by_role("button", name="Cancel vacation").wait_for()
    [vacation] = ada.get("/v1/me/vacations").json["vacations"]
    assert (vacation["seat"], vacation["sitter"]) == ("sitter", bo.id)


@pytest.mark.soak
def test_request_to_sit_in_is_accepted_and_withdrawn(visiting, ada, site):
    bo = Player.register(site, "Bo")
    now = bo.get("/v1/me").json["created_at"]
    body = {"from": now, "to": now + 86_400_000, "seat": "sitter", "sitter": ada.id}
    bo.post("/v1/me/vacations", body, want=409)
    visiting.sign_in(ada)
    visiting.expected.add(409)
    page = visiting.open("/me")
    part(page, "Sitting for other players").get_by_role("button", name="Accept").click()
    part(page, "Sitting for other players").get_by_role("button", name="Withdraw").wait_for()
    assert ada.get("/v1/me/sitting").json["agreements"][0]["agreed_at"] is not None

    part(page, "Sitting for other players").get_by_role("button", name="Withdraw").click()
    part(page, "Sitting for other players").get_by_text("No one has asked you").wait_for()
    assert ada.get("/v1/me/sitting").json["agreements"] == []


@pytest.mark.soak
def test_every_offered_scope_can_be_granted(page, ada, site):
    told = part(page, "API tokens")
    choices = told.get_by_label("Scope").locator("option")
    offered = choices.evaluate_all("(options) => options.map((each) => each.value)")
    granted = []
    for value in offered:
        told.get_by_label("Scope").select_option(value)
        told.get_by_label("Expiry").select_option("30")
        told.get_by_role("button", name="Create token").click()
        token = page.get_by_role("dialog").locator("code").inner_text()
        assert Player(site, token).get("/v1/games").status == 200
        granted.append(ada.get("/v1/me/tokens", want=200).json["tokens"][-1]["scopes"])
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        told.get_by_text("expires").nth(len(granted) - 1).wait_for()

    assert granted == [["read"], ["games:read", "games:play"], ["play"], ["play", "account"]]


@pytest.mark.soak
def test_token_can_be_limited_to_one_game(page, ada, site):
    game, told = ada.make_game("nim", 2)["id"], part(page, "API tokens")
    told.get_by_label("Scope").select_option("games:read games:play")
    told.get_by_label("Game ID").fill(game)
    told.get_by_role("button", name="Create token").click()
    player = Player(site, page.get_by_role("dialog").locator("code").inner_text())
    page.keyboard.press("Escape")

    told.get_by_text("read games, play in one game").wait_for()
    assert player.get(f"/v1/games/{game}").status == 200
    assert player.get("/v1/games").status == 403


@pytest.mark.soak
def test_page_of_a_play_token_offers_only_what_the_token_allows(visiting, ada, site):
    made = ada.post("/v1/me/tokens", {"scopes": ["play"]}, want=201).json
    visiting.sign_in(Player(site, made["token"], ada.id, ada.name))
    page = visiting.open("/me")
    page.get_by_role("button", name="Create webhook").wait_for()

    part(page, "Limited session").wait_for()
    for name in ("Name", "API tokens", "Email", "Chat messages"):
        assert part(page, name).count() == 0


def test_sessions_are_listed_and_other_browsers_are_signed_out(page, window, visiting, ada, site):
    other = window(user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    other.expected.add(401)
    theirs = other.open("/sign-in")
    theirs.get_by_role("region", name="Token").get_by_label("Token").fill(ada.token)
    theirs.get_by_role("button", name="Sign in with token").click()
    theirs.get_by_role("heading", name="Your turns").wait_for()
    page.reload()
    row = part(page, "Sessions").locator("li", has_text="Firefox on Linux")
    row.wait_for()
    assert part(page, "Sessions").locator("li", has_text="This browser").count() == 1

    row.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    row.wait_for(state="detached")
    theirs.reload()
    theirs.get_by_role("heading", name="Board games by post").wait_for()

    part(page, "Sessions").get_by_role("button", name="Sign out everywhere else").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out everywhere else").click()
    part(page, "Sessions").get_by_role("button", name="Sign out everywhere else").wait_for(state="detached")
    assert ada.get("/v1/me").status == 401


def test_token_is_shown_once_and_can_be_revoked(page, ada, site):
    told = part(page, "API tokens")
    told.get_by_label("Label").fill("My <b>bot</b>")
    told.get_by_label("Scope").select_option("read")
    told.get_by_role("button", name="Create token").click()
    token = page.get_by_role("dialog").locator("code").inner_text()
    assert Player(site, token).get("/v1/me", want=200).json["scopes"] == ["read"]

    page.keyboard.press("Escape")
    row = part(page, "API tokens").locator("li", has_text="My <b>bot</b>")
    row.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    row.wait_for(state="detached")

    assert Player(site, token).get("/v1/me").status == 401
    assert token not in page.content()


@pytest.mark.soak
def test_connected_app_is_listed_and_can_be_disconnected(page, visiting, ada, url):
    app = ada.post("/v1/apps", {"name": "Penny Helper", "redirect_uris": ["http://127.0.0.1/check"]}, want=201).json[
        "id"
    ]
    asked = {
        "response_type": "code",
        "client_id": app,
        "redirect_uri": f"{url}/check",
        "scope": "games:read games:play",
    }
    asked |= {"code_challenge": "x" * 43, "code_challenge_method": "S256"}
    page.goto(f"{url}/oauth/authorize?{urlencode(asked)}")
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url("**/check?code=*")

    page = visiting.open("/me")
    told = part(page, "Connected apps")
    told.get_by_text("Penny Helper: read games, play in all games").wait_for()
    told.get_by_role("button", name="Disconnect").click()
    page.get_by_role("dialog").get_by_role("button", name="Disconnect").click()

    part(page, "Connected apps").get_by_text("No app can act for you.").wait_for()
    assert [] == ada.get("/v1/me/apps").json["apps"]


@pytest.mark.soak
def test_feed_has_an_address_that_returns_a_calendar(page, ada):
    told = part(page, "Feeds")
    told.get_by_label("Content").select_option("calendar")
    told.get_by_role("button", name="Create feed").click()
    address = page.get_by_role("dialog").locator("code").inner_text()

    assert requests.get(address, timeout=10).text.startswith("BEGIN:VCALENDAR")
    page.keyboard.press("Escape")
    part(page, "Feeds").get_by_role("button", name="Revoke").wait_for()
    assert [feed["kind"] for feed in ada.get("/v1/me/feeds").json["feeds"]] == ["calendar"]


@pytest.mark.soak
def test_invalid_webhook_url_is_reported_at_its_field(page, visiting):
    visiting.expected.add(422)
    told = part(page, "Webhooks")
    told.get_by_label("URL").fill("ftp://example.org")
    told.get_by_role("button", name="Create webhook").click()

    told.locator('[data-pointer="/url"] .fault').wait_for()


def test_account_can_be_deleted(page, ada):
    told = part(page, "Delete account")
    told.get_by_role("button", name="Delete my account").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("heading", name="Sign in", level=1).wait_for()

    assert 401 == ada.get("/v1/me").status


@pytest.mark.soak
def test_service_without_a_mail_server_says_so_and_shows_no_form(page):
    told = part(page, "Email")
    told.get_by_text("Email is disabled on this service.").wait_for()

    assert told.locator("input, button").count() == 0


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [320, 1440])
def test_axe_finds_nothing_wrong(window, axe, ada, scheme, size):
    ada.post("/v1/me/feeds", {"kind": "turns"}, want=201)
    ada.post("/v1/me/tokens", {"scopes": ["read"], "label": "x" * 80}, want=201)
    visiting = window(color_scheme=scheme, viewport={"width": size, "height": 900})
    visiting.sign_in(ada)
    visiting.expected.add(409)
    page = visiting.open("/me")
    page.get_by_role("button", name="Create webhook").wait_for()

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size
