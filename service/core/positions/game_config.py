"""The constants of a started game, needed by every computation about it: rules, chance and pace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.kernel.dice import dice_key
from domain.kernel.game import AnyGame
from domain.kernel.record import Chance, Position
from domain.kernel.terms import GameId
from domain.registry import GAMES
from service.store.codec import UnknownEvent
from service.store.founding import origin
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store
from service.store.seal import NO_HEAD


@dataclass(frozen=True, slots=True)
class GameConfig:
    id: GameId
    game: AnyGame
    seats: int
    seed: bytes
    chance: Chance
    pace: Mapping[str, Any]
    started: int
    """When the game started, in milliseconds of Unix time."""
    origin: str = NO_HEAD
    """The head before the first commit: in form 2 the digest of the setup line."""
    creator: str = ""
    """The account that created the game."""

    def initial_position(self) -> Position:
        """The position before the first commit."""
        return Position(head=self.origin)


def get_game(kind: str, ruleset: str) -> AnyGame:
    """The game of this kind. Raises `UnknownEvent` if this release does not know the kind or the ruleset."""
    game = GAMES.get(kind)
    if game is None:
        raise UnknownEvent(f"the game {kind!r}")
    if ruleset and ruleset not in game.rules.rulesets:
        raise UnknownEvent(f"the ruleset {ruleset!r}")
    return game


def load_game_config(store: Store, game_id: GameId) -> GameConfig | None:
    """The configuration of a started game; None if it does not exist or has not started.

    Raises `UnknownEvent` as `get_game` does.
    """
    lobby = store.lobbies.get(game_id)
    if lobby is None or lobby.status == "lobby":
        return None
    seed = store.lobbies.seed(game_id)
    game, started = get_game(lobby.kind, lobby.ruleset), lobby.started_at or lobby.made_at
    chance = build_chance(lobby, seed)
    return GameConfig(
        game_id, game, len(lobby.chairs), seed, chance, lobby.pace, started, origin(lobby.setup), lobby.creator
    )


def build_chance(lobby: Lobby, seed: bytes) -> Chance:
    """The game's source of randomness: its seed with the entropy of the seats, or a script in a sandbox."""
    script = (lobby.sandbox or {}).get("dice")
    key = dice_key(seed, lobby.id, [(seat, chair.entropy) for seat, chair in enumerate(lobby.chairs, 1)])
    return Chance(key, None if script is None else tuple(script))
