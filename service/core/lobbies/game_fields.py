"""Fields that features add to a game for its reader (`Feature.game_fields`), such as a private label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from marshmallow import fields

from domain.kernel.terms import GameId, PlayerId
from service.store.redis.store import Store

Values = Mapping[GameId, Mapping[str, Any]]
"""By game: the value of each field that differs from its default."""


@dataclass(frozen=True, slots=True)
class GameFields:
    """Fields of a game in lists, summaries and the inbox."""

    fields: Mapping[str, fields.Field[Any]]
    """By name. ``dump_default`` is the value for games that `read` omits, and for readers without an account."""
    read: Callable[[Store, PlayerId, Sequence[GameId]], Values]
    """Called once for each page of games, so it must read all of them at once. Never called without games."""


class GameFieldReader:
    """The fields of all features."""

    def __init__(self, added: Iterable[GameFields] = ()) -> None:
        self._added = tuple(added)
        self.fields = {name: field for each in self._added for name, field in each.fields.items()}

    def read(
        self, store: Store, player_id: PlayerId | None, games: Sequence[GameId]
    ) -> Mapping[GameId, Mapping[str, Any]]:
        """Every field of each game, as ``player_id`` reads it."""
        defaults = {name: field.dump_default for name, field in self.fields.items()}
        found = {game_id: dict(defaults) for game_id in games}
        for each in self._added if found and player_id is not None else ():
            assert player_id is not None
            for game_id, values in each.read(store, player_id, list(found)).items():
                found[game_id].update(values)
        return found
