"""Ratings of players: estimates of their strength. A feature computes them (`Feature.ratings`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from domain.kernel.terms import PlayerId
from service.core.feature import Feature, load
from service.store.redis.store import Store


@dataclass(frozen=True, slots=True)
class Rating:
    """An estimate of a player's strength in games of one kind with one number of seats."""

    mu: float
    """The estimate."""
    sigma: float
    """Its uncertainty: a standard deviation."""
    games: int
    """Number of games that have counted."""

    @property
    def value(self) -> float:
        """The strength that the player has almost certainly: three standard deviations below the estimate."""
        return round(self.mu - 3 * self.sigma, 6)


FindRatings = Callable[[Store, str, int, Collection[PlayerId]], Mapping[PlayerId, Rating]]
"""A function of the store, a kind of game, a number of seats, and players. It returns the ratings of those who have one there."""


def find_ratings(
    features: Iterable[Feature], store: Store, kind: str, seats: int, players: Collection[PlayerId]
) -> Mapping[PlayerId, Rating]:
    """The ratings of players in games of a kind with a number of seats. Omits players without one.

    Empty on a service without ratings. If several features rate a player, the first counts.
    """
    found: dict[PlayerId, Rating] = {}
    for feature in features:
        if feature.ratings:
            found = {**load(feature.ratings)(store, kind, seats, players), **found}
    return found
