"""A player's standing orders, and what they would have answered to the latest questions."""

from __future__ import annotations

import json

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.fronela.game import FRONELA
from domain.kernel.dice import Dice
from domain.kernel.options import from_json, pick
from domain.kernel.terms import Seat
from domain.registry import GAMES
from service.core.positions.cache import Positions
from service.core.positions.rows import as_bytes
from service.features.standing_orders import preview
from service.store.codec import plain
from tests.battalia.test_orders import returning
from tests.soaking import soak

END = {"type": "end_turn"}
HOME = {"type": "set_return", "first": ["G1", "home"]}


def orders(player, game, **query):
    return player.get(f"/v1/games/{game}/orders", want=200, **query).json


@pytest.fixture
def away(world):
    """A sandbox of Battalia in which seat 2 has two heroes off the board and two cities; seat 1 is on turn."""
    ash = world.player("Ash")
    position = json.loads(as_bytes(plain(returning())))
    options = {"quick_setup": False}
    made = ash.make_game("battalia", 2, options=options, sandbox={"position": position})["id"]
    ash.join(made)
    ash.start(made)
    return made, ash


def test_orders_are_shown_with_sentences_and_only_to_their_owner(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    game = ash.make_game("battalia", 2)["id"]
    birk.join(game)
    ash.start(game)
    assert {"orders": [], "questions": []} == {name: orders(birk, game)[name] for name in ("orders", "questions")}

    birk.send(game, {"type": "set_defence", "place": 2, "how": "reach", "number": 9, "spare": ["lord"]}, want=200)
    birk.send(game, {"type": "set_wish", "first": ["supply"]}, want=200)
    told = orders(birk, game)

    assert ["set_defence", "set_wish"] == [line["order"]["type"] for line in told["orders"]]
    assert told["orders"][1]["text"] == "Birk's standing order for amulets: wish for a supply."
    assert "a strength of 9" in told["orders"][0]["text"]
    assert "except lords" in told["orders"][0]["text"]
    assert (2, birk.view(game)["seq"]) == (told["seat"], told["seq"])
    assert [] == orders(ash, game)["orders"]
    assert not any("set_wish" in json.dumps(entry) for entry in ash.events(game))


def test_orders_show_their_answers_to_pending_and_to_past_questions(away):
    game, ash = away
    ash.send(game, END, seat=1, want=200)

    (standing,) = orders(ash, game, seat=2)["questions"]
    assert ("return", None) == (standing["kind"], standing["seq"])
    assert not {"answered", "by", "ordered"} & standing.keys()
    assert standing["text"].startswith("Choose the city")

    ash.send(game, HOME, seat=2, want=200)
    assert {"type": "return_hero", "square": "G1"} == orders(ash, game, seat=2)["questions"][0]["ordered"]
    answered = ash.send(game, {"type": "return_hero", "square": "G5"}, seat=2, want=200).json

    (told,) = orders(ash, game, seat=2)["questions"]
    assert standing["id"] == told["id"]
    assert (answered["seq"], "player") == (told["seq"], told["by"])
    assert {"type": "return_hero", "square": "G5"} == told["answered"]
    assert {"type": "return_hero", "square": "G1"} == told["ordered"], "the second hero was not asked about any more"
    assert [] == orders(ash, game, seat=1)["questions"]

    ash.send(game, {"type": "set_return", "first": []}, seat=2, want=200)
    assert "ordered" not in orders(ash, game, seat=2)["questions"][0], "it is the orders of now that are asked"


def played(world, kind, seats, commands, **told):
    """Play so many random commands, then give orders for all; return the game's id and the players."""
    players = [world.player() for _ in range(seats)]
    game = players[0].make_game(kind, seats, **told)["id"]
    for player in players[1:]:
        player.join(game)
    players[0].start(game)
    dice = Dice(kind.encode().ljust(32, b"."))
    for number in range(commands):
        if number % 9 == 0:
            ordered(dice.choose(players), game, dice)
        asked = {each["seat"] for each in players[0].summary(game)["pending_questions"]}
        mover = next((player for seat, player in enumerate(players, 1) if seat in asked), None)
        if mover is None:
            break
        offered = [from_json(each) for each in mover.options(game, only="answers")["options"]]
        brisk = [each for each in offered if each.type == "end_turn" and dice.below(4)]
        mover.send(game, pick(brisk or offered, dice), want=200)
    for player in players:
        for _ in range(20):
            ordered(player, game, dice)
    return game, players


def ordered(player, game, dice):
    """Give a random order."""
    told = player.options(game)
    player.send(game, pick([from_json(each) for each in told["options"][told["answers"] :]], dice), want=200)


@pytest.mark.parametrize(
    ("kind", "seats", "commands", "told"),
    [
        ("battalia", 3, 40, {"modules": ["unbound_buff", "rammoth"]}),
        *soak(("battalia", 3, 110, {"modules": ["unbound_buff", "rammoth"]}), ("fronela", 4, 260, {})),
    ],
    ids=["battalia", "long-battalia", "fronela"],
)
def test_ordered_answers_in_random_games_match_the_rules_for_any_step_size(
    world, kind, seats, commands, told, monkeypatch
):
    # The setup is random. A game in which no order applies to a question proves nothing, so another one is played.
    assert any(
        agreeing(world, *played(world, kind, seats, commands, **told), GAMES[kind], monkeypatch) for _ in range(5)
    )


def agreeing(world, game, players, rules, monkeypatch):
    """Compare each shown question with the rules; return how many of them the orders answer."""
    positions = Positions(world.store)
    facts = positions.get_config(game)
    now, found = positions.read_newest(facts), 0
    for seat, player in enumerate(players, 1):
        whole = orders(player, game)["questions"]
        with monkeypatch.context() as patch:
            patch.setattr(preview, "BATCH_SIZE", 7)
            patch.setattr(preview, "MAX_READS", 100)
            assert whole == orders(player, game)["questions"]
        assert len(whole) <= preview.MAX_QUESTIONS
        seqs = [each["seq"] for each in whole if each["seq"] is not None]
        assert seqs == sorted(seqs, reverse=True)
        for each in whole:
            then = now if each["seq"] is None else positions.read_at(facts, each["seq"] - 1)
            assert each["kind"] in rules.rules.orderable
            expected = rules.rules.by_orders(then.state, Seat(seat), now.state)
            assert plain(expected) == each.get("ordered")
            found += expected is not None
            assert (each["seq"] is None) == ("answered" not in each)
    return found


def test_games_declare_the_questions_that_orders_can_answer():
    assert {
        "defend",
        "return",
        "flee",
        "spoils",
        "wish",
        "discard",
        "bet",
        "entrance",
        "victim",
        "stir",
        "attacked",
    } == set(BATTALIA.rules.orderable)
    assert {"retreat", "special_retreat", "growth", "battle"} < set(FRONELA.rules.orderable)
    assert () == GAMES["nim"].rules.orderable


def test_fronela_shows_orders_only_to_their_owner(world):
    players = [world.player(name) for name in ("Ash", "Birk", "Cole", "Dana")]
    game = players[0].make_game("fronela", 4)["id"]
    for player in players[1:]:
        player.join(game)
    players[0].start(game)
    nation = players[1].options(game)["options"][-1]["open"][0]["one_of"][0]
    players[1].send(game, {"type": "set_stance", "nation": nation, "stance": "hold"}, want=200)

    (line,) = orders(players[1], game)["orders"]
    assert ("stance_set", nation, "hold") == (line["type"], line["nation"], line["stance"])
    assert line["text"].endswith(".")
    assert [] == orders(players[0], game)["orders"]


def test_a_game_without_orders_has_none(world):
    ash, birk = world.player(), world.player()
    game = ash.make_game("nim", 2)["id"]
    birk.join(game)
    ash.start(game)
    assert [] == orders(ash, game)["orders"] == orders(ash, game)["questions"]


def test_unchanged_orders_are_304(away):
    game, ash = away
    first = ash.get(f"/v1/games/{game}/orders", seat=2, want=200)
    etag = {"If-None-Match": first.headers["ETag"]}
    again = ash.get(f"/v1/games/{game}/orders", seat=2, headers=etag, want=304)
    assert b"" == again.body
    ash.send(game, HOME, seat=2, want=200)
    assert 200 == ash.get(f"/v1/games/{game}/orders", seat=2, headers=etag).status


def test_invalid_requests_for_orders_are_refused(world, away):
    game, ash = away
    cole = world.player("Cole")
    path = f"/v1/games/{game}/orders"
    assert "not-your-seat" == cole.get(path, want=403).code
    assert "no-token" == world.public.get(path, want=401).code
    assert "unknown-game" == ash.get("/v1/games/gnone/orders", want=404).code
    assert 422 == ash.get(path, seat=9).status
    assert 422 == ash.get(path, colour="red").status
    lobby = ash.make_game("battalia", 2)["id"]
    assert "not-started" == ash.get(f"/v1/games/{lobby}/orders", want=409).code


def test_a_player_who_resigned_has_no_orders(world):
    ash, birk = world.player("Ash"), world.player("Birk")
    game = ash.make_game("battalia", 2)["id"]
    birk.join(game)
    ash.start(game)
    birk.send(game, {"type": "set_wish", "first": ["supply"]}, want=200)
    birk.send(game, {"type": "resign"}, want=200)
    assert [] == orders(birk, game)["orders"] == orders(birk, game)["questions"]
