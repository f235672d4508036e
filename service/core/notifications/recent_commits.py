"""Recent commits of games with their context, read once and used for all subscriptions."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache, TTLCache

from domain.kernel.record import Commit, OpenQuestion, PastNotKept, Position
from domain.kernel.terms import GameId, PlayerId, Seat
from service.core.history.narration import Narrator
from service.core.history.seating import build_seat_names, load_player_names
from service.core.positions.cache import CachedPosition, Positions, replay
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import load_sides
from service.core.positions.visibility import HistoryReader, Resignations
from service.store.chain import WentBack
from service.store.ports.commits import Stored
from service.store.ports.lobbies import Lobby, is_bot
from service.store.ports.store import Progress
from service.store.redis.store import Store

NAMES_SECONDS = 5.0
"""Seconds for which the names of a game's players are cached."""

MAX_CACHED = 2048
"""Commits kept in memory as read, so that a game with several subscriptions is read once."""

MAX_CACHED_LOOKBACK = 64
"""How many commits before the newest are looked up in memory."""

BATCH_SIZE = 16
"""Commits read at a time, between multiples of this number, so that later readers use the same reads."""


@dataclass(frozen=True, slots=True)
class CommitContext:
    """A commit with its context."""

    stored: Stored
    commit: Commit
    previous_head: str
    """The head of the commit before it."""
    questions: tuple[OpenQuestion, ...]
    """The questions that it asks players. Questions to bots and SYSTEM are left out."""
    ends_game: bool
    """Whether it ends the game."""


@dataclass(frozen=True, slots=True)
class GameContext:
    """A started game at the time of a notification."""

    config: GameConfig
    lobby: Lobby
    narrator: Narrator
    position: Position
    """The current position, later than any commit that is reported."""

    names: Mapping[Seat, str]
    """The names of the seats, as in lists of games."""

    now: int = 0
    """When it was read, by the store's clock; 0 if no one is a sitter."""
    requests: Mapping[int, str] = field(default_factory=dict)
    """The request ids of its last commits, by seq."""

    def readable_seats(self, owner: PlayerId) -> tuple[Seat, ...]:
        """The seats that the player may read now: their own and those in which they are a sitter."""
        return (*self.lobby.seats_of(owner), *self.lobby.seating.sits_in(owner, self.now))


class RecentCommits:
    """Reads recent commits. Thread-safe, because everything cached is a value."""

    def __init__(self, store: Store, positions: Positions) -> None:
        self._store, self._positions = store, positions
        self._resignations = Resignations()
        self._guard = threading.Lock()
        self._reading = threading.Lock()
        """Held while new commits are read, so that several subscriptions read them once."""
        self._commits: LRUCache[tuple[GameId, str], CommitContext] = LRUCache(MAX_CACHED)
        self._narrators: TTLCache[tuple[GameId, tuple[str | None, ...]], tuple[Narrator, Mapping[Seat, str]]] = (
            TTLCache(MAX_CACHED, NAMES_SECONDS)
        )
        """By game and holders: after a seat changes hands, the new player's name is used at once."""

    def load_game(self, game_id: GameId) -> GameContext | None:
        """The game; None if it does not exist or has not started.

        Raises `BrokenLog` and `UnknownEvent` as `Positions.up_to_date` does.
        """
        # The owner of a seat at this moment decides who may read earlier commits. Seats may change hands, so no later
        # commit is
        # read.
        found = self._store.progress(game_id)
        config = None if found is None or found.lobby.status == "lobby" else self._positions.get_config(game_id)
        if found is None or config is None:
            return None
        with self._reading:
            lobby, position = found.lobby, self._read_to(config, found)
        if position is None:
            position = self._positions.read_newest(config)
            lobby = self._store.lobbies.get(game_id) or lobby
        now = self._store.schedule.now() if lobby.seating.sitters else 0
        narrator, names = self._get_narrator(config, lobby)
        return GameContext(config, lobby, narrator, position, names, now, found.requests)

    def get_reader(self, game: GameContext, seat: Seat | None) -> HistoryReader:
        """The reader for a seat, or for the public."""
        return self._resignations.get_reader(self._store.log, game.config.id, game.position, seat)

    def read_after(self, game: GameContext, seq: int) -> Sequence[CommitContext]:
        """The commits after a seq, in order: at least one if there are any, at most `BATCH_SIZE`."""
        last = min(game.position.seq, (seq // BATCH_SIZE + 1) * BATCH_SIZE)
        if last <= seq:
            return ()
        if game.position.seq - seq <= MAX_CACHED_LOOKBACK and (remembered := self._find_cached(game, seq)):
            return remembered[:BATCH_SIZE]
        commits = list(self._store.log.commits(game.config.id, seq + 1, last))
        found: list[CommitContext] = []
        for place, stored in enumerate(commits):
            with self._guard:
                known = self._commits.get((game.config.id, stored.head))
            if known is None:
                return [*found, *self._read(game.config, stored.seq - 1, commits[place:])]
            found.append(known)
        return found

    def _find_cached(self, game: GameContext, seq: int) -> Sequence[CommitContext]:
        """The commits after a seq, if all are cached; each names the head of its predecessor."""
        found: list[CommitContext] = []
        head = game.position.head
        with self._guard:
            while len(found) < game.position.seq - seq:
                each = self._commits.get((game.config.id, head))
                if each is None:
                    return ()
                found.append(each)
                head = each.previous_head
        return found[::-1]

    def _read_to(self, config: GameConfig, found: Progress) -> Position | None:
        """The position after the newest commit, continued from the cached one; None if that is too old."""
        known = self._positions.get_cached(config.id)
        if known is None or not known.position.seq:
            return None
        if known.position.head == found.head:
            return known.position
        if not 0 < found.seq - known.position.seq <= BATCH_SIZE:
            return None
        start = known.position
        try:
            commits = list(
                self._store.log.commits(config.id, start.seq + 1, found.seq, onto=start.head, meta=found.meta)
            )
            self._walk(config, start, commits)
        except (WentBack, PastNotKept):
            return None
        known = self._positions.get_cached(config.id)
        return known.position if known is not None and known.position.head == found.head else None

    def _read(self, config: GameConfig, seq: int, commits: Sequence[Stored]) -> Sequence[CommitContext]:
        return self._walk(config, self._positions.read_at(config, seq) if seq else config.initial_position(), commits)

    def _walk(self, config: GameConfig, before: Position, commits: Sequence[Stored]) -> Sequence[CommitContext]:
        found = []
        for stored, commit, after in replay(config.game, before, commits):
            pending = {asked.id for asked in before.asked}
            asked = tuple(each for each in after.asked if each.id not in pending and _is_for_player(after, each))
            context = CommitContext(stored, commit, before.head, asked, after.over and not before.over)
            with self._guard:
                self._commits[config.id, stored.head] = context
            found.append(context)
            before = after
        self._cache_position(config.id, before)
        return found

    def _cache_position(self, game_id: GameId, position: Position) -> None:
        """Cache the position, so that the next read continues there."""
        known = self._positions.get_cached(game_id)
        if known is None or known.position.seq < position.seq:
            self._positions.store_cached(game_id, CachedPosition(position, 0))

    def _get_narrator(self, config: GameConfig, lobby: Lobby) -> tuple[Narrator, Mapping[Seat, str]]:
        holders = tuple(chair.holder for chair in lobby.chairs)
        with self._guard:
            known = self._narrators.get((lobby.id, holders))
        if known is not None:
            return known
        names = load_player_names(self._store.accounts, holders)
        sides = (
            load_sides(self._store, self._positions, config.game, lobby.id)
            if config.game.presentation.sides and any(map(is_bot, holders))
            else {}
        )
        narrator = Narrator(config.game, build_seat_names(holders, names, sides=sides, in_sentences=True))
        narration = narrator, build_seat_names(holders, names, sides=sides)
        with self._guard:
            self._narrators[lobby.id, holders] = narration
        return narration


def _is_for_player(position: Position, asked: OpenQuestion) -> bool:
    return position.table is not None and position.table.is_played(asked.question.seat)
