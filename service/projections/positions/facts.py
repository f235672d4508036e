"""The facts of a started game that never change, for whoever computes anything about it: rules, chance, pace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from domain.dice import dice_key
from domain.game import AnyGame
from domain.play.record import NO_COMMIT, Chance, Position
from domain.registry import GAMES
from domain.terms import GameId, Seq
from service.process.frozen.bundle import BadRules
from service.process.frozen.shelf import shelf
from service.store.codec import UnknownEvent
from service.store.founding import origin
from service.store.ports.lobbies import Lobby
from service.store.ports.store import Store
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

    named: Seq = NO_COMMIT
    """The newest commit that names these rules, if they are frozen ones: what comes after it may go by others."""

    @property
    def frozen(self) -> bool:
        """Whether the rules are frozen ones, of another release."""
        return self.named > NO_COMMIT

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
    return Facts(game_id, rules, len(lobby.chairs), seed, chance, lobby.pace, started, origin(lobby.setup))


def facts_now(store: Store, game_id: GameId) -> Facts | None:
    """The same with the rules that the game goes on by: those that its newest commit names, if they lie here frozen.

    Raises `UnknownEvent` also for frozen rules that cannot be loaded.
    """
    facts = facts_of(store, game_id)
    try:
        if facts is None or not shelf().bundles():
            return facts
        seq, _ = store.log.head(game_id)
        newest = next(store.log.commits(game_id, seq, seq), None) if seq else None
        rules = None if newest is None else shelf().rules(facts.rules.key, newest.release)
    except BadRules as error:
        raise UnknownEvent(f"frozen rules: {error}") from error
    return facts if rules is None else replace(facts, rules=rules, named=seq)


def chance_of(lobby: Lobby, seed: bytes) -> Chance:
    """Where the game's luck comes from: its seed and what the seats added; in a sandbox perhaps a script."""
    script = (lobby.sandbox or {}).get("dice")
    key = dice_key(seed, lobby.id, [(seat, chair.entropy) for seat, chair in enumerate(lobby.chairs, 1)])
    return Chance(key, None if script is None else tuple(script))
