"""The result of each player of a finished game."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from domain.kernel.lifecycle import GameEnded
from domain.kernel.terms import GameId, PlayerId, Seat
from service.store.ports.lobbies import Chair, Seating, is_bot


class PlayedResult(StrEnum):
    """How a game ended for a player."""

    WON = "won"
    LOST = "lost"
    LEFT = "left"
    """The player resigned or lost the seat, and another player or a bot has it at the end."""
    ABORTED = "aborted"
    """A vote ended the game without a winner."""


class PlayedGame(msgspec.Struct, frozen=True):
    """A finished game of a player."""

    game: GameId
    kind: str
    seats: int
    seat: Seat
    """The last seat that the player had."""
    result: PlayedResult
    ended: int
    """Milliseconds of Unix time."""
    opponents: Mapping[PlayerId, PlayedResult]
    """The results of the other players; empty without any."""


def list_results(
    chairs: tuple[Chair, ...], seating: Seating, ended: GameEnded
) -> dict[PlayerId, tuple[Seat, PlayedResult]]:
    """Each player who had a seat, with the last one and the result. Those who left and came back count as at the end."""
    found: dict[PlayerId, tuple[Seat, PlayedResult]] = {
        each.player: (each.seat, PlayedResult.LEFT) for each in seating.was if not is_bot(each.player)
    }
    for number, chair in enumerate(chairs, 1):
        seat = Seat(number)
        if chair.holder is not None and not is_bot(chair.holder):
            result = PlayedResult.LEFT if seat in seating.vacant else _result(seat, ended)
            found[PlayerId(chair.holder)] = seat, result
    return found


def _result(seat: Seat, ended: GameEnded) -> PlayedResult:
    if ended.reason == "aborted":
        return PlayedResult.ABORTED
    return PlayedResult.WON if seat in ended.winners else PlayedResult.LOST


def compare(own: PlayedResult, other: PlayedResult) -> str:
    """A player's result against another one: ``won``, ``lost`` or ``even``."""
    if PlayedResult.ABORTED in (own, other):
        return "even"
    rank = {PlayedResult.WON: 2, PlayedResult.LOST: 1, PlayedResult.LEFT: 0}
    return "even" if rank[own] == rank[other] else "won" if rank[own] > rank[other] else "lost"
