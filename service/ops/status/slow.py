"""Recent slow commands, as published by settle jobs for their last second, with the kind of game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from domain.kernel.terms import GameId
from service.ops.metrics.slowest import SlowCommand
from service.store.redis.store import Store

KEPT = 60_000
"""Milliseconds for which a command is kept while `top` runs."""


@dataclass(frozen=True, slots=True)
class SettledCommand:
    """A command that waited for its commit, and the kind of its game; empty if that is unknown."""

    slow: SlowCommand
    kind: str


class RecentSlowest:
    """The slowest commands of the last minute. Each update adds those of the last second."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, int], SettledCommand] = {}

    def with_those(self, settled: Iterable[SettledCommand], now: int) -> list[SettledCommand]:
        """All recent commands including these, slowest first."""
        self._seen |= {(each.slow.game_id, each.slow.seq): each for each in settled}
        self._seen = {key: each for key, each in self._seen.items() if now - each.slow.at <= KEPT}
        return sorted(self._seen.values(), key=lambda each: each.slow, reverse=True)


def settled(store: Store, stats: Iterable[Mapping[str, Any]]) -> list[SettledCommand]:
    """The slow commands published by settle jobs, slowest first."""
    found = sorted((SlowCommand(**each) for job in stats for each in job.get("slow", ())), reverse=True)
    games = list(dict.fromkeys(GameId(each.game_id) for each in found))
    lobbies = store.wire.many([("HGET", store.keys.game(game_id).meta, "lobby") for game_id in games])
    kinds = {game_id: _kind(lobby) for game_id, lobby in zip(games, lobbies, strict=True)}
    return [SettledCommand(each, kinds[GameId(each.game_id)]) for each in found]


def _kind(lobby: object) -> str:
    try:
        return str(orjson.loads(lobby)["kind"]) if isinstance(lobby, bytes) else ""
    except (ValueError, LookupError, TypeError):
        return ""
