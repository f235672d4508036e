"""Lobbies with the accounts of their players, cached for a few seconds once the game has started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from cachetools import LRUCache

from domain.kernel.game import AnyGame
from domain.kernel.terms import GameId, PlayerId, Seat
from domain.registry import GAMES
from service.core.history.narration import Narrator
from service.core.history.seating import build_seat_names
from service.core.http.problems import Problem, quarantine_problem
from service.core.http.ttl_cache import TtlCache
from service.core.positions.cache import Positions
from service.core.positions.rows import load_sides
from service.store.ports.accounts import Player
from service.store.ports.lobbies import Lobby, is_bot
from service.store.ports.news import changed_seats
from service.store.redis.store import Store

CACHE_SECONDS = 5.0
"""Seconds that a started game's lobby is cached. Before the start it is read every time."""

MAX_GAMES = 10_000
"""Maximum number of cached games."""


@dataclass(frozen=True)  # no slots: the narrator is created on first use
class SeatedLobby:
    """A lobby and the accounts of its players."""

    lobby: Lobby
    players: dict[PlayerId, Player]
    sides: Mapping[Seat, str] = field(default_factory=dict)
    """The sides of the seats, if they are distinct and the game has begun."""

    @cached_property
    def game(self) -> AnyGame:
        """The rules. Raises the problem of a game that needs another release."""
        game = GAMES.get(self.lobby.kind)
        if game is None:
            raise quarantine_problem("needs-release")
        return game

    @cached_property
    def seats(self) -> Mapping[PlayerId, tuple[Seat, ...]]:
        """The seats of each seated player (`Lobby.seats_of`)."""
        return {player: self.lobby.seats_of(player) for player in _player_ids(self.lobby)}

    @cached_property
    def narrator(self) -> Narrator:
        """The narrator of its history."""
        return Narrator(self.game, self.names(in_sentences=True))

    def names(self, *, in_sentences: bool = False) -> dict[Seat, str]:
        """The name of each seat; in sentences a form that cannot be mistaken for another."""
        known = {id_: player.name for id_, player in self.players.items()}
        holders = [chair.holder for chair in self.lobby.chairs]
        return build_seat_names(holders, known, sides=self.sides, in_sentences=in_sentences)


def game_of(kind: str) -> AnyGame:
    """The rules of a kind of game. Raises the problem of an unknown kind."""
    game = GAMES.get(kind)
    if game is None:
        raise Problem("unknown-kind")
    return game


class LobbyCache:
    """The lobbies of recently requested games."""

    def __init__(self, store: Store, positions: Positions) -> None:
        self._store, self._positions = store, positions
        self._cache: TtlCache[GameId, SeatedLobby] = TtlCache(MAX_GAMES)
        self._newest_revisions: LRUCache[GameId, int] = LRUCache(MAX_GAMES)
        """The newest known revision of a game's seating. Older reads are not cached."""

    def handle_message(self, message: str) -> None:
        """Handle a message about revoked credentials or changed seats: seats are read again (``*``: in every game)."""
        if message == "*":
            self._cache.remove_where(lambda _: True)
            return
        game_id, revision = changed_seats(message) or ("", 0)
        if game_id:
            self._newest_revisions[GameId(game_id)] = revision
            self._cache.remove(GameId(game_id))

    def get_cached(self, game_id: GameId) -> SeatedLobby | None:
        """The lobby of a started game, if it was read in the last `CACHE_SECONDS` seconds."""
        return self._cache.get(game_id)

    def get(self, game_id: GameId, *, fresh: bool = False) -> SeatedLobby:
        """The lobby of a game, cached or (``fresh``) from the store. Raises the problem of an unknown game."""
        known = None if fresh else self.get_cached(game_id)
        if known is not None:
            return known
        lobby = self._store.lobbies.get(game_id)
        if lobby is None:
            raise Problem("unknown-game")
        seated = self._with_sides(self.with_players([lobby])[0])
        self._store_in_cache(seated)
        return seated

    def to_seated(self, lobby: Lobby) -> SeatedLobby:
        """A lobby just read, with its players. Names may be cached, seats never are."""
        known = self.get_cached(lobby.id)
        if known is not None and (known.lobby is lobby or known.lobby == lobby):
            return known
        seated = self._with_sides(self.with_players([lobby])[0])
        self._store_in_cache(seated)
        return seated

    def _store_in_cache(self, seated: SeatedLobby) -> None:
        lobby = seated.lobby
        if lobby.status != "lobby" and lobby.seating.revision >= self._newest_revisions.get(lobby.id, 0):
            self._cache.put(lobby.id, seated, CACHE_SECONDS)

    def _with_sides(self, seated: SeatedLobby) -> SeatedLobby:
        """Adds the sides of the seats, if the game has begun and not all seats have players' names."""
        lobby, game = seated.lobby, GAMES.get(seated.lobby.kind)
        if (
            lobby.status == "lobby"
            or game is None
            or not game.presentation.sides
            or not any(is_bot(c.holder) for c in lobby.chairs)
        ):
            return seated
        return replace(seated, sides=load_sides(self._store, self._positions, game, lobby.id))

    def forget(self, game_id: GameId) -> None:
        """Read the game's lobby again at the next request."""
        self._cache.remove(game_id)

    def with_players(self, lobbies: list[Lobby]) -> list[SeatedLobby]:
        """Lobbies with the accounts of their players, all read at once."""
        ids = {holder for lobby in lobbies for holder in _player_ids(lobby)}
        players = dict(self._store.accounts.players(sorted(ids))) if ids else {}
        return [
            SeatedLobby(lobby, {id_: players[id_] for id_ in _player_ids(lobby) if id_ in players}) for lobby in lobbies
        ]


def _player_ids(lobby: Lobby) -> list[PlayerId]:
    holders = [PlayerId(c.holder) for c in lobby.chairs if c.holder is not None and not is_bot(c.holder)]
    return [
        *holders,
        *(player for _, player in lobby.seating.wishes),
        *(each.player for each in lobby.seating.sitters),
        *(each.player for each in lobby.reserved),
    ]
