"""Answers for a seat on vacation: its standing orders, a sitter, or the default move."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.games.battalia.events import OrderFollowed
from domain.games.battalia.game import BATTALIA
from domain.kernel.lifecycle import Table
from domain.kernel.record import Chance, OpenQuestion, Position, Submission
from domain.kernel.terms import DAY, SYSTEM, Seat, Seq
from domain.table.folding import fold
from domain.table.redecide import redecide
from domain.table.settle import settle
from domain.table.vacations import DEFAULT, ORDERS, SITS_IN, Away, VacationAnnounced, VacationsMemory
from service.core.history.lines import decode_commit
from tests.absence import Absences
from tests.battalia.ordering import ordering
from tests.battalia.test_battles import before

MODULES = ("rammoth", "armamentum", "unbound_buff")


def commits(play):
    return [decode_commit(play.game, stored) for stored in play.log]


def followed(play):
    """Counts orders followed for absent seats, by the choice they made for their vacation."""
    return Counter(
        away[event.seat]
        for away, commit in zip(play.away, commits(play), strict=True)
        for event in commit.events
        if type(event) is OrderFollowed and event.seat in away and (commit.by, commit.seat) != ("player", event.seat)
    )


def decided_again(play):
    """Every commit, folded and redecided from the position before it."""
    position = Position()
    for commit in commits(play):
        assert commit.refusal is None, commit.refusal
        before, position = position, fold(play.game, position, commit)
        again, after = redecide(play.game, before, commit, play.chance)
        assert (commit.events, commit.played, commit.drawn) == (again.events, again.played, again.drawn)
        assert position == after
        yield before, commit, position


@pytest.mark.soak
@pytest.mark.parametrize(
    ("plays", "follows"),
    [((ORDERS,), True), ((SITS_IN,), False), ((DEFAULT,), False)],
    ids=["orders", "sitter", "default"],
)
def test_orders_answer_for_absent_seats_only_if_chosen_and_games_redecide_the_same(plays, follows):
    happened, chosen = Counter(), set()
    for seed in (3, 5):
        play = Absences(seed, 3, plays, modules=MODULES, max_weeks=4).run_all()
        assert play.over
        happened += followed(play)
        events = [event for _, commit, _ in decided_again(play) for event in commit.events]
        chosen |= {event.plays for event in events if type(event) is VacationAnnounced}
    assert set(plays) == chosen
    assert follows == bool(happened), happened


def test_resting_disables_the_orders_of_the_given_seats_only():
    play = Absences(3, 3).begin_with_orders()
    state, seats = play.position.state, [1, 2]
    resting = play.game.rules.resting(state, seats)
    assert {1: 1, 2: 1, 3: 1} == {seat: len(play.game.knowledge.orders(state, seat)) for seat in play.speakers}
    assert {1: 0, 2: 0, 3: 1} == {seat: len(play.game.knowledge.orders(resting, seat)) for seat in play.speakers}
    assert play.game.knowledge.orders(state, 3) == play.game.knowledge.orders(resting, 3)
    assert resting == play.game.rules.resting(resting, seats)
    assert [] == list(play.game.rules.faults(resting))


def attacked(plays, by="player"):
    """The commits of an attack on seat 2, and of its timeout if it must answer. It is away; its order defends with all cards."""
    state = ordering(before(("chief",), ("lord",)), 2, "set_defence", place=1, how="all")
    away = VacationsMemory(14, taken=(Away(Seat(2), "v", 0, DAY, Seq(3), plays),), used=((0, 0),) * 2)
    seated = Table("g", "battalia", ("player",) * 2, {"mode": "calendar"}, memories={"vacations": away})
    asking = tuple(OpenQuestion(f"9:{each.place}:{each.seat}", each, 9) for each in BATTALIA.rules.awaiting(state))
    position, found = Position(state, seated, Seq(9), at=9, seen=(Seq(9),) * 3, asked=asking), []
    units = list(state.players[1].hand)
    said = {"type": "step", "hero": "hero-1-1", "to": "G5", "against": 2, "units": units, "support": [], "ambush": []}
    for sender in (Seat(1), SYSTEM):
        if sender == SYSTEM:
            asked = next((each for each in position.asked if each.question.seat == 2), None)
            if asked is None:
                break
            said = {"type": "expire", "question": asked.id}
        commit, position = settle(
            BATTALIA, position, Submission(f"s{sender}", sender, said, 9, by=by), 9, Chance(b"c" * 32)
        )
        assert commit.refusal is None, commit
        found.append(commit)
    return found


def test_orders_of_an_absent_seat_answer_at_once():
    (attack,) = attacked(ORDERS)
    assert OrderFollowed in map(type, attack.events)


@pytest.mark.parametrize(("plays", "laid"), [(SITS_IN, 1), (DEFAULT, 0)])
def test_timeout_of_an_absent_seat_follows_its_orders_unless_it_chose_the_default(plays, laid):
    attack, silence = attacked(plays)
    assert OrderFollowed not in map(type, attack.events)
    assert ("policy", 2) == (silence.by, silence.seat)
    assert laid == len(silence.played.get("units", ())), silence.played
