"""The clauses of ratings, each played over HTTP."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.kernel.dice import Dice
from domain.kernel.terms import DAY
from domain.registry import GAMES
from service.audit.parser import parse_outline
from service.features.ratings import results
from service.features.ratings.computation import UNRATED, RatedGame, compute
from service.features.ratings.results import GameResult, NotFinished, read_result
from service.store.codec import canonical
from tests.core.http.test_reliability import expire
from tests.features.ratings import rated
from tests.test_clauses import clauses, named

DICE = Dice(b"a move")


def vote(players, game, kind, **told):
    players[0].send(game, {"type": "call_vote", "kind": kind, **told}, want=200)
    for player in players[1:]:
        if player.summary(game)["status"] != "over":
            player.send(game, {"type": "cast_vote", "agree": True}, want=None)


def game_of(number, *players, ended=None, places=(1, 2), bots=None):
    """A game as the lists have it, without having been played."""
    seats = tuple((seat,) for seat in range(1, len(players) + 1))
    at = DAY + number if ended is None else ended
    made = GameResult(f"g{number}", "0" * 64, at, "nim", bots or ("",) * len(players), seats, places)
    return RatedGame(made, players)


def test_every_clause_of_ratings_has_a_test():
    wanted = clauses("../ratings", ("RAT",))

    assert 13 == len(wanted)
    assert [] == [clause for clause in wanted if clause not in named("features/ratings")]


def test_rat_01_only_public_rated_games_count(world):
    ash, birk = world.player(), world.player()
    plain = ash.make_game("nim")["id"]
    birk.join(plain)
    ash.start(plain)
    rated.finish(plain, ash, birk)

    assert results.NOT_RATED == rated.result(ash, plain).clause
    assert {} == rated.lists(world)
    counted = rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)
    assert "" == rated.result(ash, counted).clause
    assert {ash.id, birk.id} == rated.lists(world)["nim:2:players"].keys()


@pytest.mark.parametrize("told", [{"visibility": "private"}, {"visibility": "unlisted"}, {"sandbox": {}}])
def test_rat_01_private_games_and_sandboxes_cannot_be_rated(world, told):
    body = {"kind": "nim", "seats": 2, "table": rated.RATED, **told}
    refused = world.player().post("/v1/games", body, want=422)

    assert ["/table/rated"] == [each["pointer"] for each in refused.json["errors"]]


def test_rat_01_a_fork_of_a_rated_game_is_not_rated(world):
    ash, birk = world.player(), world.player()
    game = rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)

    fork = ash.post(f"/v1/games/{game}/fork", {"seq": 1}, want=201).json
    assert "rated" not in fork["table"]


def test_rat_02_lists_are_by_kind_and_seats_and_bots_have_their_own(world):
    ash, birk, cleo = (world.player() for _ in range(3))
    rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)
    rated.finish(rated.start(ash, birk, cleo), ash, birk, cleo)
    rated.finish(rated.start(ash, bots=("greedy",)), ash)

    found = {name: set(each) for name, each in rated.lists(world).items()}
    assert {
        "nim:2:players": {ash.id, birk.id},
        "pennies:3:players": {ash.id, birk.id, cleo.id},
        "pennies:2:bots": {ash.id, "bot:greedy"},
    } == found


def test_rat_02_a_bot_with_two_seats_gets_the_mean_of_their_results():
    two = game_of(1, "p1", "bot:greedy", "bot:greedy", places=(2, 1, 3), bots=("", "bot:greedy", "bot:greedy"))
    apart = game_of(1, "p1", "bot:one", "bot:two", places=(2, 1, 3), bots=("", "bot:one", "bot:two"))

    together, separate = (compute([each])[0].ratings for each in (two, apart))
    assert together["bot:greedy"].mu == pytest.approx((separate["bot:one"].mu + separate["bot:two"].mu) / 2, abs=1e-6)
    assert 1 == together["bot:greedy"].games


def test_rat_03_winners_are_first_and_others_follow_by_points(world):
    players = [world.player() for _ in range(4)]
    game = rated.finish(rated.start(*players), *players)

    outcome = players[0].summary(game)["outcome"]
    scores = {int(seat): score for seat, score in outcome["scores"].items()}
    expected = {
        seat: 1 + sum(other > score for other in scores.values()) for seat, score in scores.items()
    }  # who has most wins here
    assert expected == rated.places(players[0], game)
    assert len(set(expected.values())) > 1


def test_rat_04_allies_are_one_team(world):
    players = [world.player() for _ in range(4)]
    game = rated.start(*players, kind="battalia", options={"teams": True})
    vote([players[1], players[3]], game, "concede", seat=3)

    found = rated.result(players[0], game)
    assert ((1, 3), (2, 4)) == found.teams
    assert (1, 2) == found.places


def test_rat_05_an_aborted_game_does_not_count(world):
    ash, birk = world.player(), world.player()
    game = rated.start(ash, birk, kind="nim")
    vote([ash, birk], game, "abort")

    assert "over" == ash.summary(game)["status"]
    assert results.ABORTED == rated.result(ash, game).clause
    assert {"nim:2:players": {}} == rated.lists(world)


def test_rat_06_players_who_resign_are_below_all_others_and_the_first_is_last(world):
    players = [world.player() for _ in range(4)]
    game = rated.start(*players, options={"points": 2})
    for player in players:
        player.move(game, DICE)
    players[1].send(game, {"type": "resign"}, want=200)
    players[3].send(game, {"type": "resign"}, want=200)
    rated.finish(game, players[0], players[2])

    found = rated.places(players[0], game)
    assert (4, 3) == (found[2], found[4])
    assert {1, 2} >= {found[1], found[3]}


def test_rat_06_a_player_who_resigns_in_a_team_game_is_a_side_alone(world):
    players = [world.player() for _ in range(4)]
    game = rated.start(*players, kind="battalia", options={"teams": True})
    players[2].send(game, {"type": "resign"}, want=200)
    vote([players[1], players[3]], game, "concede", seat=1)

    found = rated.result(players[0], game)
    assert ((1,), (2, 4), (3,)) == found.teams
    assert (1, 2, 3) == found.places


@pytest.mark.parametrize(("limit", "last"), [(0, 1), (1, 2)])
def test_rat_07_missed_turns_count_and_a_vacated_seat_counts_as_left(world, limit, last):
    ash, birk = world.player(), world.player()
    pace, table = {"mode": "per_question", "hours": 1}, {"missed_limit": limit, "votes": "on"}
    game = rated.start(ash, birk, pace=pace, table=table, options={"points": 1000})
    for player in (ash, birk):
        player.move(game, DICE)
    ash.move(game, DICE)
    expire(world, game, 2)
    if limit:
        birk.post(f"/v1/games/{game}/seats/2/take", {}, want=200)
    ash.send(game, {"type": "call_vote", "kind": "concede", "seat": 2}, want=200)

    assert "conceded" == ash.summary(game)["outcome"]["reason"]
    assert last == rated.places(ash, game)[2]


def test_rat_08_the_result_belongs_to_the_player_who_began(world):
    ash, birk, cleo = (world.player() for _ in range(3))
    game = rated.start(ash, birk)
    for player in (ash, birk):
        player.move(game, DICE)
    birk.send(game, {"type": "resign"}, want=200)
    cleo.post(f"/v1/games/{game}/seats/2/take", {}, want=200)
    rated.finish(game, ash, cleo)

    assert {1: 1, 2: 2} == rated.places(ash, game)
    assert {ash.id, birk.id} == rated.lists(world)["pennies:2:players"].keys()


def test_rat_09_commands_that_were_undone_have_no_effect(world):
    ash, birk = world.player(), world.player()
    game = rated.start(ash, birk, kind="nim", table={"undo": "free"})
    first = next(
        each
        for each in (ash, birk)
        if each.summary(game)["pending_questions"][0]["seat"] == each.summary(game)["your_seats"][0]
    )
    first.move(game, DICE)
    first.send(game, {"type": "request_undo", "seq": first.summary(game)["seq"]}, want=200)
    rated.finish(game, ash, birk)

    winners = ash.summary(game)["outcome"]["winners"]
    assert {seat: 1 if seat in winners else 2 for seat in (1, 2)} == rated.places(ash, game)


def test_rat_10_a_game_counts_only_if_every_player_made_a_decision(world):
    ash, birk = world.player(), world.player()
    game = rated.start(ash, birk)
    birk.send(game, {"type": "resign"}, want=200)
    rated.finish(game, ash)

    assert results.NOT_PLAYED == rated.result(ash, game).clause
    assert {"pennies:2:players": {}} == rated.lists(world)


def test_rat_11_only_ten_games_of_two_players_count_in_thirty_days():
    games = [game_of(number, "p1", "p2") for number in range(12)]
    later = game_of(99, "p1", "p2", ended=31 * DAY + 3)

    _, effects = compute([*games, later])
    assert ["", "RAT-11", "RAT-11", ""] == [change.clause for _, change in effects[9:]]
    others = [game_of(50, "p1", "p3"), game_of(51, "p2", "p3")]
    assert ["", ""] == [change.clause for game, change in compute([*games, *others])[1] if "p3" in game.players]


def test_rat_11_a_third_player_does_not_lift_the_limit():
    games = [game_of(number, "p1", "p2") for number in range(10)]
    three = game_of(10, "p1", "p2", "p3", places=(1, 2, 3))

    assert "RAT-11" == compute([*games, three])[1][-1][1].clause


def test_rat_12_numbers_are_rounded_and_do_not_depend_on_the_order_of_arrival():
    games = [
        game_of(1, "p1", "p2"),
        game_of(2, "p2", "p3"),
        game_of(3, "p3", "p1"),
        game_of(0, "p1", "p3", places=(2, 1)),
    ]
    same_end = [game_of(5, "p1", "p2", ended=DAY + 4), game_of(4, "p2", "p1", ended=DAY + 4)]

    made = compute([*games, *same_end])[0].ratings
    assert made == compute([*same_end, *reversed(games)])[0].ratings
    assert all(each.mu == round(each.mu, 6) and each.sigma == round(each.sigma, 6) for each in made.values())
    first = compute(games[:1])[0].ratings
    assert (27.635389, 8.065901) == (first["p1"].mu, first["p1"].sigma)
    assert UNRATED.value == pytest.approx(0, abs=1e-5)


def test_rat_13_a_conceded_game_counts(world):
    ash, birk = world.player(), world.player()
    game = rated.start(ash, birk)
    for player in (ash, birk):
        player.move(game, DICE)
    ash.send(game, {"type": "call_vote", "kind": "concede", "seat": 2}, want=200)

    assert "conceded" == ash.summary(game)["outcome"]["reason"]
    found = rated.result(ash, game)
    assert ("", {1: 2, 2: 1}) == (found.clause, rated.places(ash, game))


def test_the_export_of_a_running_game_has_no_result(world):
    ash, birk = world.player(), world.player()
    game = rated.start(ash, birk)

    with pytest.raises(NotFinished, match="still running"):
        rated.result(ash, game)


def edited(export, seq, change):
    """The export with another body of a commit. Nothing else of the file fits it any more."""
    lines = list(export.commits)
    body = lines[seq - 1].body
    change(body)
    lines[seq - 1] = replace(lines[seq - 1], body_bytes=canonical(body))
    return replace(export, commits=lines)


@pytest.fixture
def counted(world):
    """The export of a game that counts."""
    ash, birk = world.player(), world.player()
    return parse_outline(rated.export(ash, rated.finish(rated.start(ash, birk, kind="nim"), ash, birk)))


def test_rat_01_an_export_of_a_sandbox_does_not_count(counted):
    sandbox = edited(counted, 1, lambda body: body["events"][0].update(sandbox=True))

    assert ["", results.NOT_RATED] == [read_result(each).clause for each in (counted, sandbox)]


def test_rat_01_a_game_with_one_side_does_not_count(counted, monkeypatch):
    monkeypatch.setattr(type(GAMES["nim"].rules), "allies", lambda _rules, _state, seat: (3 - seat,))

    found = read_result(counted)
    assert (((1, 2),), results.NOT_RATED) == (found.teams, found.clause)


def test_rat_10_a_refused_command_is_no_decision(counted):
    moves = [line.header.seq for line in counted.commits if line.body["actor"]["seat"] == 1]
    refused = counted
    for seq in moves:
        refused = edited(refused, seq, lambda body: body.update(refusal={"code": "x", "message": "x"}))

    assert moves
    assert results.NOT_PLAYED == read_result(refused).clause
