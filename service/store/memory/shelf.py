"""What the memory store keeps of each game."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domain.terms import GameId, PlayerId, Seat, Seq
from service.store.ports.commits import Reseated, Rows, Stored
from service.store.ports.lobbies import Lobby, TurnsPlayed
from service.store.ports.outbox import CAUSES, Told
from service.store.ports.waiting import Due
from service.store.shared.news_board import NewsBoard

HERE = "here"
"""Where outcomes are waited for in this process, which is the only one."""
MINUTE = 60_000


@dataclass(slots=True)
class Kept:
    """The id of a submission or of a list of them: the digest of its body, and the seq it came to."""

    digest: str
    seq: Seq | None = None
    count: int = 0
    """For the id of a list: how many commands it holds."""


@dataclass(frozen=True, slots=True)
class LaidPlan:
    """A seat's plan (`service.store.ports.waiting`)."""

    document: Mapping[str, Any]
    digest: str
    kinds: tuple[str, ...]
    at: int
    waits: bool = True


@dataclass(slots=True)
class ShelfGame:
    """One game."""

    lobby: Lobby
    seed: bytes
    touched: int = 0
    """When something happened in its lobby last."""
    revision: int = 0
    commands: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    """Entry id → document, oldest first."""
    commits: list[Stored] = field(default_factory=list)
    ids: dict[str, Kept] = field(default_factory=dict)
    rows: Rows | None = None
    """How it stands for its readers, without views; with no release where that has to be made anew."""
    views: dict[int, tuple[str, Seq, bytes]] = field(default_factory=dict)
    """The parts of its views, 0 is the public: the release that made each, the commit after which it did, and the JSON."""
    watched: int = 0
    """Until when somebody reads them."""
    signed: tuple[str, str, str] | None = None
    snapshots: dict[Seq, tuple[str, bytes]] = field(default_factory=dict)
    refusals_until: dict[int, int] = field(default_factory=dict)
    """Per seat, when its bucket of refusals will be full again."""
    unasked_until: dict[int, int] = field(default_factory=dict)
    """Likewise, of what nobody asked it."""
    due: dict[str, Due] = field(default_factory=dict)
    told: dict[str, Told] = field(default_factory=dict)
    """Each subscription that it is told to, and how far."""
    requests: list[tuple[int, str]] = field(default_factory=list)
    """What those of its last commits came of that came in a request, the newest first; nothing while it is told to nobody."""
    turns: dict[Seat, tuple[int, str]] = field(default_factory=dict)
    """What each seat's player has made of the last turns that they were asked for (`TurnsPlayed`)."""
    plans: dict[Seat, LaidPlan] = field(default_factory=dict)
    """By seat, in the order in which they were laid."""
    ready: int | None = None
    """Since when."""
    lease: int | None = None
    """Until when."""
    lasts: int = 0
    """For how many milliseconds it was taken: further ahead it can only lie after the clock was set back."""
    aside: bool = False
    """Put aside without a commit since."""
    held: bool = False
    """A worker has it, or had it when it died."""
    claims: int = 0
    """How often a worker had it since its last commit and nothing came of it."""

    def remember(self, requests: Sequence[tuple[int, str]]) -> None:
        """What its newest commits came of, the newest first, where anybody is told of them."""
        if self.told:
            self.requests = [*requests, *self.requests][:CAUSES]

    def reseat(self, change: Reseated) -> None:
        """Do to a seat what a commit does; what its player has made of their turns goes with them."""
        before = self.lobby.chairs[change.seat - 1].holder
        self.lobby = _reseated(self.lobby, change)
        after = self.lobby.chairs[change.seat - 1].holder
        if before is not None and before != after and change.seat in self.turns:
            played = TurnsPlayed(change.seat, PlayerId(before), *self.turns.pop(change.seat))
            seating = replace(self.lobby.seating, was=(*self.lobby.seating.was, played))
            self.lobby = replace(self.lobby, seating=seating)


class Shelf:
    """All games, under one lock, and the one clock."""

    def __init__(self, board: NewsBoard, partition: Callable[[GameId], int]) -> None:
        self.guard = threading.RLock()
        self.games: dict[GameId, ShelfGame] = {}
        self.board = board
        self.partition = partition
        self.owed: dict[tuple[GameId, str, str], int] = {}
        """Game, subscription, and what it is owed besides commits → when it is due or its lease ends."""
        self.owing: set[int] = set()
        """Partitions in which something has come to be owed."""
        self.moved: set[GameId] = set()
        """Games whose head is to be logged."""
        self._entries = 0

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def put(self, game: ShelfGame, document: Mapping[str, Any], digest: str = "", asked_at: int | None = None) -> bool:
        """Add a submission that is not known yet to a game's commands; whether a worker must be woken."""
        now = self.now()
        self._entries += 1
        game.commands[f"{now}-{self._entries}"] = {**document, "asked_at": now if asked_at is None else asked_at}
        game.ids[document["id"]] = Kept(digest)
        if game.lease is not None and game.lease > now:
            return False
        return self.make_ready(game)

    def make_ready(self, game: ShelfGame) -> bool:
        """Whether it was not ready before."""
        if game.ready is not None:
            return False
        game.ready = self.now()
        return True


def _reseated(lobby: Lobby, change: Reseated) -> Lobby:
    """The lobby after what a commit has done to a seat; what a chair has added to the dice stays with it."""
    chairs = list(lobby.chairs)
    if change.how == "given":
        asking = next((player for seat, player in lobby.seating.wishes if seat == change.seat), None)
        change = replace(change, holder=asking or chairs[change.seat - 1].holder or "")
    if change.how in ("taken", "given"):
        chairs[change.seat - 1] = replace(chairs[change.seat - 1], holder=change.holder)
    return replace(lobby, chairs=tuple(chairs), seating=lobby.seating.changed(change))
