"""Knowledge of Fronela that the search bots use."""

from domain.games.fronela.bots import searching
from domain.games.fronela.game import FRONELA
from domain.games.fronela.state import areas_of, changed
from domain.kernel.dice import Dice
from domain.kernel.terms import Seat
from tests.fronela.whole import Table

ONE, TWO = Seat(1), Seat(2)


def ordered():
    """A state in which every nation has orders of some kind."""
    state = Table(3).position.state
    return FRONELA.knowledge.imagine(FRONELA.knowledge.imagine(state, ONE, Dice(b"1")), TWO, Dice(b"2"))


def test_search_keeps_own_orders_and_assumes_that_others_have_none():
    state = ordered()
    own = {nation for nation in state.orders if state.tables.nations[nation].seat == ONE}
    supposed = FRONELA.bots.supposed(state, ONE, Dice(b"x"))

    assert own
    assert own < state.orders.keys()
    assert own == supposed.orders.keys()
    assert FRONELA.knowledge.view(state) == FRONELA.knowledge.view(supposed)
    assert FRONELA.knowledge.private(state, ONE) == FRONELA.knowledge.private(supposed, ONE)


def test_search_looks_two_turns_of_other_nations_ahead():
    state = Table(3).position.state
    playing = [
        place for place, slot in enumerate(state.order) if slot in state.tables.nations and areas_of(state, slot)
    ]
    start = changed(state, place=playing[0])
    far = [searching.far_enough(start, changed(state, place=place)) for place in playing]

    assert [False] * 3 == far[:3]
    assert all(far[3:])
    assert searching.far_enough(start, changed(state, round=state.round + 1, place=0))
    assert not searching.far_enough(changed(state, place=playing[-1]), changed(state, round=state.round + 1, place=0))


def test_search_policy_lists_best_moves_first_and_includes_ending_the_moves():
    table = Table(3)
    while table.position.asked[0].question.kind != "move":
        table.turn("greedy")
    state = table.position.state
    scored = searching.policy(state, table.position.asked[0].question.seat)

    assert {"type": "done"} in [command for _, command in scored[:4]]
    gains = [worth for worth, command in scored if command["type"] == "march"]
    assert gains == sorted(gains, reverse=True)
