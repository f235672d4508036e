"""Adds finished public games to the profiles of their players."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

import orjson

from domain.kernel.lifecycle import GameEnded
from domain.kernel.terms import PlayerId
from service.core.followers.follower import ChangedGame
from service.features.profiles.results import PlayedGame, list_results
from service.features.profiles.storage import add_game
from service.store.founding import IMPORTED
from service.store.redis.conditional import set_fields
from service.store.redis.lobbies.record import read_chairs, read_seating
from service.store.redis.store import Store


class ProfilesFollower:
    """Writes a field of a public game that is over: the seq of its last commit."""

    name: ClassVar[str] = "profiles"
    fields: ClassVar[Sequence[str]] = ("status", "lobby", "profiled")
    cursor: ClassVar[str] = "profiled"
    is_late: ClassVar[bool] = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        for game in games:
            if game.fields["status"] == b"over" and game.number("profiled") != game.seq:
                lobby = orjson.loads(game.fields["lobby"] or b"{}")
                if _is_listed(lobby):
                    self._add(game, lobby)
                # Last, so that a process that is killed here does it again.
                key = self._store.keys.game(game.game_id).meta
                set_fields(self._store.wire, key, {"profiled": game.fields["profiled"]}, {"profiled": game.seq})

    def _add(self, game: ChangedGame, lobby: Mapping[str, Any]) -> None:
        _, steps = game.steps_after(game.seq - 1)
        ended = next((event for step in steps for event in step.commit.events if isinstance(event, GameEnded)), None)
        # Read now: the seats may have changed hands with the last commits.
        lines, changes = self._store.wire.one("HMGET", self._store.keys.game(game.game_id).meta, "chairs", "seating")
        if ended is None:
            return
        chairs = read_chairs(lines or b"")
        results = list_results(chairs, read_seating((changes or b"").decode()), ended)
        known = self._store.accounts.players(sorted(results))
        for player in known:
            seat, result = results[player]
            others: dict[PlayerId, Any] = {each: other for each, (_, other) in results.items() if each != player}
            at = steps[-1].commit.at
            played = PlayedGame(game.game_id, lobby["kind"], len(chairs), seat, result, at, others)
            add_game(self._store, player, played)


def _is_listed(lobby: Mapping[str, Any]) -> bool:
    return lobby["visibility"] == "public" and lobby["creator"] != IMPORTED and lobby.get("sandbox") is None
