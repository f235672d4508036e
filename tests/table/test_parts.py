"""Table parts: which games have them, and how their commands and questions coexist with those of the game."""

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import DeadlinePassed
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from domain.table import features
from domain.table.folding import replay
from service.core.history.lines import decode_commit
from service.store.codec import decode_position, encode_position
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

ONE, TWO, THREE = Seat(1), Seat(2), Seat(3)
HIDE = {"type": "hide", "pennies": 1}


def begun(table, controllers=("player", "player", "player"), pace=None):
    game = SelfPlay(PENNIES, Setup(len(controllers), "", {"points": 3}), controllers, b"x" * 32, pace=pace, table=table)
    game.begin()
    return game


def test_part_is_disabled_in_a_game_without_its_settings():
    game = begun({})
    refused = game.say(ONE, {"type": "call_vote", "kind": "abort"})

    assert {} == game.position.table.memories
    assert "not-here" == refused.refusal.code


def test_seat_with_only_a_table_question_may_not_play_a_game_command():
    game = begun({"votes": "on"})
    game.say(TWO, HIDE)
    game.say(ONE, {"type": "call_vote", "kind": "abort"})

    assert {"vote"} == {asked.question.kind for asked in game.position.asked if asked.question.seat == TWO}
    refused = game.say(TWO, HIDE).refusal
    assert ("not-your-turn", [1, 3]) == (refused.code, refused.facts["asked"])


def test_table_questions_have_ids_of_their_own_and_keep_them():
    game = begun({"votes": "on"})
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    ids = [asked.id for asked in game.position.asked]
    game.say(ONE, HIDE)

    assert ["1:0:1", "1:0:2", "1:0:3", "2:100:2", "2:100:3"] == ids
    assert ids[1:] == [asked.id for asked in game.position.asked]


def test_table_question_has_its_own_deadline_and_its_timeout_is_no_missed_turn():
    game = begun({"votes": "on"}, pace={"mode": "per_question", "hours": 1})
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    asked = game.position.question("2:100:2")
    game.now = asked.due
    lapsed = game.say(SYSTEM, {"type": "expire", "question": asked.id})

    assert 72 * 3_600_000 == asked.due - asked.since
    assert ("policy", TWO) == (lapsed.by, lapsed.seat)
    assert not any(isinstance(event, DeadlinePassed) for event in lapsed.events)


def test_postponed_table_question_has_the_same_deadline_after_replay():
    game = begun({"votes": "on"}, pace={"mode": "per_question", "hours": 1})
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    due = game.position.question("2:100:2").due
    game.say(SYSTEM, {"type": "put_off", "question": "2:100:2", "by": 500})
    game.say(ONE, HIDE)

    assert due + 500 == game.position.question("2:100:2").due
    assert due == game.position.question("2:100:3").due
    commits = [decode_commit(PENNIES, stored) for stored in game.log]
    assert game.position.asked == replay(PENNIES, commits).asked


def test_snapshot_keeps_the_state_of_table_parts():
    game = begun({"votes": "on"})
    game.say(ONE, {"type": "call_vote", "kind": "concede", "seat": 2})
    position = game.position

    assert position == decode_position(PENNIES.rules, encode_position(position))


@pytest.mark.parametrize("key", [*GAMES, "pennies"])
def test_games_and_table_parts_share_no_command_event_or_question(key):
    game = GAMES.get(key, PENNIES)

    assert features.COMMANDS.keys().isdisjoint(game.rules.commands)
    assert features.EVENTS.keys().isdisjoint(game.rules.events)
    assert features.ASKS.keys().isdisjoint(game.presentation.asks)


def test_every_part_has_a_text_for_its_events_and_questions():
    for feature in features.FEATURES.values():
        assert feature.events.keys() <= feature.sentences.keys()
        assert all(feature.asks.values())
