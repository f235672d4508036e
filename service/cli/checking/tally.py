"""Distributes games over processes for checking, and counts the results."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from domain import RELEASE
from service.audit.processes import can_fork, map_in_order
from service.cli.checking.checked import CheckedGame

Piece = TypeVar("Piece")


def shared_out(
    pieces: Sequence[Piece], look: Callable[[Piece], tuple[CheckedGame, ...]], jobs: int
) -> Iterator[tuple[CheckedGame, ...]]:
    """The results of ``look`` for each piece, in order, from ``jobs`` processes. Raises `Inconclusive` if a process fails."""
    if jobs == 1 or len(pieces) < 2 or not can_fork():
        return map(look, pieces)
    return map_in_order(pieces, jobs, look)


class CheckTally:
    """Counts of results. Only diverging games are kept."""

    def __init__(self) -> None:
        self.games = Counter[str]()
        """Number of games by state."""
        self.commits = 0
        self.wrong: list[CheckedGame] = []

    def count(self, checked: CheckedGame) -> None:
        self.games[checked.state] += 1
        self.commits += checked.commits
        if checked.divergence is not None:
            self.wrong.append(checked)

    def summary(self) -> str:
        damaged = self.games["unreadable"]
        diverging = len(self.wrong) - damaged
        words = [f"{diverging} diverge" if diverging else "none diverges"]
        words += [f"{damaged} cannot be read"] if damaged else []
        words += [f"{self.games['running']} still running and not replayed"] if self.games["running"] else []
        return f"Release {RELEASE}: {self.games.total()} games, {self.commits} commits replayed; {', '.join(words)}."

    def document(self) -> str:
        """The result as JSON, with each diverging game."""
        told: dict[str, Any] = {
            "release": RELEASE,
            "ok": not self.wrong,
            "games": self.games.total(),
            "commits": self.commits,
            **{state: self.games[state] for state in ("decided", "unreadable", "running")},
            "found": [each.document() for each in self.wrong],
        }
        return json.dumps(told, indent=2)
