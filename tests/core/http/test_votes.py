"""Votes over the API: calling, viewing and casting them, and their effects on the game."""

from __future__ import annotations

import json

import pytest

from service.audit.auditor import audit
from service.cli.terminal import board
from tests.core.http.problem import is_a_problem
from tests.pennies import PENNIES

ABORT = {"type": "call_vote", "kind": "abort"}


def agree(*, agree=True):
    return {"type": "cast_vote", "agree": agree}


def test_players_can_end_a_game_by_a_vote_and_it_passes_the_audit(world):
    game, ash, birk = world.table()
    ash.send(game, ABORT, want=200)
    (asked,) = [turn for turn in birk.turns() if turn["kind"] == "vote"]
    carried = birk.send(game, agree(), want=200).json

    assert ({"vote": "abort", "by": 1}, 2) == (asked["about"], asked["seat"])
    assert [
        "Birk agrees.",
        "The players have agreed to end the game without a winner.",
        "The game is over. No one wins.",
    ] == [line["text"] for line in carried["lines"]]
    over = ash.summary(game)
    assert ("over", []) == (over["status"], over["pending_questions"])
    assert {"reason": "aborted", "clause": "", "winners": [], "scores": {}} == over["outcome"]
    report = audit(ash.get(f"/v1/games/{game}/export").body, games={"pennies": PENNIES})
    assert report.is_ok and "aborted" == report.facts["outcome"]["reason"]


def test_players_can_concede_by_a_vote_and_the_board_shows_it(world):
    game, ash, birk, cyra = world.table("Ash", "Birk", "Cyra")
    ash.send(game, {"type": "call_vote", "kind": "concede", "seat": 2}, want=200)
    is_a_problem(birk.send(game, agree()), 409, "not-your-vote")
    cyra.send(game, agree(), want=200)

    assert [2] == ash.summary(game)["outcome"]["winners"]
    picture = world.public.get(f"/v1/games/{game}/board.svg").text
    assert "has won" in picture and "the others have conceded" in picture


def test_a_vote_is_shown_in_view_options_digest_and_pending_questions(world):
    game, ash, birk = world.table()
    ash.send(game, {"type": "call_vote", "kind": "concede", "seat": 1}, want=409)
    ash.send(game, {"type": "call_vote", "kind": "concede", "seat": 2}, want=200)

    assert "over" == ash.summary(game)["status"], "of two players nobody is left to ask"

    game, ash, birk = world.table("Dag", "Eir")
    ash.send(game, ABORT, want=200)
    stands = world.public.view(game)["public"]["table"]["votes"]["ballot"]
    assert ("abort", 1, [1, 2], [1], []) == tuple(
        stands[name] for name in ("kind", "caller", "voters", "agreed", "against")
    )
    assert {"type": "cast_vote", "fixed": {}, "open": [{"name": "agree", "one_of": [True, False]}]} in birk.options(
        game
    )["table"]
    birk.send(game, {"type": "hide", "pennies": 1}, want=200)
    since = birk.get(f"/v1/games/{game}/events", since="my-last-turn", want=200).json["since"]
    (question,) = since["questions"]
    assert question["text"].startswith("Dag asks whether you agree to end the game without a winner. Deadline: ")
    told = ash.get(f"/v1/games/{game}/events", digest="turn", headers={"Accept": "text/plain"}, want=200).text
    assert "Dag asks the players to end the game without a winner." in told


def test_a_game_can_be_created_without_votes(world):
    game, ash, _ = world.table(table={"votes": "off"})

    assert "off" == ash.summary(game)["table"]["votes"]
    assert ["resign"] == [option["type"] for option in ash.options(game)["table"]]
    is_a_problem(ash.send(game, ABORT), 409, "not-here")
    assert "votes" not in ash.view(game)["public"]["table"]


@pytest.mark.parametrize(
    ("table", "pointer"),
    [
        ({"votes": "maybe"}, "/table/votes"),
        ({"votes": True}, "/table/votes"),
        ({"vote": "on"}, "/table/vote"),
        ([], "/table"),
    ],
)
def test_a_wrong_setting_of_the_table_is_422_and_names_it(world, table, pointer):
    answer = world.player().post("/v1/games", {"kind": "pennies", "seats": 2, "table": table})

    document = is_a_problem(answer, 422, "invalid")
    assert [pointer] == [error["pointer"] for error in document["errors"]]


@pytest.mark.parametrize(
    ("command", "pointer"),
    [
        ({"type": "call_vote"}, "/kind"),
        ({"type": "call_vote", "kind": "dance"}, "/kind"),
        ({"type": "call_vote", "kind": ["abort"]}, "/kind"),
        ({"type": "call_vote", "kind": "concede", "seat": "2"}, "/seat"),
        ({"type": "call_vote", "kind": "concede", "seat": 2.5}, "/seat"),
        ({"type": "call_vote", "kind": "abort", "why": "x"}, "/why"),
        ({"type": "cast_vote"}, "/agree"),
        ({"type": "cast_vote", "agree": "yes"}, "/agree"),
        ({"type": "cast_vote", "agree": None}, "/agree"),
    ],
)
def test_a_malformed_vote_is_422_with_a_pointer_and_nothing_is_stored(world, command, pointer):
    game, ash, _ = world.table()
    before = world.store.log.head(game)

    document = is_a_problem(ash.send(game, command), 422, "invalid")

    assert [pointer] == [error["pointer"] for error in document["errors"]]
    assert before == world.store.log.head(game)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (agree(), "no-vote"),
        ({"type": "call_vote", "kind": "concede"}, "bad-vote"),
        ({"type": "call_vote", "kind": "concede", "seat": 1}, "bad-vote"),
        ({"type": "call_vote", "kind": "concede", "seat": 9}, "bad-vote"),
        ({"type": "call_vote", "kind": "abort", "seat": 2}, "bad-vote"),
    ],
)
def test_an_impossible_vote_is_refused_and_not_shown_to_others(world, command, code):
    game, ash, birk = world.table()

    is_a_problem(ash.send(game, command), 409, code)
    assert not [entry for entry in birk.events(game) if entry["seat"] == 1]


def test_only_a_player_of_the_game_can_vote(world):
    game, ash, _ = world.table(visibility="private")
    ash.send(game, ABORT, want=200)

    is_a_problem(world.public.send(game, agree()), 401, "no-token")
    is_a_problem(world.player().send(game, agree()), 404, "unknown-game")


def test_repeatedly_called_votes_are_limited_as_unrequested_commands(redis_store):
    from tests.core.http.conftest import World

    world = World(redis_store, unrequested_burst=4)
    game, ash, *_ = world.table("Ash", "Birk", "Cyra")
    for kind in ({"kind": "abort"}, {"kind": "concede", "seat": 2}):
        ash.send(game, {"type": "call_vote", **kind}, want=200)
        ash.send(game, agree(agree=False), want=200)
    is_a_problem(ash.send(game, ABORT), 429, "too-many-unrequested-commands")


def test_repeatedly_changed_votes_are_limited_as_unrequested_commands(redis_store):
    from tests.core.http.conftest import World

    world = World(redis_store, unrequested_burst=4)
    game, ash, birk, *_ = world.table(*"ABCD", pace={"mode": "per_question", "hours": 10})
    birk.send(game, {"type": "call_vote", "kind": "pause"}, want=200)
    for number in range(4):
        ash.send(game, agree(agree=number % 2 == 1), want=200)
    is_a_problem(ash.send(game, agree(agree=False)), 429, "too-many-unrequested-commands")


def test_a_command_list_with_a_vote_that_is_sent_twice_calls_one_vote(world):
    game, ash, _ = world.table()
    both = {"commands": [{"type": "hide", "pennies": 1}, ABORT]}
    first, again = (ash.send(game, both, key="once", want=200) for _ in range(2))

    assert first.json == again.json
    assert 1 == json.dumps(ash.events(game)).count('"vote_called"')


def test_votes_can_pause_and_resume_the_clocks_and_give_time(world):
    game, ash, birk = world.table(pace={"mode": "per_question", "hours": 10})
    pause, resume = ({"type": "call_vote", "kind": kind} for kind in ("pause", "resume"))
    ash.send(game, pause, want=200)
    told = birk.send(game, agree(), want=200).json

    assert ["Birk agrees.", "The players have agreed to stop all clocks.", "All clocks are stopped."] == [
        line["text"] for line in told["lines"]
    ]
    assert [None] == [turn["deadline"] for turn in ash.turns()]
    birk.send(game, resume, want=200)
    ash.send(game, agree(), want=200)
    assert all(turn["deadline"] for turn in ash.turns())
    birk.send(game, {"type": "call_vote", "kind": "more_time", "seat": 1, "hours": 5}, want=200)
    last = birk.events(game)[-1]["lines"]
    assert "The players have agreed to give Ash 5 more hours." == last[1]["text"]
    assert "time_given" == last[2]["type"]


def test_the_terminal_words_the_question_of_a_vote(world):
    game, ash, birk = world.table()
    ash.send(game, ABORT, want=200)
    (asked,) = [turn for turn in birk.turns() if turn["kind"] == "vote"]

    assert "Vote, end the game without a winner" == board.question(asked, board.word("pennies"))
