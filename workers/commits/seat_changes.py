"""Changes that a commit makes to the seats of its game, for the lobby's record outside the log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from domain.kernel.lifecycle import SeatLeft, SeatResigned
from domain.kernel.record import SPEAKERS, Commit, Position
from domain.kernel.terms import GameId, Seat
from domain.table import features
from domain.table.seats import SEATS, SeatTaken, SeatVacated, TurnMissed
from domain.table.vacations import VacationEnded, announced_until
from domain.table.votes.newcomers import SubstituteAccepted, SubstituteProposed, SubstituteRejected
from service.store.ports.commits import Append, SeatChange
from service.store.ports.waiting import HOLDER
from service.store.redis.lobbies.lobbies import Lobbies

_TELLING = frozenset(
    {
        SeatVacated,
        SeatResigned,
        SeatTaken,
        SeatLeft,
        SubstituteProposed,
        SubstituteAccepted,
        SubstituteRejected,
        VacationEnded,
    }
)
"""The events that change seats."""

_TAKINGS = frozenset({"take_seat", "propose_substitute"})
"""The types of commands by which a player gets a seat."""


def reseated_by(
    before: Position, commit: Commit, after: Position, document: Mapping[str, Any]
) -> tuple[SeatChange, ...]:
    """A commit's changes to seats; ``document`` names the new holder. Empty in games without parts of the table."""
    if before.table is None or after.table is None or not after.table.memories:
        return ()
    if _TELLING.isdisjoint(map(type, commit.events)):
        return ()
    return tuple(_changes(before, commit, str(document.get(HOLDER, ""))))


def _changes(before: Position, commit: Commit, holder: str) -> Iterator[SeatChange]:
    for event in commit.events:
        match event:
            case SubstituteProposed(seat):
                yield SeatChange("asked", seat, commit.seq, holder)
            case SubstituteAccepted(seat):
                yield SeatChange("given", seat, commit.seq)
            case SubstituteRejected(seat, why):
                yield SeatChange("refused" if why == "voted" else "withdrawn", seat, commit.seq)
            case SeatVacated(seat) | SeatResigned(seat):
                yield SeatChange("vacant", seat, commit.seq)
            case SeatTaken(seat) if SubstituteAccepted(seat) not in commit.events:
                yield SeatChange("taken", seat, commit.seq, holder)
            case VacationEnded(seat):
                if until := announced_until(before.table, event):
                    yield SeatChange("back", seat, commit.seq, str(until))
            case SeatLeft(seat):
                yield SeatChange("left", seat, commit.seq)


def seated_by_now(
    lobbies: Lobbies, game_id: GameId, document: Mapping[str, Any], settled: Iterable[Append]
) -> Mapping[str, Any]:
    """The submission of a player who takes or requests a seat; with ``seated`` set if they have another one now.

    Checked here, because of two requests sent at once neither sees the other. Holders change only with commits: if one
    does after this check, nothing that was settled is appended. ``settled`` are the commits of this pass.
    """
    holder, command = document.get(HOLDER), document["command"]
    lobby = lobbies.get(game_id) if holder and command.get("type") in _TAKINGS else None
    if lobby is None or lobby.sandbox is not None:
        return document
    chairs = {Seat(number): chair.holder for number, chair in enumerate(lobby.chairs, 1)}
    for change in (each for append in settled for each in append.reseated):
        if change.how == "taken":
            chairs[change.seat] = change.holder or chairs[change.seat]
        elif change.how == "given":
            asking = next((player for seat, player in lobby.seating.wishes if seat == change.seat), None)
            chairs[change.seat] = asking or chairs[change.seat]
    if not any(who == holder and seat != command["seat"] for seat, who in chairs.items()):
        return document
    return {**document, "command": {**command, "seated": True}}


def turns_over(before: Position, commit: Commit, after: Position) -> tuple[tuple[Seat, bool], ...]:
    """The players' timed turns that end with a commit, and whether they were played in time."""
    if commit.refusal is not None or SEATS.memory_at(after.table) is None:
        return ()
    missed = [(event.seat, False) for event in commit.events if isinstance(event, TurnMissed)]
    if commit.by not in SPEAKERS:
        return tuple(missed)
    played = [
        (commit.seat, True)
        for asked in before.asked
        if asked.due is not None
        and asked.question.seat == commit.seat
        and not features.is_asking(asked.question)
        and after.question(asked.id) is None
    ]
    return (*missed, *played)
