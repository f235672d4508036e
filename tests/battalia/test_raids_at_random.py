"""Random play with the Keeper and the Unbound Buff in every set of modules: bets, marches, attacks, and duels."""

from __future__ import annotations

import pytest

from domain.games.battalia.game import BATTALIA
from domain.kernel.dice import Dice
from domain.table.folding import replay
from tests.battalia.keeping import keeper
from tests.battalia.laid import at, night, road, table, turn_of
from tests.battalia.raiding import free, hired
from tests.battalia.random_play import steps
from tests.battalia.test_modules import EVERY_SET, wander
from tests.battalia.test_random_play import check

SETS = [modules for modules in EVERY_SET if {"keeper", "unbound_buff"} & set(modules)]


def crowded(modules, seats, **options):
    """Three road squares east of A1 with heroes, and the Keeper on one of them if he plays."""
    state = table(seats, modules, **options)
    for square, exits in (("B1", "EW"), ("C1", "SW"), ("C2", "NS")):
        state = road(state, square, exits)
    state = at(state, hero_1_1="B1", hero_2_1="C1", hero_2_2="C2")
    return keeper(state, "C1") if "keeper" in modules else state


@pytest.mark.soak
@pytest.mark.parametrize("modules", SETS, ids="-".join)
def test_random_play_with_the_keeper_or_the_buff_passes_all_checks(modules):
    number = SETS.index(modules)
    seats = (2, 3, 4)[number % 3] if "stormgates" not in modules else (5, 2, 6, 3)[number % 4]
    options = {"teams": seats in (4, 6) and number % 2 == 0}
    state = crowded(modules, seats, **options)
    if "unbound_buff" in modules:
        wander(night(state, 6), number, 6 + seats)  # the bet
        state = hired(state, 1, "C1") if number % 2 else free(state, "A1", bribes={"2": 9})

    wander(turn_of(state, 1), number, 10)


@pytest.mark.soak
def test_games_with_keeper_and_buff_have_every_kind_of_question_and_replay():
    asked, seen, commits, position = set(), set(), [], None
    dice = Dice(b"watching")
    for seed in (1, 5):
        commits = []
        for position, commit in steps(3, seed, cap=500, bot="greedy", modules=("keeper", "unbound_buff"), max_weeks=5):
            commits.append(commit)
            assert BATTALIA.rules.faults(position.state) == []
            kinds = {frame.kind for frame in position.state.asking if frame.npc}
            if kinds - asked:
                check(position, dice)
            asked |= kinds
            seen |= {type(event).__name__ for event in commit.events}
        assert replay(BATTALIA, commits) == position
    assert {"bet", "entrance", "stir", "march", "attacked"} <= asked
    assert {"BetsRevealed", "BuffMoved", "FigureFought", "KeyGiven", "KeeperChallenged"} <= seen
