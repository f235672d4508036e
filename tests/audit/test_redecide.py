"""Replaying a commit: choices and deadlines are taken from the commit, everything else is decided again."""

import json
from dataclasses import replace

import pytest

from domain.kernel.lifecycle import PositionSet
from domain.kernel.record import Position
from domain.kernel.terms import SYSTEM, Seat
from domain.table.folding import fold
from domain.table.redecide import redecide
from tests.audit.games import table
from tests.pennies import PENNIES, DieRolled, PenniesBots, PenniesRules


class Recorder:
    """A table whose commits can be replayed, each from the position before it."""

    def __init__(self, **given):
        self.game = table(**given)
        self.commits = []

    def keep(self, before, commit):
        self.commits.append((before, commit))
        return commit

    def begin(self):
        return self.keep(self.game.position, self.game.begin())

    def step(self):
        return self.keep(self.game.position, self.game.step())

    def say(self, *arguments, **given):
        return self.keep(self.game.position, self.game.say(*arguments, **given))

    def again(self, game=PENNIES):
        before, commit = self.commits[-1]
        return redecide(game, before, commit, self.game.chance)


@pytest.fixture
def told():
    recorder = Recorder(controllers=("bot:greedy", "player:random"))
    recorder.begin()
    return recorder


def test_a_replayed_commit_is_equal_and_leads_to_the_folded_position(told):
    for _ in range(12):
        commit = told.step()
        again, after = told.again()

        assert commit == again
        assert fold(PENNIES, told.commits[-1][0], commit) == after


def test_replay_keeps_the_choice_of_a_bot(told):
    class Cleverer(PenniesBots):
        bots = {"greedy": lambda *_: 1 / 0}

    commit = told.step()

    assert "bot" == commit.by
    assert commit == told.again(replace(PENNIES, bots=Cleverer()))[0]


def test_replay_keeps_the_default_chosen_at_a_deadline(told):
    class Bolder(PenniesRules):
        def default(self, state, seat, dice):
            raise AssertionError("asked again")

    commit = told.say(SYSTEM, {"type": "expire", "question": "1:0:2"})

    assert "policy" == commit.by
    assert commit == told.again(replace(PENNIES, rules=Bolder()))[0]


def test_replay_keeps_deadlines(told):
    commit = told.commits[-1][1]
    told.commits[-1] = (Position(), replace(commit, due=(("1:0:2", 77),)))
    again, after = told.again()

    assert (("1:0:2", 77),) == again.due
    assert [None, 77] == [asked.due for asked in after.asked]


def test_replay_refuses_an_illegal_choice(told):
    commit = told.step()
    told.commits[-1] = (told.commits[-1][0], replace(commit, played={"type": "hide", "pennies": 99}))

    assert "too-many-pennies" == told.again()[0].refusal.code


def test_replay_with_other_rules_gives_other_events(told):
    class Loaded(PenniesRules):
        def decide(self, state, seat, command, dice):
            return [
                replace(e, face=6) if isinstance(e, DieRolled) else e
                for e in super().decide(state, seat, command, dice)
            ]

    told.step()
    told.step()
    commit = told.step()

    assert isinstance(commit.events[0], DieRolled)
    assert 6 == told.again(replace(PENNIES, rules=Loaded()))[0].events[0].face


def test_replay_of_a_sandbox_begins_with_its_given_position():
    source = table()
    source.run(9)
    state = source.position.state
    recorder = Recorder(script=(1, 2, 3))
    recorder.game._controllers = ["player"] * 3
    beginning = {"type": "begin", **recorder.game._beginning(), "position": state}
    commit = recorder.say(SYSTEM, beginning)
    stored = {name: value for name, value in commit.submission.command.items() if name != "position"}
    recorder.commits[-1] = (Position(), replace(commit, submission=replace(commit.submission, command=stored)))
    again, after = recorder.again()

    assert PositionSet(state) in again.events
    assert state == after.state
    assert json.dumps(stored)


def test_replay_of_a_stale_command_is_stale(told):
    told.step()
    commit = told.say(Seat(2), {"type": "hide", "pennies": 0}, expected=1)

    assert "stale" == commit.refusal.code
    assert commit == told.again()[0]
