"""Checks that every acknowledged command of a game is in its history exactly once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tools.load.line import WRONG_SHAPE, Line
from tools.load.playing import LoadGame, Trouble
from tools.load.shapes import History


@dataclass(frozen=True, slots=True)
class Checked:
    """The comparison of histories with the acknowledged commands."""

    games: int = 0
    acknowledged: int = 0
    lost: int = 0
    """Acknowledged, and in no history."""
    twice: int = 0
    """In a history more than once."""
    strange: int = 0
    """In a history, and neither acknowledged nor unanswered: sent once, and accepted twice."""
    unanswered: int = 0
    unchecked: int = 0
    """Games whose history could not be read."""

    def __add__(self, other: Checked) -> Checked:
        return Checked(
            self.games + other.games,
            self.acknowledged + other.acknowledged,
            self.lost + other.lost,
            self.twice + other.twice,
            self.strange + other.strange,
            self.unanswered + other.unanswered,
            self.unchecked + other.unchecked,
        )

    @property
    def right(self) -> bool:
        return not (self.lost or self.twice or self.strange or self.unchecked)


def checked(line: Line, game: LoadGame) -> Checked:
    """Read the game's history as each of its players; raises `Trouble` and `ApiError`."""
    found = Counter(each for seat in range(1, len(game.accounts) + 1) for each in _own(line, game, seat))
    strange = len(found.keys() - game.acknowledged) - game.unanswered
    return Checked(
        1,
        len(game.acknowledged),
        len(game.acknowledged - found.keys()),
        sum(count > 1 for count in found.values()),
        max(0, strange),
        game.unanswered,
    )


def _own(line: Line, game: LoadGame, seat: int) -> Iterator[str]:
    """The ids of the seat's own commands, including refused ones, in the order of the history."""
    after, more = 0, True
    while more:
        path = f"{game.path}/events?after={after}"
        answer = line.ask("events", "GET", path, game.accounts[seat - 1].token)
        if answer.status != 200:
            raise Trouble(answer.code)
        page = answer.read(History)
        yield from (entry.command for entry in page.events if entry.command is not None)
        if page.more and page.after <= after:  # the same page would be read forever
            raise Trouble(WRONG_SHAPE)
        after, more = page.after, page.more
