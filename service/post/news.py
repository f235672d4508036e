"""What has happened in games lately, commit by commit, for whoever tells subscriptions of it: read once, told to many."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cachetools import LRUCache, TTLCache

from domain.play.record import Asked, Commit, Position
from domain.terms import GameId, PlayerId, Seat
from service.projections.history.narration import Narrator
from service.projections.history.seating import is_bot, player_names, seat_names
from service.projections.positions.cache import CachedPosition, Positions, walked
from service.projections.positions.facts import Facts
from service.projections.positions.reach import Reader, Resignations
from service.projections.positions.rows import sides_now
from service.store.ports.commits import Stored
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store

KEPT = 5.0
"""Seconds for which the names of a game's players are believed."""

REMEMBERED = 2048
"""Commits that are remembered as they were read; a game with several subscriptions is read once."""

AT_A_TIME = 16
"""Commits read at a time, from one multiple of it to the next: whoever comes after reads the same ones."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One commit, and what it has come to beyond its events."""

    stored: Stored
    commit: Commit
    asked: tuple[Asked, ...]
    """The questions that it asks players' seats; what bots and SYSTEM are asked is nobody's turn."""
    over: bool
    """Whether it ends the game."""


@dataclass(frozen=True, slots=True)
class GameNews:
    """A game that has started, as it is when something of it is told."""

    facts: Facts
    lobby: Lobby
    narrator: Narrator
    position: Position
    """How it stands: later than any commit that is told."""

    names: Mapping[Seat, str]
    """Who sits where, as they are called where games are listed."""

    now: int = 0
    """When it was read, by the store's clock, where somebody sits in for somebody else."""

    def seats(self, owner: PlayerId) -> tuple[Seat, ...]:
        """The seats that are the player's to read now: their own, and those in which they sit in."""
        return (*self.lobby.seats_of(owner), *self.lobby.seating.sits_in(owner, self.now))


class News:
    """Reads what has happened; safe to share between threads, because all that is remembered are values."""

    def __init__(self, store: Store, positions: Positions) -> None:
        self._store, self._positions = store, positions
        self._resignations = Resignations()
        self._guard = threading.Lock()
        self._happened: LRUCache[tuple[GameId, str], Happening] = LRUCache(REMEMBERED)
        self._narrators: TTLCache[tuple[GameId, tuple[str | None, ...]], tuple[Narrator, Mapping[Seat, str]]] = (
            TTLCache(REMEMBERED, KEPT)
        )
        """By game and by who sits there: a seat may change hands, and who takes it is called by their own name at once."""

    def of(self, game_id: GameId) -> GameNews | None:
        """The game; None for one that there is not, or that has not started.

        Raises `BrokenLog` and `UnknownEvent` as `Positions.up_to_date` does.
        """
        started = self._positions.started(game_id)
        # Last: whose a seat is by then decides what is told of the commits that stood before, and a seat may change hands.
        lobby = None if started is None else self._store.lobbies.get(game_id)
        if started is None or lobby is None:
            return None
        facts, position = started[0], started[1].position
        now = self._store.schedule.now() if lobby.seating.sitters else 0
        narrator, names = self._narrator(facts, lobby)
        return GameNews(facts, lobby, narrator, position, names, now)

    def reader(self, game: GameNews, seat: Seat | None) -> Reader:
        """Who reads with the eyes of a seat, or of the public."""
        return self._resignations.reader(self._store.log, game.facts.id, game.position, seat)

    def since(self, game: GameNews, seq: int) -> Sequence[Happening]:
        """What happened after a commit, in order: something of it, if there is anything, and at most `AT_A_TIME`."""
        last = min(game.position.seq, (seq // AT_A_TIME + 1) * AT_A_TIME)
        if last <= seq:
            return ()
        commits = list(self._store.log.commits(game.facts.id, seq + 1, last))
        found: list[Happening] = []
        for place, stored in enumerate(commits):
            with self._guard:
                known = self._happened.get((game.facts.id, stored.head))
            if known is None:
                return [*found, *self._read(game.facts, stored.seq - 1, commits[place:])]
            found.append(known)
        return found

    def _read(self, facts: Facts, seq: int, commits: Sequence[Stored]) -> Sequence[Happening]:
        before = self._positions.at(facts, seq) if seq else facts.beginning()
        found = []
        for stored, commit, after in walked(facts.rules, before, commits):
            stood = {asked.id for asked in before.asked}
            asked = tuple(each for each in after.asked if each.id not in stood and _is_players(after, each))
            happening = Happening(stored, commit, asked, after.over and not before.over)
            with self._guard:
                self._happened[facts.id, stored.head] = happening
            found.append(happening)
            before = after
        self._keep(facts.id, before)
        return found

    def _keep(self, game_id: GameId, position: Position) -> None:
        """What was read last is where reading goes on."""
        known = self._positions.cached(game_id)
        if known is None or known.position.seq < position.seq:
            self._positions.keep(game_id, CachedPosition(position, 0))

    def _narrator(self, facts: Facts, lobby: Lobby) -> tuple[Narrator, Mapping[Seat, str]]:
        holders = tuple(chair.holder for chair in lobby.chairs)
        with self._guard:
            known = self._narrators.get((lobby.id, holders))
        if known is not None:
            return known
        names = player_names(self._store.accounts, holders)
        sides = (
            sides_now(self._store, self._positions, facts.rules, lobby.id)
            if facts.rules.sides and any(map(is_bot, holders))
            else {}
        )
        narrator = Narrator(facts.rules, seat_names(holders, names, sides=sides, in_sentences=True))
        made = narrator, seat_names(holders, names, sides=sides)
        with self._guard:
            self._narrators[lobby.id, holders] = made
        return made


def _is_players(position: Position, asked: Asked) -> bool:
    return position.table is not None and position.table.is_played(asked.question.seat)
