"""Distances to valuable targets: the search from the targets agrees with a search from every square."""

from collections import deque

from domain.games.battalia.bots import prospects
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.rulebook.map import roads
from domain.games.battalia.rulebook.map.figures import city_answers, enemies_on, heroes_of
from domain.kernel.game.rules import Setup
from domain.kernel.terms import Seat
from tests.battalia import laid
from tests.battalia.keeping import ALONE, keeper
from tools.simulation.selfplay import SelfPlay

ONE = Seat(1)


def searched(state, seat, start, targets):
    """The distance by a breadth-first search from the start. Squares that stop a hero block the way."""
    links, known, border = roads.network(state).links, {start: 0}, deque([start])
    while border:
        name = border.popleft()
        for other in links[name]:
            if other in known:
                continue
            if other in targets:
                return known[name] + 1
            if not (other == state.centre or city_answers(state, seat, other) or enemies_on(state, seat, other)):
                known[other] = known[name] + 1
                border.append(other)
    return prospects.FAR


def boards(seats, modules=(), **options):
    """Some states of a game of greedy bots."""
    play = SelfPlay(
        BATTALIA, Setup(seats, BATTALIA.rules.rulesets[0], options, modules), ["bot:greedy"] * seats, bytes(32)
    )
    while not play.over and play.position.seq < 260:
        play.step()
        if play.position.seq % 20 == 0:
            yield play.position.state


def test_distance_of_every_square_to_the_nearest_target_is_its_shortest_path():
    far = set()
    for state in (*boards(2), *boards(4, ("keeper",), teams=True)):
        for seat in sorted(state.order):
            targets = prospects._targets(state, seat) | prospects._module_targets(state, seat)
            ways = prospects._Ways(state, seat, targets)
            for square in state.board:
                assert searched(state, seat, square, targets) == ways.distance(square), (state.day, seat, square)
                far.add(ways.distance(square))

    assert {1, 2, 3, prospects.FAR} <= far


def lane():
    """Seat 1's heroes on B1, and a road from there to E1."""
    state = laid.table(2, ALONE)
    for square, land in (("B1", "emberians"), ("C1", "emberians"), ("D1", "islanders"), ("E1", "islanders")):
        state = laid.road(state, square, "EW", land)
    return laid.at(laid.turn_of(state, 1), hero_1_1="B1", hero_1_2="B1")


def test_distance_of_a_target_is_to_the_next_other_target():
    state = lane()
    ways = prospects._Ways(state, ONE, {"D1": 3.0})

    assert (2, 1, 1) == tuple(ways.distance(square) for square in ("B1", "C1", "E1"))
    assert prospects.FAR == ways.distance("D1") == searched(state, ONE, "D1", {"D1": 3.0})
    assert 3 == prospects._Ways(state, ONE, {"A1": 1.0, "D1": 3.0}).distance("D1")


def test_nearer_squares_change_when_a_hero_moves_or_a_target_disappears():
    state = laid.hand(keeper(lane(), "E1", s1=["islanders"]), 1, "lord", "lord", "chief", "supply")
    weak = laid.hand(state, 1, "frimen", "supply")
    moved = laid.at(state, hero_1_1="C1")

    def steps(state):
        return prospects.prospects(state, ONE).nearer["hero-1-1"]

    assert {"C1": 2} == steps(state)
    assert {} == steps(weak)
    assert {"D1": 1} == steps(moved)


def test_nearness_is_the_sum_of_inverse_distances_of_heroes():
    state = laid.at(lane(), hero_2_1="E1")
    near = prospects.nearness(state, ONE)
    ways = [
        prospects._Ways(state, ONE, prospects._targets(state, ONE)).distance(hero.square)
        for hero in heroes_of(state, ONE)
    ]

    assert sum(1 / far for far in ways) == near
    assert 0 < near < 2
    assert 0 == prospects.nearness(laid.at(state, hero_1_1="", hero_1_2=""), ONE)
