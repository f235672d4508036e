"""Boards and charts: well-formed, with descriptions, equal for all readers, and hidden for private games."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from domain.drawing.palette import INK, PAGE
from domain.games.battalia.game import BATTALIA
from domain.kernel.dice import Dice
from domain.kernel.options import from_json, pick
from service.core.pictures.png import FONTS, render_png

SVG = "{http://www.w3.org/2000/svg}"
MODULES = ["stormgates", "rammoth", "armamentum", "keeper", "unbound_buff"]


def begun(world, kind="battalia", seats=4, name="Ashmodai", **told):
    player = world.player(name)
    game = player.make_game(kind, seats, **told)["id"]
    for _ in range(seats - 1):
        player.seat_bot(game)
    player.start(game)
    return player, game


def drawn(answer):
    assert "image/svg+xml" == answer.headers["Content-Type"].split(";")[0]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "nosniff" == answer.headers["X-Content-Type-Options"]
    root = ET.fromstring(answer.text)
    assert f"{SVG}svg" == root.tag
    assert ("100%", "0 0 800") == (root.get("width"), root.get("viewBox").rpartition(" ")[0])
    return root


def size_of(png):
    """Width and height, from the first chunk of a PNG."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def words(root):
    return " ".join(element.text or "" for element in root.iter() if element.tag in (f"{SVG}text", f"{SVG}desc"))


@pytest.mark.parametrize(("kind", "told"), [("battalia", {}), ("battalia", {"modules": MODULES}), ("fronela", {})])
def test_every_game_has_a_board_with_a_title_and_a_description(world, kind, told):
    player, game = begun(world, kind, **told)
    root = drawn(player.get(f"/v1/games/{game}/board.svg", want=200))

    assert root.find(f"{SVG}title").text
    assert "Ashmodai" in root.find(f"{SVG}desc").text
    assert "Ashmodai" in words(root)


def test_the_board_shows_cities_heroes_gates_and_the_oracle(world):
    player, game = begun(world, modules=MODULES)
    view = player.view(game)["public"]
    root = drawn(player.get(f"/v1/games/{game}/board.svg", want=200))
    tips = [title.text for title in root.iter(f"{SVG}title")]

    assert "The Oracle" in tips
    for square, card in view["squares"].items():
        assert f"{square}: {card['card']}" in tips
    cities = [tip for tip in tips if "city of level" in tip]
    assert len([card for card in view["squares"].values() if "city" in card]) == len(cities)
    assert len([hero for hero in view["heroes"].values() if hero["square"]]) == len([t for t in tips if "of seat" in t])
    assert 4 == len([tip for tip in tips if tip.startswith("Gates")])


def test_names_are_escaped_in_pictures(world):
    player, game = begun(world, name='<script>"&')
    answer = player.get(f"/v1/games/{game}/board.svg", want=200)

    drawn(answer)
    assert "<script" not in answer.text


def test_a_picture_of_a_past_commit_is_cacheable_as_immutable(world):
    player, game = begun(world)
    past = player.get(f"/v1/games/{game}/board.svg", at=1, want=200)

    drawn(past)
    assert "immutable" in past.headers["Cache-Control"]
    assert "unknown-commit" == player.get(f"/v1/games/{game}/board.svg", at=10**6, want=404).code


def test_an_unchanged_picture_is_304(world):
    player, game = begun(world)
    for path in ("board.svg", "charts/points.svg"):
        etag = player.get(f"/v1/games/{game}/{path}", want=200).headers["ETag"]
        player.get(f"/v1/games/{game}/{path}", headers={"If-None-Match": etag}, want=304)


def test_all_readers_get_the_same_picture(world):
    player, game = begun(world)
    path = f"/v1/games/{game}/board.svg"

    assert player.get(path, want=200).text == world.public.get(path, want=200).text


def test_pictures_of_a_private_game_are_404_for_strangers(world):
    player, game = begun(world, visibility="private")
    for path in ("board.svg", "charts/points.svg"):
        assert "private" in player.get(f"/v1/games/{game}/{path}", want=200).headers["Cache-Control"]
        assert "unknown-game" == world.public.get(f"/v1/games/{game}/{path}", want=404).code


def test_a_lobby_has_no_board_and_a_game_without_a_timeline_no_chart(world):
    player = world.player()
    lobby = player.make_game("battalia", 2)["id"]
    assert "not-started" == player.get(f"/v1/games/{lobby}/board.svg", want=409).code
    game, ash, _ = world.table("Ashmodai", "Birk")
    assert "not-found" == ash.get(f"/v1/games/{game}/charts/points.svg", want=404).code


def test_a_game_without_its_own_drawing_is_drawn_from_its_view(world):
    game, ash, _ = world.table("Ashmodai", "Birk")
    root = drawn(ash.get(f"/v1/games/{game}/board.svg", want=200))

    assert "Pennies" == root.find(f"{SVG}title").text
    assert {"Ashmodai", "Birk", "Points", "Goal", "3"} <= {text.text for text in root.iter(f"{SVG}text")}
    assert "Points: 1 0, 2 0." in root.find(f"{SVG}desc").text


@pytest.mark.parametrize("kind", ["battalia", "fronela"])
def test_the_chart_has_the_points_of_the_view(world, kind):
    player, game = begun(world, kind)
    public = player.view(game)["public"]
    points = public.get("points") or {number: seat["points"] for number, seat in public["seats"].items()}
    root = drawn(player.get(f"/v1/games/{game}/charts/points.svg", want=200))

    what = "1 point;" if points["1"] == 1 else f"{points['1']} points;"
    assert f"Ashmodai has {what}" in root.find(f"{SVG}desc").text


def test_the_board_as_a_png_has_the_requested_width(world):
    player, game = begun(world, modules=MODULES)
    path = f"/v1/games/{game}/board.png"
    usual = player.get(path, want=200)
    small = player.get(path, width=400, want=200)

    assert "image/png" == usual.headers["Content-Type"]
    assert (800, 400) == (size_of(usual.body)[0], size_of(small.body)[0])
    assert abs(size_of(usual.body)[1] - 2 * size_of(small.body)[1]) <= 2
    assert usual.body != player.get(path, scheme="dark", want=200).body
    assert usual.headers["ETag"] != small.headers["ETag"]
    player.get(path, width=400, headers={"If-None-Match": small.headers["ETag"]}, want=304)
    assert "immutable" in player.get(path, at=1, want=200).headers["Cache-Control"]


@pytest.mark.parametrize("query", [{"width": 99}, {"width": 2001}, {"width": "wide"}, {"scheme": "pink"}])
def test_a_png_with_an_invalid_width_or_scheme_is_refused(world, query):
    player, game = begun(world, seats=2)
    assert "invalid" == player.get(f"/v1/games/{game}/board.png", **query, want=422).code


def test_a_png_of_a_private_game_is_404_for_strangers(world):
    player, game = begun(world, visibility="private")
    assert "private" in player.get(f"/v1/games/{game}/board.png", want=200).headers["Cache-Control"]
    assert "unknown-game" == world.public.get(f"/v1/games/{game}/board.png", want=404).code


def test_a_picture_with_a_fixed_scheme_ignores_the_readers_preference(world):
    player, game = begun(world)
    for path in ("board.svg", "charts/points.svg"):
        usual, dark, light = (
            player.get(f"/v1/games/{game}/{path}", want=200, **query)
            for query in ({}, {"scheme": "dark"}, {"scheme": "light"})
        )
        assert [True, False, False] == ["prefers-color-scheme" in each.text for each in (usual, dark, light)]
        assert 3 == len({each.headers["ETag"] for each in (usual, dark, light)})
        assert [True, False, False] == ["<style>" in each.text for each in (usual, dark, light)]
        assert _colours(light.text) == _colours(usual.text)
        assert {PAGE.dark, INK.dark} <= _colours(dark.text)
        assert not {str(PAGE), str(INK)} & _colours(dark.text)


def _colours(picture):
    return {element.get(what) for element in ET.fromstring(picture).iter() for what in ("fill", "stroke")}


def test_a_picture_shows_the_last_move_before_its_commit(world):
    ash, birk = world.player("Ashmodai"), world.player("Birk")
    game = ash.make_game("nim", 2)["id"]
    birk.post(f"/v1/games/{game}/seats", {}, want=201)
    ash.start(game)
    mover = ash if ash.options(game)["options"] else birk
    take = {"type": "take", "heap": 2, "objects": 3}
    mover.post(f"/v1/games/{game}/commands", take, headers={"Prefer": "wait=5"}, want=200)
    path = f"/v1/games/{game}/board.svg"
    now = ash.get(path, want=200)
    seq, told = ash.view(game)["seq"], world.public.events(game)[-1]["lines"][-1]["text"]

    assert told in words(drawn(now))
    assert now.text == ash.get(path, at=seq, want=200).text
    assert told not in words(drawn(ash.get(path, at=seq - 1, want=200)))


def test_a_past_picture_names_bots_without_factions_chosen_later(world):
    player = world.player()
    game = player.make_game("battalia", 2, options={"quick_setup": False})["id"]
    player.seat_bot(game, "greedy")
    player.start(game)
    path = f"/v1/games/{game}/board.svg"
    early = player.get(path, at=1, want=200).text
    for _ in range(4):
        offered = player.options(game, only="answers")["options"]
        if any(option["type"] == "choose_faction" for option in offered):
            break
        world.work(game)
    player.send(game, pick([from_json(option) for option in offered], Dice(b"factions")), want=200)
    later = player.get(path, want=200).text

    assert early == player.get(path, at=1, want=200).text
    factions = [name for name in BATTALIA.presentation.names["faction"].values() if f"{name} (greedy bot)" in later]
    assert len(factions) == 1
    assert f"{factions[0]} (greedy bot)" not in early


def test_text_is_rendered_with_bundled_fonts():
    page = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20"><text x="2" y="15" font-size="14"{}>{}</text></svg>'
    look = " font-family=\"system-ui, 'DejaVu Sans', sans-serif\""
    pictures = [render_png(page.format(each, word), 160) for word in ("", "Ash", "Birk") for each in ("", look)]

    assert all(Path(file).is_file() for file in FONTS)
    assert 3 == len({hashlib.sha256(png).digest() for png in pictures})


def test_png_ignores_unknown_query_parameters(world):
    player, game = begun(world, seats=2)
    path = f"/v1/games/{game}/board.png"

    assert player.get(path, want=200).body == player.get(path, t=1, want=200).body
