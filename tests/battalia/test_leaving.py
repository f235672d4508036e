"""END-06: seats that leave, at any moment of any game."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.state import NOBODY
from domain.kernel.dice import dice_key
from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import LEFT, SeatLeft
from domain.kernel.options import pick
from domain.kernel.record import Chance, Position, Submission
from domain.kernel.terms import SYSTEM, Seat
from domain.table import features
from domain.table.folding import replay
from domain.table.redecide import redecide
from domain.table.settle import settle
from service.core.positions.deadlines import due_of
from tests.soaking import sample, soak


class Table:
    """A game in which seats may leave."""

    def __init__(self, seats=3, seed=0, modules=(), **options):
        self.random = random.Random(seed)
        entropy = [(n, "") for n in range(1, seats + 1)]
        self.chance = Chance(dice_key(seed.to_bytes(32, "big"), "g", entropy))
        self.position, self.log = Position(), []
        setup = BATTALIA.rules.check(Setup(seats, "", {"quick_setup": True, "max_weeks": 2, **options}, tuple(modules)))
        self.say(
            SYSTEM,
            type="begin",
            game="g",
            kind="battalia",
            ruleset=setup.ruleset,
            controllers=["player"] * seats,
            options=dict(setup.options),
            modules=list(setup.modules),
            pace={},
            commitment="0" * 64,
            entropy=[""] * seats,
            table_rules="table_v2",
            table=features.complete_settings({"on_resign": "leave"}),
        )

    @property
    def state(self):
        return self.position.state

    def say(self, seat, **command):
        submission = Submission(f"s{len(self.log)}", seat, command, 1000 + len(self.log))
        commit, self.position = settle(BATTALIA, self.position, submission, submission.asked_at, self.chance)
        assert commit.fault is None, commit.fault
        self.log.append(commit)
        return commit

    def leave(self, seat):
        commit = self.say(seat, type="resign")
        assert commit.refusal is None
        self.silence()
        return commit

    def silence(self):
        """Let SYSTEM answer all questions of seats that left."""
        while not self.position.over:
            gone = [each for each in self.position.asked if self.controller(each.question.seat) == LEFT]
            if not gone:
                return
            assert "expire" in {due.what for due in due_of(self.position) if due.question.startswith(gone[0].id)}
            assert self.say(SYSTEM, type="expire", question=gone[0].id).refusal is None

    def controller(self, seat):
        return self.position.table.controller(seat)

    def step(self):
        """Answer a random pending question with a legal command."""
        asked = self.random.choice(self.position.asked)
        if asked.question.seat == SYSTEM:
            self.say(SYSTEM, type="expire", question=asked.id)
        else:
            seat = asked.question.seat
            options = [
                each for each in BATTALIA.rules.legal(self.state, seat) if each.type not in BATTALIA.rules.unasked
            ]
            command = pick(options, self.chance.aside("bot", len(self.log)))
            assert self.say(seat, **command).refusal is None
        self.silence()

    def until(self, kind, most=400):
        """Play until the topmost question is of this kind, and return whether that happened."""
        for _ in range(most):
            if self.position.over or self.state.asking[-1].kind == kind:
                return not self.position.over
            self.step()
        return False


def sound(table):
    """Check that the state has no faults, and that seats that are out have nothing left (END-06)."""
    assert [] == list(BATTALIA.rules.faults(table.state))
    for seat, player in table.state.players.items():
        if player.out:
            assert seat not in table.state.order
            assert not (player.hand or player.deck or player.discard or player.hidden or player.tents)
            assert all(hero.seat != seat for hero in table.state.heroes.values())
            assert all(city.owner != seat for city in table.state.cities.values())


def test_end_06_a_seat_that_leaves_in_its_turn_is_out_when_the_turn_ends():
    table = Table()
    assert table.until("turn")
    seat = table.state.turn.seat
    cities = [square for square, city in table.state.cities.items() if city.owner == seat]
    held = table.state.players[seat].hand + table.state.players[seat].deck
    commit = table.leave(seat)

    assert [SeatLeft(seat)] == [e for e in commit.events if isinstance(e, SeatLeft)]
    assert table.state.players[seat].out
    assert seat not in table.state.order
    assert {NOBODY} == {table.state.cities[square].owner for square in cities if square in table.state.cities}
    assert set(held) <= set(table.state.gone) | set(table.state.players[seat].discard)
    assert table.state.turn.seat != seat
    sound(table)


def test_end_06_a_seat_that_leaves_in_anothers_turn_is_out_when_that_turn_ends():
    table = Table()
    assert table.until("turn")
    mover = table.state.turn.seat
    other = next(seat for seat in table.state.order if seat != mover)
    table.leave(other)
    assert other in table.state.order, "the turn that goes on is another's"
    table.say(mover, type="end_turn")
    table.silence()

    assert other not in table.state.order
    sound(table)


def test_end_06_a_seat_that_leaves_at_night_is_out_at_once():
    table = Table()
    assert table.until("day")
    commit = table.leave(Seat(2))

    assert [Seat(2)] == [event.seat for event in commit.events if isinstance(event, ev.SeatOut)]
    sound(table)


def test_end_06_a_seat_that_leaves_during_setup_is_out_before_the_first_day():
    table = Table(quick_setup=False)
    assert "faction" == table.state.asking[-1].kind
    table.leave(Seat(3))
    while table.state.day < 0:
        table.step()

    assert Seat(3) not in table.state.order
    assert Seat(3) not in {event.seat for commit in table.log for event in commit.events if type(event) is ev.TurnBegan}
    sound(table)


def test_end_05_the_last_remaining_seat_wins():
    table = Table(seats=2)
    assert table.until("turn")
    mover = table.state.turn.seat
    table.leave(mover)

    assert table.position.over
    assert (Seat(3 - mover),) == table.position.table.outcome.winners


def test_end_06_a_level_0_city_of_a_leaving_seat_is_destroyed_without_a_flight():
    table = Table()
    assert table.until("turn")
    seat, state = table.state.turn.seat, table.state
    square = next(square for square, city in state.cities.items() if city.owner == seat)
    hero = next(hero for hero in state.heroes.values() if hero.seat == seat)
    cities = {**state.cities, square: replace(state.cities[square], level=0)}
    heroes = {**state.heroes, hero.id: replace(hero, square=square)}
    table.position = replace(table.position, state=replace(state, cities=cities, heroes=heroes))
    table.leave(seat)

    gone = [event.square for commit in table.log for event in commit.events if isinstance(event, ev.CityDestroyed)]
    assert [square] == gone
    assert square not in table.state.board
    assert "flee" not in [frame.kind for frame in table.state.asking]
    sound(table)


@pytest.mark.parametrize(
    ("kind", "modules"),
    [("wish", ()), *soak(("defend", ()), ("return", ()), ("bet", ("unbound_buff",)), ("discard", ("rammoth",)))],
)
def test_end_06_a_seat_may_leave_while_its_question_is_pending(kind, modules):
    found = 0
    for seed in range(60):
        table = Table(3, seed, modules)
        if table.until(kind):
            found += 1
            table.leave(table.state.asking[-1].seats[0])
            for _ in range(30):
                if table.position.over:
                    break
                table.step()
            sound(table)
        if found == 3:
            break
    assert found


SETUPS = [
    (2, (), {}),
    (3, (), {}),
    (4, ("keeper", "rammoth"), {}),
    (3, ("unbound_buff",), {}),
    (4, ("keeper", "rammoth", "unbound_buff", "armamentum"), {}),
    (4, (), {"teams": True}),
    (3, ("rammoth",), {"quick_setup": False}),
]


@pytest.mark.parametrize(("seats", "modules", "options"), sample(SETUPS, 8))
def test_end_06_games_with_randomly_leaving_seats_are_valid_and_redecide_the_same(seats, modules, options):
    for seed in range(6):
        table = Table(seats, seed, modules, **options)
        while not table.position.over and len(table.log) < 700:
            playing = [Seat(n) for n in range(1, seats + 1) if table.controller(Seat(n)) == "player"]
            if len(playing) > 1 and table.random.random() < 0.01:
                table.leave(table.random.choice(playing))
            else:
                table.step()
            sound(table)
        again = Position()
        for commit in table.log:
            same, again = redecide(BATTALIA, again, commit, table.chance)
            assert (commit.events, commit.refusal) == (same.events, same.refusal)
        assert replay(BATTALIA, table.log) == table.position
