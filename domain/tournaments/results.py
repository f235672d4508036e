"""The places of the seats of a finished game, and the points for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from domain.kernel.lifecycle import PLAYER, Table

ABORTED = "aborted"
"""The reason of an outcome that no seat gets points for."""


@dataclass(frozen=True, slots=True)
class TableResult:
    """The end of a game, as far as it matters for the standings."""

    ranks: tuple[int, ...]
    """As in `domain.tournaments.rules.TournamentTable`."""
    reason: str
    head: str
    """Of the newest commit at that time, hex."""
    at: int
    """Milliseconds of Unix time."""


def result_of(table: Table | None, head: str, at: int) -> TableResult | None:
    """The result in the table of a position; None if the game is not over."""
    outcome = None if table is None else table.outcome
    if table is None or outcome is None:
        return None
    kept = [controller == PLAYER for controller in table.controllers]
    scores = {int(seat): score for seat, score in outcome.scores.items()}
    return TableResult(rank_seats(outcome.reason, outcome.winners, scores, kept), outcome.reason, head, at)


def rank_seats(
    reason: str, winners: Collection[int], scores: Mapping[int, int], kept: Sequence[bool]
) -> tuple[int, ...]:
    """The place of each seat of a finished game, 1 for the best; equal places are ties. Empty if no seat gets points.

    Winners come first, then the other seats by score. Seats that no player controls at the end (``kept``) come last.
    """
    if reason == ABORTED or not any(kept):
        return ()
    keys = [_key(seat, winners, scores, is_kept=is_kept) for seat, is_kept in enumerate(kept, 1)]
    return tuple(1 + sum(other < key for other in keys) for key in keys)


def _key(seat: int, winners: Collection[int], scores: Mapping[int, int], *, is_kept: bool) -> tuple[int, int]:
    if not is_kept:
        return 2, 0
    return (0, 0) if seat in winners else (1, -scores.get(seat, 0))


def walkover_ranks(present: Sequence[bool]) -> tuple[int, ...]:
    """The places at a table that is not played because an entry was withdrawn. Empty if all were."""
    return tuple(1 if each else 2 for each in present) if any(present) else ()


@lru_cache(maxsize=4096)
def count_points(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """The points of each seat: 2 for each seat that it is above, and 1 for each that it is equal to."""
    return tuple(sum(2 * (mine < other) + (mine == other) for other in ranks) - 1 for mine in ranks)
