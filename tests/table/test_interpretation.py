"""How the kernel interprets a submission: the acting seat, the dice, and what is recorded of a choice made for a seat."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.kernel.errors import RulesFault
from domain.kernel.lifecycle import RULES
from domain.kernel.record import Submission
from domain.kernel.terms import SYSTEM
from domain.table.settle import refuse
from tests.pennies import PENNIES, HandClosed, Hide, PenniesBots, PenniesHidden, PenniesRules
from tests.table.test_play import ONE, TWO, Table


def watched(*, greedy=None, **methods):
    """The tiny game with some of the methods of its rules, or its bot, replaced."""
    bots = PenniesBots()
    if greedy:
        bots.by_name = {"greedy": greedy}
    return replace(PENNIES, rules=type("Watched", (PenniesRules,), methods)(), bots=bots)


def test_commit_names_the_actor_whether_settled_or_refused():
    table = Table(("player", "bot:random"))
    said = table.say(ONE, type="hide", pennies=0)
    assert ("player", ONE, None) == (said.by, said.seat, said.played)
    refused = table.say(ONE, type="hide", pennies=0)
    assert ("not-your-turn", "player", ONE, None) == (refused.refusal.code, refused.by, refused.seat, refused.played)
    refused = table.say(SYSTEM, type="juggle")
    assert ("malformed", "system", SYSTEM, None) == (refused.refusal.code, refused.by, refused.seat, refused.played)
    for seat, by in ((TWO, "player"), (SYSTEM, "system")):
        unseen, _ = refuse(table.position, Submission("x", seat, {}, 1), 1, RulesFault("Unseen."))
        assert (by, seat) == (unseen.by, unseen.seat)


def test_refused_choice_of_a_bot_is_recorded_with_its_seat():
    game = watched(greedy=lambda state, seat, dice: {"type": "hide", "pennies": 71})
    table = Table(("player", "bot:greedy"), game=game)
    commit = table.say(SYSTEM, type="act", question="1:0:2")

    assert "too-many-pennies" == commit.refusal.code
    assert ("bot", TWO, {"type": "hide", "pennies": 71}) == (commit.by, commit.seat, commit.played)


def test_choice_of_a_bot_is_played():
    table = Table(("player", "bot:greedy"))
    commit = table.say(SYSTEM, type="act", question="1:0:2")

    assert (PenniesHidden(TWO, 1), HandClosed(TWO)) == commit.events


@pytest.mark.parametrize(
    ("seat", "command"),
    [
        (ONE, {"type": "hide", "pennies": 0}),
        (SYSTEM, {"type": "expire", "question": "1:0:1"}),
        (SYSTEM, {"type": "act", "question": "1:0:2"}),
    ],
)
def test_players_timeouts_and_bots_roll_the_games_dice(seat, command):
    def decide(self, state, seat, command, dice):
        rolled.append(dice.roll(6))
        return type(PENNIES.rules).decide(self, state, seat, command, dice)

    rolled = []
    table = Table(("player", "bot:random"), game=watched(decide=decide))
    drawn = table.position.drawn
    commit = table.say(seat, **command)

    assert [table.chance.dice(drawn, 0).roll(6)] == rolled
    assert (None, drawn + 1) == (commit.refusal, commit.drawn)


def test_choices_of_defaults_and_bots_do_not_use_the_games_dice():
    def default(self, state, seat, dice):
        drawn.append(dice.below(10**9))
        return Hide(0)

    def greedy(state, seat, dice):
        drawn.append(dice.below(10**9))
        return {"type": "hide", "pennies": 0}

    drawn = []
    table = Table(("player", "bot:greedy"), game=watched(default=default, greedy=greedy))
    before = table.position.drawn
    for kind, question, what in (("expire", "1:0:1", "default"), ("act", "1:0:2", "bot")):
        commit = table.say(SYSTEM, type=kind, question=question)
        assert before == commit.drawn
        assert what == "bot" or [table.chance.aside(what, commit.seq).below(10**9)] == drawn
        assert drawn.pop() != table.chance.dice(before, 0).below(10**9)


def test_game_begins_from_the_setup_in_the_begin_command():
    def begin(self, setup, dice):
        setups.append((setup.seats, setup.ruleset, dict(setup.options), list(setup.modules)))
        return type(PENNIES.rules).begin(self, setup, dice)

    setups = []
    table = Table(points=7, game=watched(begin=begin))
    command = {
        **table.log[0].submission.command,
        "modules": ["storms"],
        "entropy": ["a", "b"],
        "pace": {"mode": "free"},
    }
    fresh = Table(points=7, game=watched(begin=begin))
    fresh.position = type(fresh.position)()
    begun = fresh.say(SYSTEM, **command).events[0]

    assert (2, "pennies_v1", {"points": 7}, ["storms"]) == setups[-1]
    told = {name: getattr(begun, name) for name in command if name not in ("type", "position")}
    assert {name: command[name] for name in told} == {
        name: list(value) if isinstance(value, tuple) else value for name, value in told.items()
    }
    assert not begun.sandbox
    seated = fresh.position.table
    assert ({"mode": "free"}, begun.table_rules) == (seated.pace, seated.table_rules)


@pytest.mark.parametrize("rules", sorted(RULES))
def test_table_keeps_the_table_rules_it_began_with(rules):
    table = Table()
    table.position = type(table.position)()
    table.say(SYSTEM, **{**table.log[0].submission.command, "table_rules": rules})

    assert rules == table.position.table.table_rules


def test_unknown_table_rules_are_refused_by_field():
    table = Table()
    table.position = type(table.position)()
    refusal = table.say(SYSTEM, **{**table.log[0].submission.command, "table_rules": "nobody's"}).refusal

    assert "table_rules" == refusal.field


def test_stale_refusal_reports_the_newest_version_of_the_senders_view():
    def decide(self, state, seat, command, dice):
        return [
            e for e in type(PENNIES.rules).decide(self, state, seat, command, dice) if not isinstance(e, HandClosed)
        ]

    table = Table(game=watched(decide=decide))
    table.say(ONE, type="hide", pennies=0)
    assert (1, 2) == (table.position.etag(None), table.position.etag(ONE))
    refusal = table.say(ONE, type="hide", pennies=0, expected=1).refusal

    assert ("stale", {"seq": 2}) == (refusal.code, refusal.facts)


def test_refusal_names_the_question_that_is_no_longer_pending():
    refusal = Table().say(SYSTEM, type="expire", question="1:0:9").refusal

    assert ("already-answered", {"question": "1:0:9"}) == (refusal.code, refusal.facts)
