"""Fitting what a seat's features are worth to whole games: the numbers by which a player who searches judges a position."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from domain import RELEASE
from domain.game import AnyGame
from domain.play.bots import search
from domain.play.record import Position
from domain.terms import Seat
from tools.simulation.outlooks import Outlook, Seen

EVERY = 5
"""Of so many commits the state after one is looked at; which one, moves on from game to game."""
_STEPS = 30
"""Of Newton's method; it is done after eight or so."""
_CALM = 1.0
"""How strongly weights are held to 0: as much as one state speaks for one that is 1."""


Sample = tuple[Mapping[str, float], float]
"""How a seat stood at some time, and what it had of the win in the end."""


class Sampling:
    """The states of one game that are looked at while it is played."""

    def __init__(self, game: AnyGame, number: int) -> None:
        self._game, self._number = game, number
        self._taken: list[tuple[Seat, Mapping[str, float]]] = []
        self._outlooks: list[Outlook] = []

    def look(self, position: Position) -> None:
        """Note how every seat stands; nothing of a game that has not begun or is over, or that has no features."""
        if position.table is None or position.over or (position.seq + self._number) % EVERY:
            return
        if outlook := self._game.outlook(position.state):
            self._outlooks.append((*outlook, self._game.standings(position.state)))
        for seat in map(Seat, range(1, len(position.table.controllers) + 1)):
            if told := self._game.features(position.state, seat):
                self._taken.append((seat, told))

    def samples(self, state: Any) -> tuple[Sample, ...]:
        """All that was noted, with what came of it in the last state; nothing of a game that did not come to its end."""
        outcome = self._game.outcome(state) if self._taken else None
        if outcome is None:
            return ()
        won = {seat: search.share(self._game, state, seat, outcome.winners) for seat, _ in self._taken}
        return tuple((told, won[seat]) for seat, told in self._taken)

    def seen(self, state: Any) -> Seen | None:
        """The same of the points that seats still got."""
        outcome = self._game.outcome(state) if self._outlooks else None
        if outcome is None:
            return None
        won = {seat: search.share(self._game, state, seat, outcome.winners) for seat in outcome.scores}
        return Seen(tuple(self._outlooks), outcome.scores, won)


def fits(samples: Iterable[Sample], made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """A fit for each set of features, by their names; ``made`` says how the games were played, and becomes a part of each."""
    found: dict[str, tuple[list[list[float]], list[float]]] = {}
    for told, share in samples:
        names = sorted(told)
        rows, shares = found.setdefault(" ".join(names), ([], []))
        rows.append([told[name] for name in names])
        shares.append(share)
    return {names: {**made, "release": RELEASE, **_fitted(names.split(), *data)} for names, data in found.items()}


def _fitted(names: Sequence[str], rows: Sequence[Sequence[float]], shares: Sequence[float]) -> dict[str, Any]:
    """Logistic regression: the weights, and how much is left in doubt with them and by the mean alone."""
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
    """The game's fits with the new ones among them, as a module for its folder."""
    every = {names: dict(fit) for names, fit in sorted({**game.fits, **new}.items())}
    text = json.dumps(every, indent=4)  # such JSON is Python too
    module = _MODULE.format(title=game.title, fits=text)
    if outlooks := {**game.outlooks, **outlooks}:
        text = re.sub(r"\{[^{}]+\}", lambda weights: " ".join(weights[0].split()), json.dumps(outlooks, indent=4))
        module += _OUTLOOKS.format(outlooks=text)
    file.write_text(module, encoding="utf-8")


_MODULE = '''"""How much each feature of a seat tells of its chances in {title}: written by ``oraclewheel simulate --fit``, never by hand.

Each fit says by which command it was made, of how many games and states, by which release, and what doubt (mean log loss, in
nats) it leaves, beside that of somebody who knows nothing of a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# fmt: off
FITS: Mapping[str, Mapping[str, Any]] = {fits}
'''

_OUTLOOKS = '''
OUTLOOKS: Mapping[str, Mapping[str, Any]] = {outlooks}
"""By the time of the game what tells how many points a seat still gets, how far such guesses go astray (root of the mean square)
in the same games, and for how many points more odds of winning grow by e."""
'''
