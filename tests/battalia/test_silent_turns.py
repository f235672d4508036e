"""A missed turn costs one deadline, although its end has a question about the free Unbound Buff (DAY-08, BUF-06)."""

from __future__ import annotations

import pytest

from domain.games.battalia.game import BATTALIA
from domain.games.battalia.modules.unbound_buff.events import BuffLeftAlone
from domain.games.battalia.state import changed
from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import DeadlinePassed
from domain.kernel.terms import SYSTEM
from domain.table import features
from domain.table.seats import TurnMissed
from service.audit.auditor import audit
from tests.battalia.laid import turn_of
from tests.battalia.ordering import followed, ordering
from tests.battalia.raiding import free, memory, question, street
from tests.battalia.table import command
from tests.story import LoadedDice, Story
from tests.table.test_missed_turns import Told


class Silent(Story):
    """A story whose game can decide a command as a timeout answer."""

    def silent(self, seat):
        self._happened(self.game.rules.decide_silence(self.state, seat, command("end_turn"), LoadedDice()))
        return self


def test_day_08_a_timeout_that_ends_a_turn_leaves_the_free_buff_alone():
    story = Silent(BATTALIA, turn_of(free(street(), "C1"), 1)).silent(1)

    (left,) = story.of(BuffLeftAlone)
    assert (1, "C1", "day") == (left.seat, memory(story)["square"], question(story)[0])


def test_day_08_an_order_for_the_free_buff_applies_before_the_timeout():
    state = ordering(free(street(), "C1"), 1, "set_stir", how="leave")
    story = Silent(BATTALIA, turn_of(state, 1)).silent(1)

    assert [(1, "stir")] == followed(story)
    assert 1 == len(story.of(BuffLeftAlone))


@pytest.mark.parametrize("seat", [1, 2])
def test_day_08_a_timeout_that_ends_a_turn_does_not_answer_the_next_turn(seat):
    state = changed(turn_of(free(street(), "C1"), 1), agenda=(f"turn:{seat}", "night"))
    story = Silent(BATTALIA, state).silent(1)

    assert ("turn", (seat,)) == question(story)


def absent(on_timeout, rules=None):
    """A game in which a turn runs out of time while the Buff is free, the seat, and the events of that turn's end."""
    table = features.complete_settings({"on_timeout": on_timeout, "missed_limit": 0})
    hourly = {"mode": "per_question", "hours": 1}
    setup = BATTALIA.rules.check(Setup(2, "", {}, ("unbound_buff",)))
    play = Told(BATTALIA, setup, ["player:greedy"] * 2, bytes(32), table=table, pace=hourly)
    with pytest.MonkeyPatch.context() as patched:
        if rules is not None:
            patched.setattr(features, "newest_rules", lambda: rules)
        play.begin()
    while True:
        asked = play.position.asked[0]
        if asked.question.kind == "turn" and play.position.state.npcs["unbound_buff"]["square"]:
            break
        assert not play.over
        play.step()
    seat, since = asked.question.seat, len(play.commits)
    while any(each.question.seat == seat and each.question.kind == "turn" for each in play.position.asked):
        asked = play.position.asked[0]
        called = play.position.table.memories["chairs"].called.get(seat) == asked.id
        play.now = max(play.now, asked.due)
        play.say(SYSTEM, {"type": "act" if called else "expire", "question": asked.id})
    return play, seat, [event for commit in play.commits[since:] for event in commit.events]


@pytest.mark.parametrize("on_timeout", ["default", "bot", "search:1"])
def test_absent_player_costs_one_deadline_while_the_buff_is_free(on_timeout):
    play, seat, events = absent(on_timeout)

    assert "stir" not in [each.question.kind for each in play.position.asked]
    assert [seat] == [event.seat for event in events if isinstance(event, BuffLeftAlone)]
    assert 1 == sum(isinstance(event, TurnMissed) for event in events)
    if on_timeout == "default":
        assert 1 == sum(isinstance(event, DeadlinePassed) for event in events)
    assert () == audit(play.export()).divergences


def test_absent_player_with_older_table_rules_still_has_the_buff_question():
    play, seat, events = absent("default", "table_v4")

    assert [(seat, "stir")] == [(each.question.seat, each.question.kind) for each in play.position.asked]
    assert not [event for event in events if isinstance(event, BuffLeftAlone)]
    assert () == audit(play.export()).divergences
