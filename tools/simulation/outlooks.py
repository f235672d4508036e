"""Fitting how many points seats still get to how they stand, in the course of a game, and how far such guesses go astray."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from domain import RELEASE
from domain.terms import Seat

_CALM = 1.0
"""How strongly weights are held to 0: as much as one state speaks for one that is 1."""
_SPREADS = [number / 4 for number in range(2, 121)]
"""Points by which a guess is known too high or too low, of which the likeliest is taken."""

Outlook = tuple[str, Mapping[Seat, Mapping[str, float]], Mapping[Seat, int]]
"""When in the game a state was seen, how each seat stood (`domain.options.Searching.outlook`), and what points it had."""


class Seen(NamedTuple):
    """The states of one game, and its end."""

    outlooks: tuple[Outlook, ...]
    points: Mapping[Seat, int]
    won: Mapping[Seat, float]
    """What each seat had of the win."""


def expected(games: Iterable[Seen], made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """For each time of the game the weights of what tells how many points are still to come, by least squares, all seats together.

    ``spread`` is the number of points for which odds grow by e, so that winners are likeliest by the softmax of all expectations.
    """
    found: dict[str, list[tuple[Outlook, Seen]]] = {}
    for game in games:
        for outlook in game.outlooks:
            found.setdefault(outlook[0], []).append((outlook, game))
    return {
        when: {"command": made["command"], "games": made["games"], "release": RELEASE, **_fitted(states)}
        for when, states in found.items()
    }


def _fitted(states: Sequence[tuple[Outlook, Seen]]) -> dict[str, Any]:
    import numpy as np

    (_, first, _), _ = states[0]
    seats = list(first)
    names = sorted(first[seats[0]])
    told = np.array([[[stands[seat][name] for name in names] for seat in seats] for (_, stands, _), _ in states])
    had = np.array([[points.get(seat, 0) for seat in seats] for (_, _, points), _ in states], dtype=float)
    got = np.array([[game.points.get(seat, 0) for seat in seats] for _, game in states]) - had
    won = np.array([[game.won[seat] for seat in seats] for _, game in states])
    rows = told.reshape(-1, len(names))
    weights = np.linalg.solve(rows.T @ rows + _CALM * np.eye(len(names)), rows.T @ got.ravel())
    hoped = had + told @ weights

    def doubt(spread: float) -> float:
        odds = (hoped - hoped.max(axis=1, keepdims=True)) / spread
        return float(-np.mean(won * (odds - np.log(np.exp(odds).sum(axis=1, keepdims=True)))))

    return {
        "states": len(states),
        "astray": round(float(np.sqrt(np.mean((got - told @ weights) ** 2))), 2),
        "spread": min(_SPREADS, key=doubt),
        "weights": {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)},
    }
