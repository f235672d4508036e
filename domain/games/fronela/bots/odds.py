"""Exact odds of a battle that is fought to the end, for bots (2.22)."""

from __future__ import annotations

from functools import lru_cache
from math import comb


@lru_cache(maxsize=4096)
def win(attackers: int, defenders: int, attack_on: int, defence_on: int) -> float:
    """The chance that the attacking dice outlast the defending ones. Each side hits with its given face or higher."""
    if defenders <= 0:
        return 1.0 if attackers > 0 else 0.0
    if attackers <= 0:
        return 0.0
    ours, theirs = _spread(attackers, attack_on), _spread(defenders, defence_on)
    no_hit = ours[0] * theirs[0]
    if no_hit >= 1.0:
        return 0.0
    total = sum(
        p * q * win(max(0, attackers - taken), max(0, defenders - dealt), attack_on, defence_on)
        for dealt, p in enumerate(ours)
        for taken, q in enumerate(theirs)
        if dealt or taken
    )
    return total / (1.0 - no_hit)


@lru_cache(maxsize=1024)
def _spread(dice: int, on: int) -> tuple[float, ...]:
    chance = max(0, 7 - max(1, on)) / 6
    return tuple(comb(dice, hits) * chance**hits * (1 - chance) ** (dice - hits) for hits in range(dice + 1))
