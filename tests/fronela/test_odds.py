"""The table of odds (2.22), by battles fought with the real dice functions and by computation."""

from __future__ import annotations

import random

import pytest

from domain.games.fronela.bots.odds import win
from domain.games.fronela.phases.dice import ATTACK, DEFENCE, hits, thrown, throws
from domain.kernel.dice import Dice
from tests.fronela.story import board

CLEAR = {
    1: (0.40, 0.08, 0.01, 0.00),
    2: (0.87, 0.46, 0.15, 0.03),
    3: (0.98, 0.82, 0.47, 0.19),
    4: (1.0, 0.96, 0.78, 0.48),
    5: (1.0, 0.99, 0.94, 0.76),
}
HARD = {
    1: (0.25, 0.03, 0.00, 0.00),
    2: (0.68, 0.21, 0.04, 0.00),
    3: (0.90, 0.52, 0.18, 0.04),
    4: (0.98, 0.77, 0.41, 0.15),
    5: (1.0, 0.91, 0.65, 0.33),
}
CELLS = [
    (area, a, d + 1, p)
    for area, table in (("akem", CLEAR), ("oranor", HARD))
    for a, row in table.items()
    for d, p in enumerate(row)
]


class Quick(Dice):
    """Dice fast enough for millions of rolls."""

    def __init__(self, seed):
        super().__init__(bytes(32))
        self._random = random.Random(seed).random

    def roll(self, faces=6):
        return int(self._random() * faces) + 1


def bears(area, number, side):
    state = board({area: {"bear_people": number}}, round=12)
    return throws(state, area, "bear_people", side)


def fought(area, attackers, defenders, battles):
    """The share of battles, each fought to the end, that the attacker wins."""
    dice = Quick(attackers * 10 + defenders)
    ours = {number: bears(area, number, ATTACK) for number in range(1, 6)}
    theirs = {number: bears(area, number, DEFENCE) for number in range(1, 6)}
    wins = 0
    for _ in range(battles):
        a, d = attackers, defenders
        while a > 0 and d > 0:
            dealt, taken = hits(thrown(ours[a], dice)), hits(thrown(theirs[d], dice))
            a, d = a - taken, d - dealt
        wins += a > 0
    return wins / battles


@pytest.mark.parametrize(("area", "attackers", "defenders", "expected"), CELLS)
def test_fro_12_odds_of_a_battle_to_the_end_match_the_table(area, attackers, defenders, expected):
    assert abs(fought(area, attackers, defenders, 1000) - expected) < 0.06
    assert abs(win(attackers, defenders, 5 if area == "akem" else 6, 5) - expected) < 0.0051


@pytest.mark.soak
@pytest.mark.parametrize(("area", "attackers", "defenders", "expected"), CELLS)
def test_fro_12_odds_match_the_table_over_twenty_thousand_battles(area, attackers, defenders, expected):
    assert abs(fought(area, attackers, defenders, 20_000) - expected) < 0.02
