"""A turn that a bot plays on timeout counts as one missed turn, regardless of the number of commands."""

from __future__ import annotations

import pytest

from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import DeadlinePassed
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from domain.table import features
from domain.table.seats import SeatVacated, TurnMissed
from service.audit.auditor import audit
from service.store.codec import decode_position, encode_position
from tools.simulation.selfplay import SelfPlay

ONE, TWO = Seat(1), Seat(2)


class Told(SelfPlay):
    """A game that keeps its commits."""

    def say(self, *args, **kwargs):
        commit = super().say(*args, **kwargs)
        self.commits = [*getattr(self, "commits", ()), commit]
        return commit


def silent_turns(on_timeout, count, rules=None, limit=3):
    """A game of Battalia in which the first player misses this many turns."""
    game = GAMES["battalia"]
    table = features.complete_settings({"on_timeout": on_timeout, "missed_limit": limit})
    hourly = {"mode": "per_question", "hours": 1}
    play = Told(game, Setup(2, "", {"max_weeks": 1}), ["player:greedy"] * 2, bytes(32), table=table, pace=hourly)
    with pytest.MonkeyPatch.context() as patched:
        if rules is not None:
            patched.setattr(features, "newest_rules", lambda: rules)
        play.begin()
    turns = []
    while len(turns) < count or any(asked.id == turns[-1] for asked in play.position.asked):
        asked = play.position.asked[0]
        if asked.question.seat == ONE and play.position.table.is_played(ONE):
            turns += [asked.id] if asked.id not in turns else []
            play.now = max(play.now, asked.due)
            play.say(SYSTEM, {"type": "expire", "question": asked.id})
        else:
            play.step()
    return play


def told_of(play, cls):
    return [event for commit in play.commits for event in commit.events if isinstance(event, cls)]


@pytest.mark.parametrize("on_timeout", ["bot", "random"])
def test_turn_played_by_a_bot_with_many_commands_counts_as_one_missed_turn(on_timeout):
    play = silent_turns(on_timeout, 2)
    assert len(told_of(play, DeadlinePassed)) > 4, "many commands"
    assert [TurnMissed(ONE, 1), TurnMissed(ONE, 2)] == told_of(play, TurnMissed)
    assert play.position.table.is_played(ONE)

    play = silent_turns(on_timeout, 3)
    assert [TurnMissed(ONE, times) for times in (1, 2, 3)] == told_of(play, TurnMissed)
    assert [SeatVacated(ONE, "greedy")] == told_of(play, SeatVacated)


def test_games_with_older_table_rules_count_each_command_as_a_missed_turn():
    play = silent_turns("bot", 1, "table_v3", limit=0)
    assert len(told_of(play, DeadlinePassed)) == len(told_of(play, TurnMissed)) > 1
    assert "table_v3" == play.position.table.table_rules


@pytest.mark.parametrize("on_timeout", ["bot", "random", "default"])
def test_new_game_names_the_newest_table_rules(on_timeout):
    assert "table_v5" == silent_turns(on_timeout, 1).position.table.table_rules


def test_snapshot_keeps_the_questions_that_ran_out_of_time():
    play = silent_turns("bot", 1)
    again = decode_position(play.game.rules, encode_position(play.position))
    assert play.position.table.memories["chairs"] == again.table.memories["chairs"]
    assert again.table.memories["chairs"].passed


def test_games_in_which_bots_play_missed_turns_pass_the_audit():
    play = silent_turns("bot", 3)
    for seat in (ONE, TWO):
        if play.position.table.is_played(seat):
            play.say(seat, {"type": "resign"})
    play.run()
    assert () == audit(play.export()).divergences
