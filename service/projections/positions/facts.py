"""The facts of a started game that never change, for whoever computes anything about it: rules, chance, pace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.dice import dice_key
from domain.game import AnyGame
from domain.play.record import Chance, Position
from domain.registry import GAMES
from domain.terms import GameId
from service.store.codec import UnknownEvent
from service.store.founding import origin
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store
from service.store.seal import NO_HEAD


@dataclass(frozen=True, slots=True)
class Facts:
    """What never changes of a started game."""

    id: GameId
    rules: AnyGame
    seats: int
    seed: bytes
    chance: Chance
    pace: Mapping[str, Any]
    started: int
    """When it did, milliseconds of Unix time."""
    origin: str = NO_HEAD
    """The head before its first commit: in form 2 the digest of its set-up line."""
    creator: str = ""
    """The account that made the game."""

    def beginning(self) -> Position:
        """How it stood before its first commit."""
        return Position(head=self.origin)


def rules_of(kind: str, ruleset: str) -> AnyGame:
    """The rules of a kind of game; raises `UnknownEvent` where this release does not know the kind or the ruleset."""
    game = GAMES.get(kind)
    if game is None:
        raise UnknownEvent(f"the game {kind!r}")
    if ruleset and ruleset not in game.rulesets:
        raise UnknownEvent(f"the ruleset {ruleset!r}")
    return game


def facts_of(store: Store, game_id: GameId) -> Facts | None:
    """The facts of a game that has started; None where there is no such game or it has not.

    Raises `UnknownEvent` as `rules_of` does.
    """
    lobby = store.lobbies.get(game_id)
    if lobby is None or lobby.status == "lobby":
        return None
    seed = store.lobbies.seed(game_id)
    rules, started = rules_of(lobby.kind, lobby.ruleset), lobby.started_at or lobby.made_at
    chance = chance_of(lobby, seed)
    return Facts(
        game_id, rules, len(lobby.chairs), seed, chance, lobby.pace, started, origin(lobby.setup), lobby.creator
    )


def chance_of(lobby: Lobby, seed: bytes) -> Chance:
    """Where the game's luck comes from: its seed and what the seats added; in a sandbox perhaps a script."""
    script = (lobby.sandbox or {}).get("dice")
    key = dice_key(seed, lobby.id, [(seat, chair.entropy) for seat, chair in enumerate(lobby.chairs, 1)])
    return Chance(key, None if script is None else tuple(script))
