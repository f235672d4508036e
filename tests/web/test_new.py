"""Creating a game from the settings in the API, and the lobby before the game starts."""

from __future__ import annotations

import json

import pytest

from tests.driver import Player
from tests.web.browsing import until, violations


def sent(page, action):
    """The request body that creates a game, and the response."""
    with page.expect_response(
        lambda answer: answer.url.endswith("/v1/games") and answer.request.method == "POST"
    ) as met:
        action()
    return json.loads(met.value.request.post_data), met.value


def begin(page):
    page.locator("ow-new form button.main").click()


@pytest.fixture
def form(visiting, ada):
    visiting.sign_in(ada)
    page = visiting.open("/new")
    page.get_by_label("Players", exact=True).wait_for()
    return page


@pytest.mark.soak
def test_form_offers_every_game_with_the_settings_of_the_api(form, site):
    for kind in Player(site).get("/v1/kinds").json["kinds"]:
        form.get_by_role("radio", name=kind["title"]).check()
        full = Player(site).get(f"/v1/kinds/{kind['key']}").json
        form.locator("details.fold").last.wait_for()
        until(
            form,
            "(bots) => document.querySelectorAll('.field select option').length && [...document.querySelectorAll('ow-new select')].some(s => bots.every(b => [...s.options].some(o => o.value === b)))",
            arg=kind["bots"],
        )
        form.evaluate("document.querySelectorAll('details.fold').forEach((fold) => (fold.open = true))")
        for setting in [*full["options"], *full["table"]["settings"]]:
            pointer = f"/{'options' if setting in full['options'] else 'table'}/{setting['name']}"
            field = form.locator(f'[data-pointer="{pointer}"]')
            assert setting["text"].partition(" `")[0].lower()[:40] in field.inner_text().lower()
            assert "`" not in field.inner_text()
            control = field.locator("select, input")
            expected = setting["default"] if isinstance(setting["default"], str) else json.dumps(setting["default"])
            assert control.input_value() == expected
            if not setting.get("choices"):
                assert control.get_attribute("max") == str(setting["max"])
            else:
                assert control.locator("option").count() == len(setting["choices"])
            assert control.is_disabled() == bool(setting.get("needs"))
        for module, text in kind["modules"].items():
            assert form.get_by_role("checkbox", name=text.partition(":")[0]).get_attribute("value") == module


def test_game_is_created_with_the_chosen_settings(form, site):
    form.get_by_label("Players", exact=True).select_option("4")
    form.get_by_label("Seat 4").select_option("")
    form.get_by_role("checkbox", name="The Keeper").check()
    form.get_by_role("radio", name="Calendar").check()
    form.get_by_label("Game days end at").fill("19:30")
    form.get_by_role("checkbox", name="Sunday").check()
    form.get_by_text("Game rules").click()
    assert form.get_by_label("Maximum number of weeks").input_value() == "12"
    form.get_by_label("Cities that end the game").select_option("4")
    form.get_by_text("Table rules").click()
    form.get_by_label("Chat", exact=True).select_option("off")
    form.get_by_text("Visibility and more").click()
    form.get_by_label("Visibility").last.select_option("private")

    body, answer = sent(form, lambda: begin(form))
    form.wait_for_url("**/games/*")

    assert answer.status == 201
    assert body.pop("entropy")
    assert body == {
        "kind": "battalia",
        "seats": 4,
        "modules": ["keeper"],
        "options": {"victory_cities": 4},
        "table": {"talk": "off"},
        "visibility": "private",
        "pace": {"mode": "calendar", "day": "PT24H", "at": "19:30", "zone": "Europe/Sofia", "weekends": ["sunday"]},
    }
    game = answer.json()
    assert game["options"]["max_weeks"] == 12
    form.get_by_text("One seat is free.").wait_for()
    assert form.get_by_role("button", name="Start game").is_disabled()


@pytest.mark.soak
def test_option_of_a_module_needs_the_module(form):
    form.get_by_text("Game rules").click()
    field = form.get_by_label("Extra strength of neutral cities")
    assert field.is_disabled()
    assert "needs Stormgates" in form.locator('[data-pointer="/options/neutral_strength"]').inner_text()

    form.get_by_role("checkbox", name="Stormgates").check()
    assert not field.is_disabled()
    field.select_option("2")
    form.get_by_role("checkbox", name="Stormgates").uncheck()

    assert field.is_disabled()
    assert field.input_value() == "0"


def test_invalid_setting_is_reported_at_its_field(form, visiting):
    visiting.expected.add(422)
    form.get_by_role("radio", name="Hours for each turn").check()
    form.get_by_label("Hours per turn").fill("0")
    form.get_by_text("Game rules").click()
    form.get_by_label("Maximum number of weeks").fill("99")
    form.get_by_text("Game rules").click()

    _, answer = sent(form, lambda: begin(form))
    form.locator(".fault").first.wait_for()

    assert answer.status == 422
    faults = {fault["pointer"] for fault in answer.json()["errors"]}
    assert faults
    for pointer in faults:
        assert form.locator(f'[data-pointer="{pointer}"] .fault').is_visible()
    assert (
        form.evaluate("document.activeElement.ariaInvalid ?? document.activeElement.getAttribute('aria-invalid')")
        == "true"
    )


@pytest.mark.soak
def test_game_can_be_created_to_start_automatically(form):
    form.get_by_text("Visibility and more").click()
    form.get_by_label("Start automatically").check()

    body, answer = sent(form, lambda: begin(form))

    assert body["auto_start"] is answer.json()["auto_start"] is True


@pytest.mark.soak
def test_sandbox_can_be_created(form, site):
    form.get_by_text("Visibility and more").click()
    form.get_by_label("Sandbox").check()

    _, answer = sent(form, lambda: begin(form))

    assert answer.json()["sandbox"] is not None


@pytest.mark.soak
def test_only_the_newest_invitation_link_leads_into_a_private_game(window, ada, site):
    host = window()
    host.sign_in(ada)
    page = host.open("/new?kind=nim")
    page.get_by_label("Seat 2").select_option("")
    page.get_by_text("Visibility and more").click()
    page.get_by_label("Visibility").last.select_option("private")
    begin(page)
    link = page.get_by_label("Invitation link").input_value()
    page.get_by_role("button", name="Create a new link").click()
    until(page, "(old) => document.querySelector('input.link').value !== old", link)
    newer = page.get_by_label("Invitation link").input_value()

    guest = window()
    guest.expected |= {403, 404}
    theirs = guest.page
    theirs.goto(link)
    theirs.get_by_label("Your name").fill("Birk")
    theirs.keyboard.press("Enter")
    theirs.get_by_role("button", name="Take a seat").click()
    theirs.get_by_text("There is no such game.").wait_for()  # the answer of a private game to strangers
    theirs.goto("about:blank")
    theirs.goto(newer)
    theirs.get_by_role("button", name="Take a seat").click()
    theirs.get_by_text("All seats are taken.").wait_for()
    assert "invitation" not in theirs.url
    page.get_by_text("Birk").wait_for()
    page.get_by_role("button", name="Start game").click()

    for each in (page, theirs):
        each.locator("ow-table h1").wait_for()
    assert ada.summary(newer.partition("/games/")[2].partition("#")[0])["status"] == "running"


@pytest.mark.soak
def test_seats_can_be_taken_left_and_given_to_bots(window, ada, site):
    game = ada.make_game("battalia", 3)["id"]
    birk = Player.register(site, "Birk")
    guest = window()
    guest.sign_in(birk)
    theirs = guest.open(f"/games/{game}")
    theirs.get_by_role("button", name="Take this seat (seat 3)").click()
    theirs.get_by_role("button", name="Leave seat").click()
    theirs.get_by_role("button", name="Take this seat (seat 2)").click()
    theirs.get_by_role("button", name="Leave seat").wait_for()

    host = window()
    host.sign_in(ada)
    page = host.open(f"/games/{game}")
    page.get_by_label("Bot for seat 3").select_option("greedy")
    page.get_by_role("button", name="Remove player (seat 2)").click()
    page.get_by_label("Bot for seat 2").select_option("random")
    page.get_by_role("button", name="Start game").click()
    page.locator("ow-table h1").wait_for()

    theirs.locator("ow-table h1").wait_for()
    assert [seat["bot"] for seat in ada.summary(game)["seats"]] == [None, "random", "greedy"]


@pytest.mark.soak
def test_lobby_can_be_canceled(visiting, ada):
    game = ada.make_game("nim", 2)["id"]
    visiting.sign_in(ada)
    page = visiting.open(f"/games/{game}")

    page.get_by_role("button", name="Cancel this game").click()
    page.get_by_role("button", name="Cancel", exact=True).click()
    assert ada.get(f"/v1/games/{game}").status == 200
    page.get_by_role("button", name="Cancel this game").click()
    page.get_by_role("button", name="Cancel game").click()
    page.get_by_role("heading", name="Your turns").wait_for()

    assert ada.get(f"/v1/games/{game}").status == 404


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [320, 1440])
def test_axe_finds_nothing_wrong(window, axe, ada, scheme, size):
    visiting = window(color_scheme=scheme, viewport={"width": size, "height": 900})
    visiting.sign_in(ada)
    page = visiting.open("/new")
    page.get_by_role("radio", name="Calendar").check()
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size

    game = ada.make_game("battalia", 4, visibility="unlisted")["id"]
    ada.seat_bot(game)
    page = visiting.open(f"/games/{game}")
    page.locator(".seat").first.wait_for()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size
