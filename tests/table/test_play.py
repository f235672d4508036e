"""Each command gives one commit: the kernel with a tiny game."""

from dataclasses import replace

import pytest

from domain.kernel.dice import dice_key
from domain.kernel.errors import RulesFault
from domain.kernel.lifecycle import DeadlinePassed, DeadlinePutOff, GameBegun, GameEnded, SeatResigned
from domain.kernel.record import Chance, Position, Submission
from domain.kernel.terms import SYSTEM, Question, Seat
from domain.kernel.unfold import Unfolding
from domain.table.folding import fold, replay
from domain.table.settle import refuse, settle
from tests.pennies import PENNIES, DieRolled, HandClosed, PenniesHidden, PenniesKnowledge, PenniesRules, State

ONE, TWO = Seat(1), Seat(2)


class Table:
    """A table of Pennies and its log."""

    def __init__(self, controllers=("player", "player"), points=2, script=None, game=PENNIES, clock=None):
        entropy = [(n, "") for n in range(1, len(controllers) + 1)]
        self.chance = Chance(dice_key(b"s" * 32, "g", entropy), script)
        self.game, self.position, self.log, self.now = game, Position(), [], 1000
        self.clock = {} if clock is None else {"clock": clock}
        self.say(
            SYSTEM,
            type="begin",
            game="g",
            kind="pennies",
            ruleset="pennies_v1",
            controllers=list(controllers),
            options={"points": points},
            modules=[],
            pace={},
            commitment="0" * 64,
            entropy=[""] * len(controllers),
        )

    def say(self, seat, *, expected=None, **command):
        self.now += 10
        submission = Submission(f"s{len(self.log)}", seat, command, self.now, expected)
        commit, self.position = settle(self.game, self.position, submission, self.now, self.chance, **self.clock)
        self.log.append(commit)
        return commit

    def ask(self, seat):
        return next(a for a in self.position.asked if a.question.seat == seat)


def test_first_commit_begins_the_table_and_the_game():
    table = Table()
    commit = table.log[0]

    assert (1, "system", None) == (commit.seq, commit.by, commit.refusal)
    assert isinstance(commit.events[0], GameBegun)
    assert ["1:0:1", "1:0:2"] == [asked.id for asked in table.position.asked]
    assert 2 == commit.drawn, "one draw for each purse"


def test_a_second_begin_is_refused():
    table = Table()
    again = table.say(SYSTEM, **table.log[0].submission.command)

    assert "already-answered" == again.refusal.code


def test_folding_the_log_gives_the_same_position():
    table = Table(points=4)
    while not table.position.over:
        table.say(SYSTEM, type="expire", question=table.position.asked[0].id)
        table.say(ONE, type="hide", pennies=99)

    assert table.position == replay(PENNIES, table.log)
    half = replay(PENNIES, table.log[:9])
    assert table.position == replay(PENNIES, table.log[9:], half)


def test_state_computed_while_deciding_is_not_evolved_again():
    class Once(PenniesRules):
        def decide(self, state, seat, command, dice):
            flow = Unfolding(state, super().evolve)
            flow.happen(*super().decide(state, seat, command, dice))
            return flow.unfolded

        def evolve(self, state, event):
            evolved.append(event)
            return super().evolve(state, event)

    evolved = []
    table, plain = Table(game=replace(PENNIES, rules=Once()), points=4), Table(points=4)
    evolved.clear()
    for each in (table, plain):
        while not each.position.over:
            each.say(SYSTEM, type="expire", question=each.position.asked[0].id)

    assert not evolved
    assert (plain.log, plain.position) == (table.log, table.position)


def test_secret_answer_changes_the_etag_only_of_its_readers():
    class Quiet(PenniesRules):
        def decide(self, state, seat, command, dice):
            return [e for e in super().decide(state, seat, command, dice) if not isinstance(e, HandClosed)]

    table = Table(game=replace(PENNIES, rules=Quiet()))
    before = table.position
    table.say(ONE, type="hide", pennies=1)

    assert before.etag(ONE) + 1 == table.position.etag(ONE)
    assert before.etag(TWO) == table.position.etag(TWO) == table.position.etag(None)


def test_events_without_an_audience_change_no_etag():
    class Sealed(PenniesKnowledge):
        def audience(self, event):
            return () if isinstance(event, HandClosed | PenniesHidden) else super().audience(event)

    table = Table(game=replace(PENNIES, knowledge=Sealed()))
    before = table.position
    commit = table.say(ONE, type="hide", pennies=1)

    assert commit.events
    assert before.seen == table.position.seen
    assert before.seq + 1 == table.position.seq


def test_refusal_is_a_commit_that_changes_no_state_and_draws_no_dice():
    table = Table()
    before = table.position
    commit = table.say(ONE, type="hide", pennies=77)

    assert ("too-many-pennies", "PEN-02", "pennies") == (commit.refusal.code, commit.refusal.rule, commit.refusal.field)
    assert {"most": before.state.purses[ONE]} == commit.refusal.facts
    assert replace(before, seq=2, at=commit.at) == table.position


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ({"type": "juggle"}, "malformed"),
        ({"type": "hide"}, "malformed"),
        ({"type": "begin"}, "malformed"),
        ({"type": "expire", "question": "1:0:1"}, "malformed"),
        ({"type": "roll"}, "not-allowed"),
    ],
)
def test_player_may_not_send_commands_of_system_or_unknown_ones(command, code):
    assert code == Table().say(ONE, **command).refusal.code


@pytest.mark.parametrize("command", [{"type": "resign"}, {"type": "hide", "pennies": 0}, {"type": "roll"}])
def test_system_may_not_send_commands_of_players(command):
    assert "malformed" == Table().say(SYSTEM, **command).refusal.code


def test_refusal_out_of_turn_names_the_seats_that_must_act():
    table = Table()
    table.say(ONE, type="hide", pennies=0)
    refusal = table.say(ONE, type="hide", pennies=0).refusal

    assert ("not-your-turn", {"asked": [2]}) == (refusal.code, refusal.facts)


def test_expected_seq_older_than_the_senders_newest_is_stale():
    table = Table()
    table.say(ONE, type="hide", pennies=0, expected=1)

    assert "stale" == table.say(TWO, type="hide", pennies=0, expected=1).refusal.code
    assert table.say(TWO, type="hide", pennies=0, expected=2).refusal is None


def test_refused_command_of_a_rival_makes_no_expected_seq_stale():
    table = Table()
    table.say(ONE, type="hide", pennies=99)

    assert table.say(TWO, type="hide", pennies=0, expected=1).refusal is None


def test_passed_deadline_plays_the_default_and_records_it():
    table = Table()
    commit = table.say(SYSTEM, type="expire", question="1:0:2")

    assert ("policy", TWO, {"type": "hide", "pennies": 0}) == (commit.by, commit.seat, commit.played)
    assert (DeadlinePassed(TWO, "1:0:2"), PenniesHidden(TWO, 0), HandClosed(TWO)) == commit.events
    again = table.say(SYSTEM, type="expire", question="1:0:2")
    assert "already-answered" == again.refusal.code


def test_question_to_system_is_due_at_once_and_gets_its_own_commit():
    table = Table(script=(3,))
    table.say(ONE, type="hide", pennies=3)
    commit = table.say(TWO, type="hide", pennies=0)
    asked = table.ask(SYSTEM)

    assert ((asked.id, commit.at),) == commit.due
    rolled = table.say(SYSTEM, type="expire", question=asked.id)
    assert (DieRolled(3, {ONE: 3, TWO: 0}),) == rolled.events
    assert ("system", {"type": "roll"}, 1) == (rolled.by, rolled.played, rolled.rolled)


def test_exhausted_script_refuses_the_roll_and_keeps_the_question_pending():
    table = Table(script=())
    table.say(ONE, type="hide", pennies=0)
    table.say(TWO, type="hide", pennies=0)
    asked = table.ask(SYSTEM)

    assert "dice-exhausted" == table.say(SYSTEM, type="expire", question=asked.id).refusal.code
    assert asked == table.ask(SYSTEM)


def test_every_round_has_a_new_question_id():
    table = Table(points=99)
    ids = []
    for _ in range(3):
        ids.append(table.ask(ONE).id)
        for _ in range(3):
            table.say(SYSTEM, type="expire", question=table.position.asked[0].id)

    assert 3 == len(set(ids))


def test_deadline_is_set_once_and_can_be_postponed():
    table = Table(clock=lambda question, at: at + 100)
    first = table.ask(ONE)
    assert table.log[0].at + 100 == first.due
    commit = table.say(SYSTEM, type="put_off", question=first.id, by=50)

    assert (DeadlinePutOff(ONE, first.id, 50, first.due + 50),) == commit.events
    assert first.due + 50 == table.ask(ONE).due
    table.say(TWO, type="hide", pennies=0)
    assert first.due + 50 == table.ask(ONE).due
    assert table.position == replay(PENNIES, table.log)


def test_bot_answers_from_an_imagined_state_and_its_choice_is_recorded():
    seen = []

    class Watched(PenniesKnowledge):
        def imagine(self, state, seat, dice):
            seen.append((seat, super().imagine(state, seat, dice)))
            return seen[-1][1]

    table = Table(("player", "bot:random"), game=replace(PENNIES, knowledge=Watched()))
    commit = table.say(SYSTEM, type="act", question="1:0:2")

    assert TWO == seen[0][0]
    assert ("bot", TWO, "hide") == (commit.by, commit.seat, commit.played["type"])
    assert "not-your-turn" == table.say(SYSTEM, type="act", question="1:0:1").refusal.code


def test_resigned_seat_is_played_by_a_bot():
    table = Table()
    commit = table.say(ONE, type="resign")

    assert (SeatResigned(ONE, "greedy"),) == commit.events
    assert "bot:greedy" == table.position.table.controller(ONE)
    assert "bot" == table.say(SYSTEM, type="act", question="1:0:1").by
    assert "not-your-turn" == table.say(ONE, type="resign").refusal.code


def test_end_is_a_table_event_and_later_commands_are_refused():
    table = Table(points=1, script=(2,))
    table.say(ONE, type="hide", pennies=2)
    table.say(TWO, type="hide", pennies=0)
    last = table.say(SYSTEM, type="expire", question=table.ask(SYSTEM).id)

    assert GameEnded("points", "PEN-04", (ONE,), {ONE: 1, TWO: 0}) == last.events[-1]
    assert () == table.position.asked
    assert table.position.over
    assert "game-over" == table.say(ONE, type="hide", pennies=0).refusal.code
    assert "game-over" == table.say(SYSTEM, type="act", question="1:0:1").refusal.code


def test_exception_in_the_rules_is_a_refusal_and_the_game_continues():
    class Broken(PenniesRules):
        def decide(self, state, seat, command, dice):
            if seat == ONE:
                raise ZeroDivisionError
            return super().decide(state, seat, command, dice)

    table = Table(game=replace(PENNIES, rules=Broken()))
    commit = table.say(ONE, type="hide", pennies=0)

    assert "rules-fault" == commit.refusal.code
    assert isinstance(commit.fault, ZeroDivisionError)
    assert table.say(TWO, type="hide", pennies=0).refusal is None


def test_keyboard_interrupt_passes_through_settle():
    class Slow(PenniesRules):
        def decide(self, state, seat, command, dice):
            raise KeyboardInterrupt

    table = Table(game=replace(PENNIES, rules=Slow()))
    with pytest.raises(KeyboardInterrupt):
        table.say(ONE, type="hide", pennies=0)


def test_poisoned_submission_can_be_refused_without_deciding_it():
    table = Table()
    submission = Submission("x", ONE, {"type": "hide", "pennies": 1}, 5)
    commit, after = refuse(table.position, submission, 5, RulesFault("It broke three workers."))

    assert "rules-fault" == commit.refusal.code
    assert table.position.at == commit.at, "never earlier than the commit before"
    assert after == fold(PENNIES, table.position, commit)


def test_commit_times_never_decrease_even_if_the_clock_does():
    table = Table(clock=lambda question, at: at + 100)
    before = table.position
    for seat, pennies in ((ONE, 0), (TWO, 99)):
        submission = Submission(f"early {seat}", seat, {"type": "hide", "pennies": pennies}, 5)
        commit, after = settle(PENNIES, table.position, submission, 5, table.chance, **table.clock)

        assert (before.at, before.at) == (commit.at, after.at)
        assert after == fold(PENNIES, table.position, commit)
        table.position = after
    submission = Submission("early", TWO, {"type": "hide", "pennies": 0}, 5)
    commit, after = settle(PENNIES, table.position, submission, 5, table.chance, **table.clock)
    assert [(before.at, before.at + 100)] == [(asked.since, asked.due) for asked in after.asked]


def test_no_question_is_pending_after_the_end_even_if_the_rules_still_await_one():
    class Nosy(PenniesRules):
        def awaiting(self, state):
            return [Question(99, 0, seat, "more", "PEN-01") for seat in state.purses]

    table = Table(points=1, game=replace(PENNIES, rules=Nosy()))
    assert 2 == len(table.position.asked)
    state = replace(table.position.state, points={ONE: 1, TWO: 0})
    begin = {**table.log[0].submission.command, "sandbox": True, "position": state}
    commit, position = settle(
        replace(PENNIES, rules=Nosy()), Position(), Submission("b", SYSTEM, begin, 1), 1, table.chance
    )

    assert isinstance(commit.events[-1], GameEnded)
    assert ((), ()) == (position.asked, commit.due)
    assert position == replay(replace(PENNIES, rules=Nosy()), [commit])


def test_command_that_causes_no_event_is_a_rules_fault():
    class Idle(PenniesRules):
        def decide(self, state, seat, command, dice):
            return []

    table = Table(game=replace(PENNIES, rules=Idle()))
    assert "rules-fault" == table.say(ONE, type="hide", pennies=0).refusal.code


def test_sandbox_begins_from_the_given_position():
    state = State("pennies_v1", {ONE: 5, TWO: 5}, 9, {ONE: 8, TWO: 0})
    table = Table()
    begin = {**table.log[0].submission.command, "sandbox": True, "position": state}
    commit, position = settle(PENNIES, Position(), Submission("b", SYSTEM, begin, 1), 1, table.chance)

    assert position.table.sandbox
    assert state == position.state
    assert position == replay(PENNIES, [commit])
