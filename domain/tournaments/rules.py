"""The rules of a tournament, its entries, and the rounds that were played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from domain.kernel.terms import GameId, PlayerId

Format = Literal["round_robin", "double_round_robin", "groups", "swiss", "elimination", "league"]
FORMATS: tuple[Format, ...] = ("round_robin", "double_round_robin", "groups", "swiss", "elimination", "league")

Seeding = Literal["lot", "rating"]


@dataclass(frozen=True, slots=True)
class TournamentRules:
    """Everything that decides who plays whom, except the seed and the entries."""

    format: Format
    seats: int
    """Seats of each table: 2 to 6."""
    rounds: int = 0
    """Number of rounds of a Swiss tournament; 0 for other formats."""
    groups: int = 1
    """Number of groups, or of divisions of a league; 1 for other formats."""
    advance: int = 1
    """Entries of each group that play the final, or entries that change between two divisions of a league."""
    seasons: int = 1
    """Number of seasons of a league; 1 for other formats."""
    seeding: Seeding = "lot"
    """Order of the entries at the start: by lot, or the highest rating first."""


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """A place in the tournament, or the wait for one. A substitute who takes it over keeps its number and its results."""

    number: int = 0
    """1 for the first that registered. 0 before the start, and for a reserve."""
    first: int = 1
    """The first round for which it can be paired."""
    last: int | None = None
    """The last round that had begun when it was withdrawn; None if it was not."""
    rating: float = 0
    """The rating at registration, with two decimals; 0 if unknown."""
    holders: tuple[tuple[int, PlayerId], ...] = ()
    """Its players, each with the first round for which they have it. The last one has it now."""
    entropy: str = ""
    """Hex digits: the player's contribution to the dice of all games."""
    registered_at: int = 0
    is_reserve: bool = False
    """Whether it waits for a place that becomes free."""

    @property
    def player(self) -> PlayerId:
        return self.holders[-1][1]

    @property
    def is_withdrawn(self) -> bool:
        return self.last is not None

    def holder_at(self, number: int) -> PlayerId:
        """The player who has the place in a round."""
        return next(player for first, player in reversed(self.holders) if first <= number)

    def is_active(self, number: int) -> bool:
        """Whether it can be paired for this round."""
        return self.first <= number and (self.last is None or number <= self.last)


@dataclass(frozen=True, slots=True)
class TournamentTable:
    """The entries of a game by seat, and their places in it."""

    entries: tuple[int, ...]
    group: int = 1
    """Group or division, the highest division first."""
    ranks: tuple[int, ...] | None = None
    """The place of each seat, 1 for the winners; equal places are ties. Empty: no seat gets points. None while it is played."""
    game: GameId | None = None
    """None if it is not played, because an entry was withdrawn."""


@dataclass(frozen=True, slots=True)
class ScheduleBalance:
    """The extremes of a schedule. Perfect balance: equal meetings, equal games, and a seat difference of 0."""

    fewest_meetings: int
    most_meetings: int
    """Of any two entries of the same group."""
    fewest_games: int
    most_games: int
    seat_difference: int
    """The largest difference between two seats in how often the same entry has them."""


@dataclass(frozen=True, slots=True)
class TournamentRound:
    """The tables that are played at the same time."""

    stage: int
    """Season of a league; 2 for the final after groups; otherwise 1."""
    tables: tuple[TournamentTable, ...]
    byes: tuple[int, ...] = ()
    """Entries that play at no table of this round."""
    started_at: int = 0
    balance: ScheduleBalance | None = None
    """Of the schedule of its stage, or of all rounds so far if there is none."""

    @property
    def is_over(self) -> bool:
        return all(table.ranks is not None for table in self.tables)
