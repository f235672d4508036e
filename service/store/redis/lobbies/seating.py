"""What is kept of the seats of games that go on: who asks for one, who sits in, and how players have played their turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domain.terms import GameId, PlayerId
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

    def reliability(self, player_id: PlayerId) -> Reliability:
        games = [
            GameId(name.decode()) for name in self._wire.one("ZRANGE", keys.player_games(player_id), 0, PLAYED, "REV")
        ]
        lobbies = [lobby for lobby in self._read(games) if lobby is not None] if games else []
        kept = [each for lobby in lobbies for each in lobby.seating.was if each.player == player_id]
        seats = [(lobby.id, seat) for lobby in lobbies for seat in lobby.seats_of(player_id)]
        asked = [("HGET", self._keys.game(game_id).meta, f"t{seat}") for game_id, seat in seats]
        for (_, seat), reply in zip(seats, self._wire.many(asked) if asked else (), strict=True):
            at, _, turns = (reply or b"").decode().partition(" ") if not isinstance(reply, Exception) else ("", "", "")
            if turns:
                kept.append(TurnsPlayed(seat, player_id, int(at), turns))
        return reliability_of(kept)

    def reseat(self, lobby: Lobby, seating: Seating) -> bool:
        reply = self._wire.many([("HMGET", self._keys.game(lobby.id).meta, *FIELDS)])[0]
        now = lobby_in(lobby.id, reply)
        if now is None or now.chairs != lobby.chairs or now.seating != lobby.seating:
            return False
        after = replace(seating, revision=now.seating.revision + 1)
        told = [
            reply[-1] or "",
            seating_lines(after),
            keys.REVOKED,
            seats_changed(lobby.id, after.revision),
            keys.NEWS,
            lobby.id,
        ]
        return bool(self._wire.call(RESEAT, [self._keys.game(lobby.id).meta], told))

    def _read(self, games: Sequence[GameId]) -> list[Lobby | None]:
        replies = self._wire.many([("HMGET", self._keys.game(game_id).meta, *FIELDS) for game_id in games])
        return [sound_lobby(game_id, reply) for game_id, reply in zip(games, replies, strict=True)]
