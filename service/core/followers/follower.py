"""The interface of a follower, and what it gets to see of a game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

from domain.kernel.record import Commit, Position
from domain.kernel.terms import GameId, Seq
from service.core.positions.game_config import GameConfig
from service.store.redis.store import Store

CURSOR_EVERY = 16
"""Commits after which a follower stores how far it has read, if it had nothing else to write."""


@dataclass(frozen=True, slots=True)
class CommitStep:
    """A commit with the positions before and after it."""

    before: Position
    commit: Commit
    after: Position


@dataclass(frozen=True)
class ChangedGame:
    """A game with new commits, or one that is looked at again."""

    game_id: GameId
    fields: Mapping[str, bytes | None]
    """The fields of its meta hash that followers ask for (`Follower.fields`), read after its newest change."""
    requests: str
    """The ids of the requests that caused the new commits: lines of seq and id, the newest first."""
    load: Callable[[ChangedGame, Seq], tuple[GameConfig, Sequence[CommitStep]]]

    def number(self, field: str) -> int:
        """The whole number in a field, 0 without one."""
        return int(self.fields.get(field) or 0)

    @property
    def head(self) -> str:
        """Of its newest commit, hex; empty before the first."""
        return (self.fields["head"] or b"").decode()

    @cached_property
    def seq(self) -> Seq:
        return Seq(self.number("seq"))

    def is_far_from(self, cursor: int) -> bool:
        """Whether a follower that had nothing to write should store how far it has read."""
        return self.seq - cursor >= CURSOR_EVERY

    def steps_after(self, seq: int) -> tuple[GameConfig, Sequence[CommitStep]]:
        """The game's constants and its commits after ``seq``. Raises `BrokenLog` and `UnknownEvent`."""
        return self.load(self, Seq(seq))


class Follower(Protocol):
    """Does something after commits. Called at least once for every commit, and in order for each game.

    It must be idempotent: it may be called again for commits that it has seen, also after it was killed at any line. So
    it stores a cursor for each game together with what it writes, and reads from there; changes only say which games.
    """

    name: ClassVar[str]
    """Its name in logs."""
    fields: ClassVar[Sequence[str]]
    """The fields of a game's meta hash that it reads."""

    cursor: ClassVar[str]
    """The field that operators may see as its progress in a game; empty if it stores that with each of its entries."""

    is_late: ClassVar[bool]
    """Whether it needs what other followers write: then it runs after them."""

    def __init__(self, store: Store) -> None: ...

    def follow(self, games: Collection[ChangedGame]) -> Collection[GameId] | None:
        """Bring what it writes up to date with these games. An error is reported, and the game tried again later.

        Returns the games to which it has submitted commands.
        """
