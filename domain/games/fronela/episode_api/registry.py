"""The registry of episodes: finds those of a round and lets them adjust the values of rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar

from domain.games.fronela.episode_api.queries import Barred, Crossings, Query
from domain.games.fronela.episode_api.socket import Episode
from domain.games.fronela.scenarios import SCENARIOS
from domain.games.fronela.state import FronelaState
from domain.kernel.terms import Seat

V = TypeVar("V")

_registered: dict[str, Episode] = {}


def register(*episodes: Episode) -> Mapping[str, Episode]:
    """Register the episodes and return all registered ones by key. Raises `ValueError` for a duplicate key.

    Called once, by the import of `domain.games.fronela.episodes`.
    """
    for episode in episodes:
        if episode.key in _registered:
            raise ValueError(f"two episodes are called {episode.key}")
        _registered[episode.key] = episode
    return MappingProxyType(_registered)


@lru_cache(maxsize=256)
def _live(scenario: str, number: int) -> tuple[Episode, ...]:
    tables = SCENARIOS[scenario].episodes
    missing = sorted(tables.keys() - _registered.keys())
    if missing:
        raise LookupError(
            f"no such episodes: {', '.join(missing)}; has domain.games.fronela.episodes, which registers them, been imported?"
        )
    return tuple(
        _registered[key] for key, facts in tables.items() if facts["rounds"][0] <= number <= facts["rounds"][1]
    )


def live(state: FronelaState) -> tuple[Episode, ...]:
    """The episodes of this round, in the scenario's order. Raises `LookupError` if one is not registered."""
    return _live(state.scenario, state.round)


def _by_kind(
    episodes: Sequence[Episode], kinds: Callable[[Episode], Collection[type[Any]]]
) -> Mapping[type[Any], tuple[Episode, ...]]:
    """The episodes by each kind that they name, in the same order."""
    named = {kind for episode in episodes for kind in kinds(episode)}
    return {kind: tuple(episode for episode in episodes if kind in kinds(episode)) for kind in named}


@lru_cache(maxsize=256)
def _answering(scenario: str, number: int) -> Mapping[type[Any], tuple[Episode, ...]]:
    return _by_kind(_live(scenario, number), lambda episode: episode.queries)


def answering(state: FronelaState, kind: type[Query]) -> tuple[Episode, ...]:
    """The episodes of this round that adjust queries of the kind, in the scenario's order."""
    return _answering(state.scenario, state.round).get(kind, ())


@lru_cache(maxsize=256)
def _reacting(scenario: str, number: int) -> Mapping[type[Any], tuple[Episode, ...]]:
    return _by_kind(_live(scenario, number), lambda episode: episode.reacts)


def reacting(state: FronelaState, kind: type[Any]) -> tuple[Episode, ...]:
    """The episodes of this round that react to events of the kind, in the scenario's order."""
    return _reacting(state.scenario, state.round).get(kind, ())


@lru_cache(maxsize=256)
def _bent_ways(scenario: str, number: int) -> bool:
    asked = _answering(scenario, number)
    return Crossings in asked or Barred in asked


def bent_ways(state: FronelaState) -> bool:
    """Whether an episode of this round may add or block ways."""
    return _bent_ways(state.scenario, state.round)


def adjusted(state: FronelaState, query: Query, value: V) -> V:
    """The value after all episodes of the round have adjusted it."""
    for episode in answering(state, type(query)):
        value = episode.adjust(state, query, value)
    return value


def shares(state: FronelaState, query: Query, value: int) -> dict[str, int]:
    """The amount that each episode of the round adds to a number, by key. Zero amounts are omitted."""
    added = {}
    for episode in answering(state, type(query)):
        more = episode.adjust(state, query, value)
        if more != value:
            added[episode.key] = more - value
        value = more
    return added


def seat_of(state: FronelaState, slot: str) -> Seat:
    """The seat that plays a nation or a person with turns."""
    nation = state.tables.nations.get(slot)
    if nation is not None:
        return nation.seat
    return next(seat for episode in live(state) if (seat := episode.owner(state, slot)) is not None)
