"""Fits how many points seats still get, depending on their state during a game, and the error of such estimates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from domain import RELEASE
from domain.kernel.terms import Seat

_CALM = 1.0
"""Strength of the regularization towards 0: the same as one state has for a weight of 1."""
_SPREADS = [number / 4 for number in range(2, 121)]
"""Candidates for the typical error of an estimate in points; the likeliest is used."""

Outlook = tuple[str, Mapping[Seat, Mapping[str, float]], Mapping[Seat, int]]
"""A state's time in the game, each seat's features (`domain.kernel.game.bots.Bots.outlook`), and its points."""


class Seen(NamedTuple):
    """The states of one game, and its end."""

    outlooks: tuple[Outlook, ...]
    points: Mapping[Seat, int]
    won: Mapping[Seat, float]
    """Each seat's share of the win."""


def expected(games: Iterable[Seen], made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """For each time of the game, the weights that estimate the points still to come, by least squares over all seats.

    ``spread`` is the number of points for which odds grow by e, so that winners are likeliest by the softmax of all
    expectations.
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
