"""Players who must not reach each other. A feature says who they are (`Feature.find_apart`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from domain.kernel.terms import PlayerId
from service.store.redis.store import Store


@dataclass(frozen=True, slots=True)
class Separation:
    """Two players must not reach each other."""

    since: int
    """Milliseconds of Unix time. Messages from before stay visible."""
    is_own: bool
    """Whether the player who is asked about wants it. The other one is not told."""


FindApart = Callable[[Store, PlayerId, Collection[PlayerId]], Mapping[PlayerId, Separation]]
"""A function of the store, a player, and others. It returns the separation from each of the others who must not reach them."""


def no_one_apart(_store: Store, _player_id: PlayerId, _others: Collection[PlayerId]) -> Mapping[PlayerId, Separation]:
    """For a service without such a feature: everyone can reach everyone."""
    return {}


def combine(finders: Iterable[FindApart]) -> FindApart:
    """One function for all of these. If several name a player, the first counts."""
    listed = tuple(finders)
    if not listed:
        return no_one_apart

    def find(store: Store, player_id: PlayerId, others: Collection[PlayerId]) -> Mapping[PlayerId, Separation]:
        found: dict[PlayerId, Separation] = {}
        for each in listed:
            found = {**each(store, player_id, others), **found}
        return found

    return find
