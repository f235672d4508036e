"""What is kept of the seats of games that go on: who asks for one, who sits in, and how players have played their turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from domain.terms import GameId, PlayerId, Seat
from service.store.ports.beside import Shelf
from service.store.ports.lobbies import Lobby, Reliability, Seating, TurnsPlayed, reliability_of
from service.store.ports.news import seats_changed
from service.store.redis import keys
from service.store.redis.connect import Script, Wire
from service.store.redis.keys import Keys
from service.store.redis.lobbies.record import FIELDS, lobby_in, seating_lines, sound_lobby

RESEAT = Script("reseat")
PLAYED = 199
"""Of so many games and one more, the newest, it is looked up how reliable a player is."""


class RedisSeating:
    """The part of the lobbies that changes after a start. Who holds a chair changes with a commit alone (append.lua)."""

    _wire: Wire
    _keys: Keys
    _archive: Shelf

    def reliability(self, player_id: PlayerId) -> Reliability:
        games = [
            GameId(name.decode()) for name in self._wire.one("ZRANGE", keys.player_games(player_id), 0, PLAYED, "REV")
        ]
        lobbies = [lobby for lobby in self.read_all(games) if lobby is not None] if games else []
        kept = [each for lobby in lobbies for each in lobby.seating.was if each.player == player_id]
        seats = [(lobby.id, seat) for lobby in lobbies for seat in lobby.seats_of(player_id)]
        for (_, seat), reply in zip(seats, self._turns(seats), strict=True):
            at, _, turns = (reply or b"").decode().partition(" ") if not isinstance(reply, Exception) else ("", "", "")
            if turns:
                kept.append(TurnsPlayed(seat, player_id, int(at), turns))
        return reliability_of(kept)

    def _turns(self, seats: Sequence[tuple[GameId, Seat]]) -> Sequence[Any]:
        """What was made of the turns of these seats, wherever their games lie."""
        asked = [("HMGET", self._keys.game(game_id).meta, "status", f"t{seat}") for game_id, seat in seats]
        found = []
        for (game_id, seat), reply in zip(seats, self._wire.many(asked), strict=True):
            (there,) = self._archive.filled([game_id], ["status", f"t{seat}"], [reply])
            found.append(there[1] if isinstance(there, list) else there)
        return found

    def reseat(self, lobby: Lobby, seating: Seating) -> bool:
        self._archive.keep(lobby.id)
        reply = self._wire.many([("HMGET", self._keys.game(lobby.id).meta, *FIELDS)])[0]
        now = lobby_in(lobby.id, reply)
        if now is None or now.chairs != lobby.chairs or now.seating != lobby.seating:
            return False
        tag = self._keys.partition(lobby.id).tag
        after = replace(seating, revision=now.seating.revision + 1)
        told = [
            reply[-1] or "",
            seating_lines(after),
            self._wire.sharded(keys.REVOKED, tag),
            seats_changed(lobby.id, after.revision),
            self._wire.sharded(keys.NEWS, tag),
            lobby.id,
        ]
        return bool(self._wire.call(RESEAT, [self._keys.game(lobby.id).meta], told))

    def read_all(self, games: Sequence[GameId]) -> list[Lobby | None]:
        """Many lobbies in one round trip, from the archive too; None for each that is not there or cannot be read."""
        replies = self._wire.many([("HMGET", self._keys.game(game_id).meta, *FIELDS) for game_id in games])
        replies = self._archive.filled(games, FIELDS, replies)
        return [sound_lobby(game_id, reply) for game_id, reply in zip(games, replies, strict=True)]
