"""Challenges in the browser: find a player, offer a seat, accept, decline, and ask for a rematch."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from domain.kernel.dice import Dice
from tests.driver import Player, play_out
from tests.web.browsing import violations

KINDS = {"nim": {}, "battalia": {"modules": ["rammoth"]}}
PICTURES = os.environ.get("PICTURES", "")
"""A folder for pictures of the pages, to look at; empty for none."""


def picture(page, name):
    if PICTURES:
        size, scheme = page.viewport_size["width"], page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
        page.screenshot(path=Path(PICTURES) / f"{name}-{size}-{'dark' if scheme else 'light'}.png", full_page=True)


@pytest.fixture
def birk(site):
    return Player.register(site, f"Birk {secrets.token_hex(4)}")


def challenge(ada, birk, kind="nim"):
    seats = [{"player": ada.id}, {"player": birk.id}]
    made = ada.post("/v1/challenges", {"kind": kind, "games": [{"seats": seats}]}, want=201).json
    return made["challenges"][0]["game"]["id"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [360, 1280])
def test_axe_challenge_by_name_is_sent_and_accepted(window, axe, ada, birk, size, scheme):
    look = {"viewport": {"width": size, "height": 900}, "color_scheme": scheme}
    mine, theirs = window(**look), window(**look)
    mine.sign_in(ada)
    page = mine.open("/new?kind=nim")
    page.get_by_label("Seat 2", exact=True).select_option(label="A player I challenge")
    page.get_by_label("Player for seat 2").fill(birk.name.lower())
    page.get_by_role("button", name=f"Favorite: {birk.name}").click()
    page.locator('.star[aria-pressed="true"]').wait_for()
    picture(page, "search")
    assert violations(page) == []
    page.get_by_role("button", name=birk.name, exact=True).click()
    page.get_by_role("button", name="Change the player for seat 2").wait_for()
    page.get_by_role("button", name="Send challenge").click()
    page.get_by_text(f"Reserved for {birk.name}").wait_for()
    picture(page, "sent")
    assert violations(page) == []
    game = page.url.rpartition("/")[2]

    theirs.sign_in(birk)
    page = theirs.open("/")
    page.get_by_role("region", name="Challenges").get_by_role("button", name="Accept").wait_for()
    picture(page, "home")
    assert violations(page) == []
    page = theirs.open(f"/games/{game}")
    page.get_by_role("heading", name="You are challenged").wait_for()
    picture(page, "received")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size
    page.get_by_role("button", name="Accept").click()
    page.locator("ow-table h1").wait_for()
    assert "running" == birk.summary(game)["status"]


def test_search_shows_more_players_of_the_same_name(site, visiting, ada):
    name = f"Copy {secrets.token_hex(4)}"
    for _ in range(21):
        Player.register(site, name)
    visiting.sign_in(ada)
    page = visiting.open("/new?kind=nim")
    page.get_by_label("Seat 2", exact=True).select_option(label="A player I challenge")
    page.get_by_label("Player for seat 2").fill(name)
    page.get_by_text("20 players, and there are more.").wait_for()
    page.get_by_role("button", name="More players").click()
    page.get_by_text("21 players found.").wait_for()

    assert 21 == page.get_by_role("button", name=name, exact=True).count()
    assert not page.get_by_role("button", name="More players").is_visible()


def test_challenge_can_be_declined_on_the_home_page(visiting, ada, birk):
    game = challenge(ada, birk)
    visiting.sign_in(birk)
    page = visiting.open("/")
    page.get_by_role("region", name="Challenges").get_by_role("button", name="Decline").click()
    page.get_by_role("region", name="Challenges").wait_for(state="detached")

    assert ada.summary(game)["seats"][1]["reservation"]["expires_at"] is None


def test_creator_sees_who_declined_and_withdraws_a_challenge(visiting, ada, birk):
    declined, other = challenge(ada, birk), challenge(ada, birk)
    birk.call("DELETE", f"/v1/me/challenges/{declined}", want=204)
    visiting.sign_in(ada)
    page = visiting.open(f"/games/{declined}")
    page.get_by_text(f"Free: {birk.name} has declined").wait_for()
    page = visiting.open(f"/games/{other}")
    page.get_by_role("button", name="Withdraw challenge (seat 2)").click()
    page.get_by_text("One seat is free.").wait_for()

    assert [] == birk.get("/v1/me/challenges").json["challenges"]


@pytest.mark.parametrize("size", [360, 1280])
def test_rematch_is_a_button_of_a_finished_game(window, ada, birk, size):
    game = challenge(ada, birk)
    birk.join(game)
    play_out([ada, birk], game, Dice(b"a" * 32))
    visiting = window(viewport={"width": size, "height": 900})
    visiting.sign_in(ada)
    page = visiting.open(f"/games/{game}")
    page.get_by_role("button", name="Rematch").wait_for()
    picture(page, "over")
    page.get_by_role("button", name="Rematch").click()
    page.get_by_text(f"Reserved for {birk.name}").wait_for()

    (made,) = birk.get("/v1/me/challenges").json["challenges"]
    assert page.url.endswith(made["game"]["id"])


def test_player_turns_challenges_off_on_the_account_page(visiting, ada):
    visiting.expected.add(409)  # no email is sent here
    visiting.sign_in(ada)
    page = visiting.open("/me")
    part = page.get_by_role("region", name="Challenges", exact=True)
    part.get_by_label("Others can find me by name").uncheck()
    with page.expect_response("**/v1/me/discovery") as met:
        part.get_by_role("button", name="Save").click()

    assert 200 == met.value.status
    assert {"findable": False} == ada.get("/v1/me/discovery").json


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [360, 1280])
def test_axe_open_games_are_filtered_by_kind_and_module(window, axe, site, size, scheme):
    host = Player.register(site, f"Host {secrets.token_hex(4)}")
    games = {kind: host.make_game(kind, 2, **told)["id"] for kind, told in KINDS.items()}
    visiting = window(viewport={"width": size, "height": 900}, color_scheme=scheme)
    page = visiting.open("/")
    shelf = page.get_by_role("region", name="Open games")
    links = {kind: shelf.locator(f'a[href="/games/{game}"]') for kind, game in games.items()}
    links["nim"].wait_for()
    shelf.get_by_text("Filter").click()
    shelf.get_by_label("Game", exact=True).select_option("battalia")
    links["nim"].wait_for(state="detached")
    shelf.get_by_label("Module", exact=True).select_option("rammoth")
    links["battalia"].wait_for()
    picture(page, "filter")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size
    shelf.get_by_label("Rating of the creator, at least").fill("999")
    shelf.get_by_label("Rating of the creator, at least").press("Enter")
    shelf.get_by_text("No game is waiting for players.").wait_for()
    assert 0 == links["battalia"].count()


def test_game_becomes_a_favorite_by_its_star(visiting, ada, birk):
    game = challenge(ada, birk)
    visiting.sign_in(ada)
    page = visiting.open(f"/games/{game}")
    page.get_by_role("button", name="Favorite game").click()
    page.locator('.star[aria-pressed="true"]').wait_for()
    page = visiting.open("/")
    page.get_by_role("region", name="Favorite games").locator(f'a[href="/games/{game}"]').wait_for()

    birk.join(game)
    page = visiting.open(f"/games/{game}")
    page.locator('ow-table .star[aria-pressed="true"]').click()
    page.locator('ow-table .star[aria-pressed="false"]').wait_for()
    assert [] == ada.get("/v1/me/favorites/games").json["games"]


def test_player_is_challenged_from_the_profile(visiting, ada, birk):
    visiting.sign_in(ada)
    page = visiting.open(f"/players/{birk.id}")
    page.get_by_role("button", name="Favorite player").click()
    page.locator('.star[aria-pressed="true"]').wait_for()
    page.get_by_role("link", name="Challenge").click()
    page.get_by_role("radio", name="Nim").check()
    page.get_by_role("button", name="Change the player for seat 2").wait_for()
    page.get_by_role("button", name="Send challenge").click()
    page.get_by_text(f"Reserved for {birk.name}").wait_for()

    assert 1 == len(birk.get("/v1/me/challenges").json["challenges"])
    assert [birk.name] == [each["player"]["name"] for each in ada.get("/v1/me/favorites/players").json["players"]]
