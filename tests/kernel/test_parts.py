"""The socket of parts of the table: which games have them, and how their commands and questions go beside the game's."""

import pytest

from domain.game import Setup
from domain.play.folding import replay
from domain.play.parts import around
from domain.play.table import DeadlinePassed
from domain.registry import GAMES
from domain.terms import SYSTEM, Seat
from service.projections.history.lines import open_commit
from service.store.codec import decode_position, encode_position
from tests.pennies import PENNIES
from tools.simulation.selfplay import SelfPlay

ONE, TWO, THREE = Seat(1), Seat(2), Seat(3)
OF_SYSTEM = {"vacation_begins", "vacation_ends"}
"""Questions that nobody reads, because SYSTEM is asked."""
HIDE = {"type": "hide", "pennies": 1}


def begun(table, controllers=("player", "player", "player"), pace=None):
    game = SelfPlay(PENNIES, Setup(len(controllers), "", {"points": 3}), controllers, b"x" * 32, pace=pace, table=table)
    game.begin()
    return game


def test_a_game_that_names_none_of_a_parts_settings_does_not_have_it():
    game = begun({})
    refused = game.say(ONE, {"type": "call_vote", "kind": "abort"})

    assert {} == game.position.table.memories
    assert "not-here" == refused.refusal.code


def test_who_is_asked_by_the_table_alone_may_not_answer_the_game():
    game = begun({"votes": "on"})
    game.say(TWO, HIDE)
    game.say(ONE, {"type": "call_vote", "kind": "abort"})

    assert {"vote"} == {asked.question.kind for asked in game.position.asked if asked.question.seat == TWO}
    refused = game.say(TWO, HIDE).refusal
    assert ("not-your-turn", [1, 3]) == (refused.code, refused.facts["asked"])


def test_the_table_asks_above_the_game_and_its_questions_keep_their_ids():
    game = begun({"votes": "on"})
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    ids = [asked.id for asked in game.position.asked]
    game.say(ONE, HIDE)

    assert ["1:0:1", "1:0:2", "1:0:3", "2:100:2", "2:100:3"] == ids
    assert ids[1:] == [asked.id for asked in game.position.asked]


def test_a_question_of_the_tables_is_due_when_the_part_says_whatever_the_pace_and_silence_is_no_missed_turn():
    game = begun({"votes": "on"}, pace={"mode": "per_question", "hours": 1})
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    asked = game.position.question("2:100:2")
    game.now = asked.due
    lapsed = game.say(SYSTEM, {"type": "expire", "question": asked.id})

    assert 72 * 3_600_000 == asked.due - asked.since
    assert ("policy", TWO) == (lapsed.by, lapsed.seat)
    assert not any(isinstance(event, DeadlinePassed) for event in lapsed.events)


def test_a_question_of_the_tables_that_is_put_off_is_due_later_by_folding_as_well():
    game = begun({"votes": "on"}, pace={"mode": "per_question", "hours": 1})
    game.say(ONE, {"type": "call_vote", "kind": "abort"})
    due = game.position.question("2:100:2").due
    game.say(SYSTEM, {"type": "put_off", "question": "2:100:2", "by": 500})
    game.say(ONE, HIDE)

    assert due + 500 == game.position.question("2:100:2").due
    assert due == game.position.question("2:100:3").due
    commits = [open_commit(PENNIES, stored) for stored in game.log]
    assert game.position.asked == replay(PENNIES, commits).asked


def test_memories_go_through_a_snapshot():
    game = begun({"votes": "on"})
    game.say(ONE, {"type": "call_vote", "kind": "concede", "seat": 2})
    position = game.position

    assert position == decode_position(PENNIES, encode_position(position))


@pytest.mark.parametrize("key", [*GAMES, "pennies"])
def test_no_game_has_a_command_event_or_question_of_the_tables(key):
    game = GAMES.get(key, PENNIES)

    assert around.COMMANDS.keys().isdisjoint(game.commands)
    assert around.EVENTS.keys().isdisjoint(game.events)
    assert around.QUESTIONS.isdisjoint(game.asks)


def test_every_part_says_all_its_events_and_questions_in_words():
    for part in around.PARTS.values():
        assert part.events.keys() <= part.sentences.keys()
        assert set(part.questions) - OF_SYSTEM <= part.asks.keys()
