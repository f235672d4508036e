"""What a day of games by post asks of a service: when their players speak, and when their days end. All of it is assumed."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

ZONES = {
    "Europe/Berlin": (1, 0.30),
    "Europe/London": (0, 0.10),
    "America/New_York": (-5, 0.18),
    "America/Chicago": (-6, 0.08),
    "America/Los_Angeles": (-8, 0.10),
    "America/Sao_Paulo": (-3, 0.06),
    "Asia/Kolkata": (5, 0.06),
    "Asia/Tokyo": (9, 0.07),
    "Australia/Sydney": (11, 0.05),
}
"""The zone that a game's calendar goes by → hours ahead of UTC in November (India's half hour left out), and its share of all games."""

ENDS = 18
"""The hour of the clock at which the day of every game ends."""

COMMANDS = 18
"""Commands of players in a game and a day: three seats with six each."""

READS = 5
"""Views that are read for each command."""

HOURS = (
    0.3,
    0.2,
    0.1,
    0.1,
    0.1,
    0.2,
    0.5,
    0.9,
    1.0,
    1.0,
    1.0,
    1.1,
    1.4,
    1.2,
    1.1,
    1.2,
    1.6,
    2.2,
    1.4,
    1.6,
    2.0,
    2.0,
    1.4,
    0.7,
)
"""How much is said in each hour of the players' own clock, against each other: most in the last hour before the day ends, and at night."""

MINUTES = 24 * 60


def rate(games: float, minute: int) -> float:
    """Commands a second that are to be expected in this minute of the day in UTC."""
    shares = sum(share * HOURS[(minute // 60 + ahead) % 24] for ahead, share in ZONES.values())
    return games * COMMANDS / 86_400 * shares * 24 / sum(HOURS)


def peak() -> float:
    """How much more than on average is said in the busiest hour."""
    return max(rate(1, minute) for minute in range(0, MINUTES, 60)) / (COMMANDS / 86_400)


def said(games: float, dice: Random) -> list[float]:
    """Commands a second in each minute of the day, as they come in by chance."""
    expected = [60 * rate(games, minute) for minute in range(MINUTES)]
    return [max(0.0, dice.gauss(each, each**0.5)) / 60 for each in expected]


def ends(games: int) -> Mapping[float, int]:
    """How many games' days end at each instant, in seconds of the day in UTC."""
    found: dict[float, int] = {}
    for ahead, share in ZONES.values():
        instant = float((ENDS - ahead) % 24 * 3600)
        found[instant] = found.get(instant, 0) + round(games * share)
    return dict(sorted(found.items()))
