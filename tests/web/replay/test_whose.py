"""The content of a replay by reader: seats, forks, the seed, and hostile names."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Error

from domain.kernel.dice import Dice
from domain.kernel.options import from_json, pick
from tests.soaking import soak
from tests.web.browsing import until, violations
from tests.web.replay.conftest import HOSTILE, at, comes_to


def readable(text):
    """A value as the page shows it: in words, and a card without its copy number."""
    return re.sub(r"^([a-z]+(?:-[a-z]+)*)-\d+$", r"\1", text).replace("-", " ").replace("_", " ")


def strings(thing):
    """Every text in a document."""
    if isinstance(thing, str):
        return {thing}
    if isinstance(thing, dict):
        return set().union(*map(strings, thing.values()), set())
    return set().union(*map(strings, thing), set()) if isinstance(thing, list) else set()


def listening(page):
    """Collect the API responses from now on."""
    answers = []

    def heard(response):
        if "/v1/" in response.url and "text/event-stream" not in response.headers.get("content-type", ""):
            answers.append((response.url, response))

    page.on("response", heard)
    return answers


def test_private_data_of_another_seat_is_never_sent_in_a_running_game(replay, visiting, shelf):
    game = shelf.games["running"]
    private = shelf.birk.view(game)["private"]
    secret = [_written(private[part]) for part in ("hand", "deck", "orders") if len(private.get(part) or ()) > 1]
    assert _written(private["hand"]) in shelf.birk.get(f"/v1/games/{game}/view", want=200).text
    assert secret
    visiting.sign_in(shelf.ada)
    answers = listening(visiting.page)
    page = replay("running", "?as=2")
    newest = at(page)
    for key in ("Home", "PageDown", "PageDown", "ArrowRight", "End"):
        page.keyboard.press(key)
        page.wait_for_timeout(500)
    comes_to(page, newest)
    eyes = page.get_by_label("As seen by").locator("option").all_inner_texts()
    page.wait_for_timeout(500)

    assert eyes == ["Everyone", "Ada"]
    assert any("board.svg" in url for url, _ in answers)
    for url, response in answers:
        assert "seat=2" not in url
        body = _text_of(response, shelf.ada) if response.status == 200 else ""
        assert not [each for each in secret if each in body], url


def _text_of(response, player):
    """Chromium keeps the bodies of responses for a while only; later the same player gets the same from the service."""
    try:
        return response.text()
    except Error:
        return player.get(response.url[response.url.index("/v1/") :], want=200).text


def _written(part):
    """A value as it is written in a response."""
    return json.dumps(part, separators=(",", ":"))


@pytest.mark.soak
def test_player_sees_own_private_data_in_a_running_game(replay, shelf):
    game = shelf.games["running"]
    page = replay("running")
    page.locator(".seen dl").first.wait_for()
    until(page, "new URLSearchParams(location.search).get('as') === '1'")
    for card in shelf.ada.view(game)["private"]["hand"]:
        shown = re.compile(rf"^(\d+ \u00d7 )?{re.escape(readable(card))}$")  # equal cards are counted
        assert page.locator(".seen").get_by_text(shown).count() > 0
    page.get_by_label("As seen by").select_option("0")
    until(page, "document.querySelector('.seen').hidden")


@pytest.mark.soak
@pytest.mark.parametrize("which", ["nim", *soak("battalia", "fronela")])
def test_finished_game_can_be_seen_from_any_seat(replay, shelf, which):
    page = replay(which, "?at=20" if which != "nim" else "?at=3", signed_in=False)
    game, seq = shelf.games[which], at(page)
    seats = len(shelf.ada.summary(game)["seats"])
    page.get_by_label("As seen by").select_option(str(seats))
    page.locator(".seen h2").wait_for()
    private = shelf.ada.view(game, at=seq, seat=seats)["private"]
    told = page.locator(".seen").inner_text()
    for text in list(strings(private))[:40]:
        if text:
            assert readable(text) in told


@pytest.mark.soak
def test_fork_is_a_sandbox_that_starts_at_the_commit(replay, shelf):
    page = replay("battalia", "?at=30")
    page.get_by_role("button", name="Fork from here").click()
    page.wait_for_url(lambda url: not url.endswith("replay") and "replay" not in url)
    page.locator("main h1").wait_for()
    fork = shelf.ada.summary(page.url.rpartition("/")[2])

    assert fork["sandbox"] is not None
    assert fork["kind"] == "battalia"
    shelf.ada.start(fork["id"])
    then = shelf.ada.view(shelf.games["battalia"], at=30, seat=1)["public"]
    assert shelf.ada.view(fork["id"], at=1, seat=1)["public"]["squares"] == then["squares"]


@pytest.mark.soak
def test_running_game_and_visitor_have_no_fork_button(replay, window, shelf):
    assert replay("running").get_by_role("button", name="Fork from here").count() == 0
    page = replay("nim", signed_in=False, window=window())
    assert page.get_by_role("button", name="Fork from here").count() == 0


def game_lines(export):
    """All lines except those that grow with the service's log while other games are played."""
    return [line for line in export.splitlines() if json.loads(line)["line"] not in {"log", "end"}]


@pytest.mark.soak
def test_seed_and_export_are_those_of_the_game(replay, shelf, tmp_path):
    page = replay("nim")
    export = shelf.ada.get(f"/v1/games/{shelf.games['nim']}/export", want=200).text
    seed = next(json.loads(line) for line in export.splitlines() if '"line":"seed"' in line)
    page.get_by_role("button", name="Show seed and dice").click()
    page.locator(".seed").wait_for()

    assert seed["seed"] in page.locator(".seed").inner_text()
    assert shelf.ada.summary(shelf.games["nim"])["commitment"] in page.locator(".seed").inner_text()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Export").click()
    saved.value.save_as(tmp_path / "game.ndjson")
    assert game_lines((tmp_path / "game.ndjson").read_text()) == game_lines(export)
    assert page.get_by_role("link", name="Check this game").get_attribute("href") == f"/check?game={shelf.games['nim']}"


@pytest.mark.soak
def test_replay_follows_a_running_game_only_at_the_newest_commit(replay, shelf):
    game = shelf.games["going"]
    page = replay("going")
    before = at(page)
    page.get_by_text("now", exact=True).wait_for()
    _moved(shelf, game)
    until(page, "(before) => Number(document.querySelector('.timeline input').value) > before", before)
    now = at(page)
    assert "at" not in page.url.partition("?")[2].replace("as=", "")

    page.keyboard.press("Home")
    comes_to(page, 1)
    _moved(shelf, game)
    until(page, "(now) => Number(document.querySelector('.timeline input').max) > now", now)
    assert at(page) == 1


def _moved(shelf, game):
    """Answer the pending question."""
    seat = shelf.ada.summary(game)["pending_questions"][0]["seat"]
    player = (shelf.ada, shelf.birk)[seat - 1]
    option = player.options(game, only="answers")["options"][0]
    player.send(game, pick([from_json(option)], Dice(b"a move while somebody looks".ljust(32))), want=200)


@pytest.mark.soak
def test_hostile_name_stays_text(replay, shelf):
    page = replay("nim")
    page.get_by_label("As seen by").select_option("2")
    page.locator(".seen h2").wait_for()

    assert HOSTILE in page.locator("main").inner_text()
    assert page.locator("main img[src='x']").count() == 0


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [360, 1440])
@pytest.mark.parametrize("which", ["battalia", "running"])
def test_axe_finds_nothing_wrong(replay, window, axe, which, scheme, size):
    visiting = window(color_scheme=scheme, viewport={"width": size, "height": 900})
    page = replay(which, "?at=50&as=1" if which == "battalia" else "", window=visiting)
    page.locator(".seen dl").first.wait_for()

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size


@pytest.mark.soak
def test_controls_leave_room_for_the_board_on_a_phone(replay, window):
    """The controls stay at the bottom of the window, over the board, so they must be low."""
    visiting = window(viewport={"width": 360, "height": 740})
    page = replay("battalia", "?at=50&as=1", window=visiting)

    assert page.locator(".along").bounding_box()["height"] <= 200
    for button in page.locator(".along button").all():
        assert min(button.bounding_box()[side] for side in ("width", "height")) >= 36


@pytest.mark.soak
@pytest.mark.parametrize("wrong", ["?at=999999&as=77", *soak("?at=0", "?at=-5", "?at=nonsense", "?as=x")])
def test_invalid_position_in_the_address_still_opens_the_replay(replay, wrong):
    page = replay("nim", wrong)

    assert at(page) >= 1
    assert page.locator("ow-problem").count() == 0


@pytest.mark.soak
def test_replay_of_an_unknown_game_reports_it(visiting):
    visiting.expected.add(404)
    visiting.page.goto(f"{visiting.url}/games/none/replay")
    visiting.page.get_by_role("alert").wait_for()


@pytest.mark.soak
def test_player_tries_a_commit_of_a_running_game_in_a_study(replay, shelf):
    page, game = replay("running"), shelf.games["running"]
    before, seq = shelf.ada.get(f"/v1/games/{game}").seq, at(page)
    assert page.get_by_role("heading", name="Your studies").count() == 0
    page.get_by_role("button", name="Try it from here").click()
    page.wait_for_url(lambda url: "replay" not in url)
    page.locator("main h1").wait_for()
    study = page.url.rpartition("/")[2]
    assert {"game": game, "seq": seq} == shelf.ada.summary(study)["sandbox"]["forked"]
    assert before == shelf.ada.get(f"/v1/games/{game}").seq

    page = replay("running")

    page.get_by_role("heading", name="Your studies").wait_for()
    assert page.get_by_role("link", name=f"Commit {seq}").get_attribute("href").endswith(study)


@pytest.mark.soak
def test_visitor_cannot_start_a_study(replay, window):
    page = replay("nim", signed_in=False, window=window())
    assert page.get_by_role("button", name="Try it from here").count() == 0
