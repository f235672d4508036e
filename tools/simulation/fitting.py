"""Fits weights of a seat's features to whole games; search bots use them to evaluate a position."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from domain import RELEASE
from domain.kernel.game import AnyGame
from domain.kernel.record import Position
from domain.kernel.terms import Seat
from domain.table.bots import search
from tools.simulation.outlooks import Outlook, Seen

EVERY = 5
"""One of so many commits is sampled; which one, changes from game to game."""
_STEPS = 30
"""Iterations of Newton's method, which converges after about eight."""
_CALM = 1.0
"""Strength of the regularization towards 0: the same as one state has for a weight of 1."""


Sample = tuple[Mapping[str, float], float]
"""A seat's features at some time, and its share of the win."""


class Sampling:
    """Samples of one game, taken while it is played."""

    def __init__(self, game: AnyGame, number: int) -> None:
        self._game, self._number = game, number
        self._taken: list[tuple[Seat, Mapping[str, float]]] = []
        self._outlooks: list[Outlook] = []

    def look(self, position: Position) -> None:
        """Sample every seat's features; nothing if the game has not begun, is over, or has no features."""
        if position.table is None or position.over or (position.seq + self._number) % EVERY:
            return
        if outlook := self._game.bots.outlook(position.state):
            self._outlooks.append((*outlook, self._game.rules.standings(position.state)))
        for seat in map(Seat, range(1, len(position.table.controllers) + 1)):
            if told := self._game.bots.features(position.state, seat):
                self._taken.append((seat, told))

    def samples(self, state: Any) -> tuple[Sample, ...]:
        """All samples, with the outcome in the last state; empty for a game that did not end."""
        outcome = self._game.rules.outcome(state) if self._taken else None
        if outcome is None:
            return ()
        won = {seat: search.share(self._game, state, seat, outcome.winners) for seat, _ in self._taken}
        return tuple((told, won[seat]) for seat, told in self._taken)

    def seen(self, state: Any) -> Seen | None:
        """The same for the points that seats still got."""
        outcome = self._game.rules.outcome(state) if self._outlooks else None
        if outcome is None:
            return None
        won = {seat: search.share(self._game, state, seat, outcome.winners) for seat in outcome.scores}
        return Seen(tuple(self._outlooks), outcome.scores, won)


def fits(samples: Iterable[Sample], made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A fit for each set of features, by their names; ``made`` describes how the games were played, and is added to each."""
    found: dict[str, tuple[list[list[float]], list[float]]] = {}
    for told, share in samples:
        names = sorted(told)
        rows, shares = found.setdefault(" ".join(names), ([], []))
        rows.append([told[name] for name in names])
        shares.append(share)
    return {names: {**made, "release": RELEASE, **_fitted(names.split(), *data)} for names, data in found.items()}


def _fitted(names: Sequence[str], rows: Sequence[Sequence[float]], shares: Sequence[float]) -> dict[str, Any]:
    """Logistic regression: the weights, and the log loss with them and with the mean only."""
    import numpy as np

    features, won = np.array(rows), np.array(shares)
    weights = np.zeros(len(names))
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (won - likely) - _CALM * weights
        bend = (features.T * (likely * (1 - likely))) @ features + _CALM * np.eye(len(names))
        weights = weights + np.linalg.solve(bend, slope)
    likely = np.clip(1 / (1 + np.exp(-features @ weights)), 1e-9, 1 - 1e-9)

    def doubt(guess: Any) -> float:
        return round(float(-np.mean(won * np.log(guess) + (1 - won) * np.log(1 - guess))), 4)

    return {
        "states": len(rows),
        "doubt": doubt(likely),
        "doubt_by_the_mean": doubt(np.full(len(rows), won.mean())),
        "weights": {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)},
    }


def write(file: Path, game: AnyGame, new: Mapping[str, Any], outlooks: Mapping[str, Any]) -> None:
    """Write the game's fits, including the new ones, as a module for its package."""
    every = {names: dict(fit) for names, fit in sorted({**game.bots.fits, **new}.items())}
    text = json.dumps(every, indent=4)  # such JSON is valid Python
    module = _MODULE.format(title=game.title, fits=text)
    if outlooks := {**game.bots.outlooks, **outlooks}:
        text = re.sub(r"\{[^{}]+\}", lambda weights: " ".join(weights[0].split()), json.dumps(outlooks, indent=4))
        module += _OUTLOOKS.format(outlooks=text)
    file.write_text(module, encoding="utf-8")


_MODULE = '''"""Fitted weights of position features for the bots of {title}.

``oraclewheel simulate --fit`` writes this file; do not edit it. Each fit names its command, the number of games and
states, and the release. ``doubt`` is its mean log loss in nats; ``doubt_by_the_mean`` is that of a constant guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# fmt: off
FITS: Mapping[str, Mapping[str, Any]] = {fits}
'''

_OUTLOOKS = '''
OUTLOOKS: Mapping[str, Mapping[str, Any]] = {outlooks}
"""Fitted values by round: ``weights`` predict the points that a seat still gets.

``astray`` is the root mean square error of these predictions in the same games. ``spread`` is the number of points that
multiplies the odds of winning by e.
"""
'''
