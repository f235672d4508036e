"""Plans are played when their question comes: once, in order, as lists, under their condition."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from unittest.mock import Mock

import pytest

from domain.kernel.record import PLAN
from domain.kernel.terms import Seat
from service.features.plans.store import Plans, plan_fields, read_plans
from service.store.ports.errors import StoreDown
from service.store.ports.waiting import NOWHERE, Plan
from service.store.shared import lists
from tests.pennies import PenniesHidden
from tests.workers.test_advance import bodies, settle
from tests.workers.test_lists import came, hide, ids_in, send
from workers.advance import Advance

NUMBERS = itertools.count(1)


def lay(store, game, seat, *commands, id_=None, kinds=("*",), condition="legal", seen=0, match="*", player=None):
    """Lay a plan as the API does; returns the outcome and the plan's id."""
    id_ = id_ or f"p{next(NUMBERS)}"
    player = player or store.lobbies.get(game).chairs[seat - 1].holder
    plan = Plan(id_, Seat(seat), player, commands, len(commands), kinds, condition, "wait", seen, "cred")
    return Plans(store).lay(game, plan, f"digest of {commands}", store.log.head(game)[0], match), id_


def by(store, game):
    """The seat and the kind of actor of every commit that belongs to a seat."""
    return [(body["actor"]["seat"], body["actor"]["by"]) for body in bodies(store, game) if body["actor"]["seat"]]


@pytest.fixture
def game(store, tables, advance):
    """A game whose first round waits for seat 2 only."""
    game = tables.start(points=100000)
    settle(store, advance)
    tables.hide(game, 1, 0)
    settle(store, advance)
    return game


def test_plan_is_played_when_the_question_comes_and_not_before(store, tables, advance, game):
    assert "laid" == lay(store, game, 1, hide(), id_="p")[0]
    settle(store, advance)
    assert Plans(store).get(game, Seat(1)).waits
    assert store.log.outcomes(game, "p") is None

    tables.hide(game, 2, 0)
    settle(store, advance)

    assert not Plans(store).get(game, Seat(1)).waits
    assert [(1, "player"), (2, "player"), (1, PLAN)] == by(store, game)
    assert [5] == came(store, game, "p")


def test_plan_is_played_once(store, tables, advance, game):
    lay(store, game, 1, hide(), id_="p")

    for _ in range(3):
        tables.hide(game, 2, 0)
        settle(store, advance)
        tables.hide(game, 1, 0)
        settle(store, advance)

    assert 1 == sum(id_.startswith("p.") for id_ in ids_in(store, game))


@pytest.mark.parametrize("ahead", [True, False])
def test_plans_of_several_seats_are_played_one_after_the_other(store, tables, ahead):
    advance = Advance.in_process(store, ahead=ahead)
    game = tables.start("ada", "bob", "cyd", points=100000)
    settle(store, advance)
    tables.hide(game, 1, 0)
    tables.hide(game, 2, 0)
    settle(store, advance)
    lay(store, game, 2, hide(), hide(), id_="b")
    lay(store, game, 1, hide(), hide(), id_="a")

    tables.hide(game, 3, 0)
    settle(store, advance)

    # Seat 3 is the last of the second round, so the second command of the first plan meets no pending question.
    told = [id_ for id_ in ids_in(store, game) if id_[:2] in ("a.", "b.")]
    assert ["b.0", "b.1", "a.0", "a.1"] == told
    assert [(1, PLAN), (2, PLAN)] == sorted(set(by(store, game)[3:]))
    assert [True, False] == [seq > 0 for seq in came(store, game, "a")]


@pytest.mark.parametrize("ahead", [True, False])
def test_plan_waits_until_a_list_has_ended(store, tables, game, ahead):
    advance = Advance.in_process(store, ahead=ahead)
    lay(store, game, 1, hide(), id_="p")

    send(store, game, 2, hide(), hide(), hide(), id_="l")
    settle(store, advance)

    # Right after the second command, the plan would come before the third.
    assert ["l.0", "l.1", "l.2", "p.0"] == [id_ for id_ in ids_in(store, game) if id_[0] in "lp"]
    assert [True] == [seq > 0 for seq in came(store, game, "p")]


def test_plan_laid_in_time_is_played_even_if_the_worker_comes_after_the_deadline(store, tables, advance, game):
    lay(store, game, 1, hide(1), id_="p")
    tables.hide(game, 2, 0)
    while Plans(store).get(game, Seat(1)).waits:
        advance.round(range(store.partitions))
    assert ["pending"] == list(store.log.outcomes(game, "p"))

    tables.say(game, 0, id_=f"due:{game}:4:0:1", type="expire", question="4:0:1")
    settle(store, advance)

    assert ["p.0", f"due:{game}:4:0:1"] == ids_in(store, game)[4:]
    assert [5] == came(store, game, "p")


@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("hidden", [1, 99])
def test_plan_precedes_a_deadline_that_is_due_when_its_question_comes(store, tables, game, monkeypatch, ahead, hidden):
    """After an outage a question can be due at once: the default move answers it only if the seat has no plan."""

    def up_in_the_second_round(question, at):
        return at if question.seat == 0 or question.serial == 4 else None

    monkeypatch.setattr("workers.advance.clock_of", lambda *_: up_in_the_second_round)
    lay(store, game, 1, hide(hidden), id_="p")
    tables.hide(game, 2, 0)
    advance = Advance.in_process(store, ahead=ahead)
    settle(store, advance)
    time.sleep(1.1)  # the seat's deadline waits a second for its plan
    for partition in range(store.partitions):
        store.schedule.sweep(partition)
    settle(store, advance)

    silent, own = f"due:{game}:4:0:2", f"due:{game}:4:0:1"
    told = [id_ for id_ in ids_in(store, game) if id_ in ("p.0", silent, own)]
    assert [silent, "p.0", *([own] if hidden == 99 else [])] == told
    assert [6 if hidden == 1 else -6] == came(store, game, "p")


def test_plan_waits_for_the_kinds_of_questions_that_it_names(store, tables, advance, game):
    lay(store, game, 1, hide(), id_="p", kinds=("flee",))
    tables.hide(game, 2, 0)
    settle(store, advance)
    assert Plans(store).get(game, Seat(1)).waits

    tables.hide(game, 1, 0)
    settle(store, advance)
    lay(store, game, 1, hide(), id_="q", kinds=("flee", "hide"))
    tables.hide(game, 2, 0)
    settle(store, advance)

    assert not Plans(store).get(game, Seat(1)).waits
    assert store.log.outcomes(game, "p") is None


def test_plan_for_an_unchanged_board_is_stale_after_a_change(store, tables, advance, game):
    seen = 2

    lay(store, game, 1, hide(), id_="p", condition="unchanged", seen=seen)
    tables.hide(game, 2, 0)
    settle(store, advance)

    refusal = bodies(store, game)[-1]["refusal"]
    assert ("stale", "plan") == (refusal["code"], bodies(store, game)[-1]["actor"]["by"])
    assert [-5] == came(store, game, "p")


def test_plan_for_an_unchanged_board_is_played_if_only_the_turn_changed(store, tables, advance, game, monkeypatch):
    # The other player's move is an event that only they can read.
    monkeypatch.setattr(
        "tests.pennies.PenniesKnowledge.passes", lambda _, event, __: not isinstance(event, PenniesHidden)
    )

    lay(store, game, 1, hide(), hide(), id_="p", condition="unchanged", seen=2)
    tables.hide(game, 2, 0)
    settle(store, advance)

    # The second command has the ETag after the first, and is refused because it is not this seat's turn.
    assert [5, -6] == came(store, game, "p")
    assert "not-your-turn" == bodies(store, game)[-1]["refusal"]["code"]
    assert 4 == bodies(store, game)[4]["submission"]["expected"]


def test_plan_stops_at_the_first_refusal_and_the_rest_leaves_no_trace(store, tables, advance, game):
    lay(store, game, 1, hide(), hide(99), hide(), id_="p")
    tables.hide(game, 2, 0)
    settle(store, advance)

    assert [5, -6, lists.LEFT] == came(store, game, "p")
    assert 6 == store.log.head(game)[0]
    tables.hide(game, 2, 0)
    settle(store, advance)
    assert "p.2" not in ids_in(store, game)


def test_plan_is_replaced_only_if_it_matches_and_a_dropped_plan_is_never_played(store, tables, advance, game):
    lay(store, game, 1, hide(0), id_="p")
    assert ("changed", "q") == lay(store, game, 1, hide(1), id_="q", match=NOWHERE)
    assert ("changed", "q") == lay(store, game, 1, hide(1), id_="q", match="o")
    assert ("laid", "q") == lay(store, game, 1, hide(1), id_="q", match="p")
    assert [hide(1)] == list(Plans(store).get(game, Seat(1)).commands)

    assert "changed" == Plans(store).drop(game, Seat(1), "p")
    assert "dropped" == Plans(store).drop(game, Seat(1), "q")
    assert "none" == Plans(store).drop(game, Seat(1))
    tables.hide(game, 2, 0)
    settle(store, advance)

    assert not any(id_[0] in "pq" for id_ in ids_in(store, game))
    assert Plans(store).get(game, Seat(1)) is None


def test_played_plan_is_dropped_only_on_request(store, tables, advance, game):
    lay(store, game, 1, hide(), id_="p")
    tables.hide(game, 2, 0)
    settle(store, advance)

    assert "used" == Plans(store).drop(game, Seat(1))
    assert "dropped" == Plans(store).drop(game, Seat(1), used=True)
    assert Plans(store).get(game, Seat(1)) is None


def test_plan_is_laid_only_at_the_current_end_of_a_running_game(store, tables, advance, game):
    plan = Plan("p", Seat(1), "ada", (hide(),), 1, ("*",), "legal", "wait", 0, "cred")
    assert "moved" == Plans(store).lay(game, plan, "", store.log.head(game)[0] - 1)
    assert "unknown-game" == Plans(store).lay("nowhere", plan, "", 0)

    fresh = tables.start(points=1)
    settle(store, advance)
    while store.lobbies.get(fresh).status == "running":
        tables.hide(fresh, 1, 1)
        tables.hide(fresh, 2, 1)
        settle(store, advance)
    assert "over" == Plans(store).lay(fresh, plan, "", store.log.head(fresh)[0])


def test_plan_is_dropped_when_its_seat_resigns(store, tables, advance, game):
    lay(store, game, 1, hide(), id_="p")
    tables.say(game, 1, type="resign")
    settle(store, advance)
    assert Plans(store).get(game, Seat(1)) is None

    tables.hide(game, 2, 0)
    settle(store, advance)

    assert "p.0" not in ids_in(store, game)


def test_plan_of_a_former_player_is_dropped(store, tables, advance, game):
    lay(store, game, 1, hide(), id_="p", player="somebody")
    tables.hide(game, 2, 0)
    settle(store, advance)

    assert "p.0" not in ids_in(store, game)
    assert Plans(store).get(game, Seat(1)) is None


@pytest.mark.parametrize("is_played", [False, True])
def test_only_a_pending_plan_is_dropped_when_the_game_ends(store, tables, advance, is_played):
    game = tables.start(points=2)  # more than the first round can give
    settle(store, advance)
    tables.hide(game, 1, 0)
    settle(store, advance)
    lay(store, game, 1, hide(1), id_="p", kinds=("*",) if is_played else ("flee",))
    while store.lobbies.get(game).status == "running":
        tables.hide(game, 1, 1)
        tables.hide(game, 2, 1)
        settle(store, advance)

    plan = Plans(store).get(game, Seat(1))
    if is_played:
        assert ("p", False) == (plan.id, plan.waits), "its player can still read the result"
        assert 1 == len(came(store, game, "p"))
    else:
        assert plan is None


def test_plan_whose_commit_was_not_stored_is_played_by_the_next_worker(store, tables, advance, game, monkeypatch):
    lay(store, game, 1, hide(), id_="p")
    tables.hide(game, 2, 0)
    with monkeypatch.context() as broken:
        broken.setattr(store.log, "append_and_read", Mock(side_effect=StoreDown))
        with pytest.raises(StoreDown):
            advance.round(range(store.partitions))
    assert Plans(store).get(game, Seat(1)).waits

    store.claims.release(game)
    settle(store, Advance.in_process(store))

    assert [5] == came(store, game, "p")


def test_plan_that_is_about_to_be_submitted_is_neither_replaced_nor_deleted(store, tables, advance, game):
    lay(store, game, 1, hide(), id_="p")
    meta = store.keys.game(game).meta
    begun = {
        seat: replace(plan, state="playing") for seat, plan in read_plans(store.wire.one("HGET", meta, "plans")).items()
    }
    store.wire.one("HSET", meta, "plans", plan_fields(begun)["plans"])

    assert "changed" == lay(store, game, 1, hide(), id_="q")[0]
    assert "used" == Plans(store).drop(game, Seat(1), used=True)
    assert "p" == Plans(store).get(game, Seat(1)).id
