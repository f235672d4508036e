"""Computes ratings from results, in the order of the ends of the games: the same numbers everywhere.

Uses the Plackett-Luce model of openskill with its default parameters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from domain.kernel.terms import DAY
from service.core.accounts.ratings import Rating
from service.features.ratings.results import GameResult

DECIMALS = 6
"""Decimals to which ratings are rounded after each game (RAT-12)."""
LIMIT, WINDOW = 10, 30 * DAY
"""At most this many games between the same two players count in so many milliseconds (RAT-11)."""
TOO_MANY = "RAT-11"

UNRATED = Rating(25.0, round(25 / 3, DECIMALS), 0)
"""The rating before the first game: the default of openskill."""


def list_key(kind: str, seats: int, *, bots: bool) -> str:
    """The name of a list (RAT-02)."""
    return f"{kind}:{seats}:{'bots' if bots else 'players'}"


class RatedGame(msgspec.Struct, frozen=True):
    """A game in a list."""

    result: GameResult
    players: tuple[str, ...]
    """Who has each seat at the start: a player's id or ``bot:<name>``."""

    @property
    def place(self) -> tuple[int, str]:
        """Its place in the list (RAT-12)."""
        return self.result.ended, self.result.game

    @property
    def list_key(self) -> str:
        """The list that it belongs to."""
        return list_key(self.result.kind, self.result.seats, bots=self.result.has_bots)

    @property
    def pairs(self) -> Iterator[tuple[str, str]]:
        """Each two of its players, without bots."""
        people = {each for each in self.players if not each.startswith("bot:")}
        return combinations(sorted(people), 2)


class RatingChange(msgspec.Struct, frozen=True):
    """The effect of a game on a list."""

    clause: str
    """The clause by which it does not count; empty if it does."""
    after: Mapping[str, Rating]
    """The ratings after it, of those who have a seat; empty if it does not count."""


class RatingList:
    """A list while its games are added in order."""

    def __init__(
        self, ratings: Mapping[str, Rating] | None = None, recent: Mapping[tuple[str, str], Sequence[int]] | None = None
    ) -> None:
        """``recent``: when the games that counted between two players ended, for at least the last `WINDOW`."""
        self.ratings = dict(ratings or {})
        self._recent: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for pair, ends in (recent or {}).items():
            self._recent[pair] = list(ends)

    def add(self, game: RatedGame) -> RatingChange:
        """Add the next game."""
        clause = game.result.clause or (TOO_MANY if self._is_one_too_many(game) else "")
        if clause:
            return RatingChange(clause, {})
        for pair in game.pairs:
            self._recent[pair].append(game.result.ended)
        after = self._rate(game)
        self.ratings |= after
        return RatingChange("", after)

    def _is_one_too_many(self, game: RatedGame) -> bool:
        since = game.result.ended - WINDOW
        return any(sum(end > since for end in self._recent[pair]) >= LIMIT for pair in game.pairs)

    def _rate(self, game: RatedGame) -> dict[str, Rating]:
        from openskill.models import PlackettLuce  # here, because API processes only read ratings

        before = {each: self.ratings.get(each, UNRATED) for each in game.players}
        names = [[game.players[seat - 1] for seat in team] for team in game.result.teams]
        model = PlackettLuce()
        given = [[model.create_rating([before[name].mu, before[name].sigma]) for name in team] for team in names]
        made = model.rate(given, ranks=[float(place) for place in game.result.places])
        found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for team, rated in zip(names, made, strict=True):
            for name, each in zip(team, rated, strict=True):
                found[name].append((each.mu, each.sigma))
        # A bot can have several seats. Its rating becomes the mean of the results.
        return {
            name: Rating(
                round(sum(mu for mu, _ in each) / len(each), DECIMALS),
                round(sum(sigma for _, sigma in each) / len(each), DECIMALS),
                before[name].games + 1,
            )
            for name, each in found.items()
        }


def compute(games: Sequence[RatedGame]) -> tuple[RatingList, list[tuple[RatedGame, RatingChange]]]:
    """A whole list from its games, in any order; and each game with its effect, in the order of the list."""
    made = RatingList()
    return made, [(game, made.add(game)) for game in sorted(games, key=lambda each: each.place)]
