"""Tournaments in the browser: list, form, registration, standings, rounds and their games."""

from __future__ import annotations

import contextlib

import pytest

from domain.kernel.dice import Dice
from service.core.positions.cache import Positions
from service.features.tournaments.running import Runner
from service.ops.instance.embedded import EmbeddedServer
from service.ops.settings import Settings
from service.store.redis.store import open_store
from tests.driver import Player, play_out
from tests.features.tournaments.conftest import SWISS
from tests.web.browsing import violations
from tests.workers.crew import eventually


@pytest.fixture
def runner(service):
    """Advances the tournaments of the service at once, instead of after up to a minute."""
    with contextlib.closing(open_store(EmbeddedServer(service.folder / "data").url)) as store:
        yield Runner(store, Settings(), Positions(store), lambda _: None)


@pytest.fixture
def played(site, ada, runner):
    """A Swiss tournament of Ada's with four players, whose first round is over."""
    players = [Player.register(site, name) for name in ("Birk", "Cleo", "Dora", "Emil with a long name")]
    id_ = ada.post("/v1/tournaments", {**SWISS, "name": "Winter Nim", "text": "Everyone is welcome."}, want=201).json[
        "id"
    ]
    for player in players:
        player.post(f"/v1/tournaments/{id_}/entries", {}, want=201)
    ada.post(f"/v1/tournaments/{id_}/start", {}, want=200)
    runner.advance(id_)
    for table in ada.get(f"/v1/tournaments/{id_}").json["rounds"][0]["tables"]:
        play_out(players, table["game"], Dice(b"x" * 32))
    runner.advance(id_)
    return id_


def test_a_tournament_is_created_with_the_form(visiting, ada):
    visiting.sign_in(ada)
    page = visiting.open("/tournaments")
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Name", exact=True).fill("Spring Nim")
    page.get_by_label("Game", exact=True).select_option("nim")
    page.get_by_label("Format", exact=True).select_option("league")
    page.get_by_label("Divisions").fill("3")
    page.get_by_label("Seasons").fill("2")
    page.get_by_label("Places").fill("12")
    page.get_by_role("button", name="Create tournament").click()
    page.wait_for_url("**/tournaments/r*")
    page.get_by_role("heading", name="Spring Nim").wait_for()

    settings = ada.get(f"/v1/tournaments/{page.url.rpartition('/')[2]}", want=200).json["settings"]
    expected = {"name": "Spring Nim", "kind": "nim", "format": "league", "groups": 3, "seasons": 2, "places": 12}
    assert expected == {name: settings[name] for name in expected}


def test_faults_are_shown_at_their_fields(visiting, ada):
    visiting.sign_in(ada)
    visiting.expected.add(422)
    page = visiting.open("/tournaments/new")
    page.get_by_label("Name", exact=True).fill("Too small")
    page.get_by_label("Places").wait_for()
    page.get_by_label("Format", exact=True).select_option("groups")
    page.get_by_label("Places").fill("3")
    page.get_by_role("button", name="Create tournament").click()

    page.locator('[data-pointer="/places"] .fault').wait_for()


def test_players_register_and_withdraw_and_the_organizer_starts(window, site, ada, runner):
    id_ = ada.post("/v1/tournaments", SWISS, want=201).json["id"]
    birk = Player.register(site, "Birk of the list")
    visiting = window()
    visiting.sign_in(birk)
    page = visiting.open(f"/tournaments/{id_}")
    page.get_by_role("button", name="Register").click()
    page.locator("strong", has_text="You are registered.").wait_for()
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_role("button", name="Register").click()
    page.locator("strong", has_text="You are registered.").wait_for()
    Player.register(site, "Cleo").post(f"/v1/tournaments/{id_}/entries", {}, want=201)

    own = window()
    own.sign_in(ada)
    page = own.open(f"/tournaments/{id_}")
    page.get_by_role("button", name="Start now").click()
    page.locator("main").get_by_text("Running", exact=True).wait_for()
    runner.advance(id_)
    table = ada.get(f"/v1/tournaments/{id_}").json["rounds"][0]["tables"][0]
    eventually(lambda: ada.summary(table["game"])["seq"] > 0)
    page.reload()
    page.get_by_role("link", name="Table 1").click()
    page.locator("ow-table h1").wait_for()


def test_standings_crosstable_and_rounds_are_shown(visiting, ada, played):
    document = ada.get(f"/v1/tournaments/{played}").json
    page = visiting.open(f"/tournaments/{played}")
    names = {each["number"]: each["player"]["name"] for each in document["entries"]}
    rows = document["standings"][0]["rows"]

    table = page.get_by_role("region", name="Standings, table")
    assert [names[row["entry"]] for row in rows] == table.locator("tbody th").all_inner_texts()
    assert str(rows[0]["values"]["points"]) == table.locator("tbody tr").first.locator("td").nth(1).inner_text()
    page.get_by_text("Crosstable: Standings").click()
    cells = page.get_by_role("region", name="Standings, crosstable").locator("tbody tr").first.locator("td")
    expected = [
        "" if column == 0 else "·" if cell is None else str(cell)
        for column, cell in enumerate(document["standings"][0]["crosstable"][0])
    ]
    assert expected == cells.all_inner_texts()
    assert 2 == page.locator("details[open] .tables a").count()
    page.get_by_text("Round 1: all games are over").click()
    assert 4 == page.locator(".tables a").count()
    page.get_by_text("Rules, seed and check").click()
    assert page.get_by_text(document["seed"]).is_visible()


def test_an_unknown_tournament_shows_the_problem(visiting):
    visiting.expected.add(404)
    page = visiting.page
    page.goto(f"{visiting.url}/tournaments/r0")

    page.get_by_text("There is no such tournament.").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [360, 1280])
def test_axe_finds_nothing_wrong_in_tournaments(window, axe, ada, played, scheme, size):
    visiting = window(color_scheme=scheme, viewport={"width": size, "height": 900})
    visiting.sign_in(ada)
    for path in ("/tournaments", "/tournaments/new", f"/tournaments/{played}"):
        page = visiting.open(path)
        page.locator("[aria-busy=true]").wait_for(state="detached")
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")

        assert [] == violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= size
