"""Votes and new players: requests for a vacant seat, and seats that get or lose a player during a vote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.kernel.lifecycle import Table
from domain.kernel.shape import catalogue
from domain.kernel.terms import HOUR, SYSTEM, Seat, Seq
from domain.table import seats
from domain.table.votes.ballot import KINDS, Ballot, NoVote

SUBSTITUTE = "substitute"
"""The kind of vote on a request for a seat."""


@dataclass(frozen=True, slots=True)
class WithdrawSubstitute:
    """SYSTEM: a player withdraws the request for a seat."""

    seat: Seat
    vote: int
    """The commit with which that vote began."""


@dataclass(frozen=True, slots=True)
class SubstituteProposed:
    """A player requested a vacant seat. The player's name is stored outside the log."""

    seat: Seat
    voters: tuple[Seat, ...]
    due: int
    """The deadline, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True)
class SubstituteAccepted:
    seat: Seat


@dataclass(frozen=True, slots=True)
class SubstituteRejected:
    seat: Seat
    why: str
    """``voted``: the players did not agree.

    ``back``: the player has the seat again. ``withdrawn``: the request was withdrawn.
    """


@dataclass(frozen=True, slots=True)
class VoterJoined:
    """A seat that a player took over joined the vote."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class VoterLeft:
    """A seat lost its player and its vote. A new player of the seat votes again."""

    seat: Seat


SYSTEM_COMMANDS = catalogue(WithdrawSubstitute)
EVENTS = catalogue(SubstituteProposed, SubstituteAccepted, SubstituteRejected, VoterJoined, VoterLeft)

SENTENCES: Mapping[str, str | Sequence[str]] = {
    "substitute_proposed": "A player asks to take over vacant seat {seat}. The players vote on the request.",
    "substitute_accepted": "The players have agreed to give seat {seat} to the new player.",
    "substitute_rejected": "The request for seat {seat} is closed: {why:rejection}.",
    "voter_joined": "{seat:seat} joins the vote.",
    "voter_left": "{seat:seat} leaves the vote.",
}

ASKS = "A player asks to take over vacant seat {vacant}. Do you agree?"

REJECTIONS: Mapping[str, str] = {
    "voted": "the players did not agree",
    "back": "the player of the seat is back",
    "withdrawn": "the player withdrew it",
}


def propose(seat: Seat, table: Table, at: int) -> SubstituteProposed:
    """A vote of all players on a request for a seat."""
    return SubstituteProposed(seat, tuple(table.players), at + KINDS[SUBSTITUTE].hours * HOUR)


def open_ballot(event: SubstituteProposed, seq: Seq) -> Ballot:
    """The new vote; no one has agreed to it yet."""
    return Ballot(seq, SUBSTITUTE, SYSTEM, event.voters, event.due, None, (), vacant=event.seat)


def close_request(table: Table, seat: Seat, *, agreed: bool) -> Sequence[Any]:
    """The result of a vote on a request for a seat."""
    return (SubstituteAccepted(seat), *seats.give(table, seat)) if agreed else (SubstituteRejected(seat, "voted"),)


def withdraw(ballot: Ballot | None, command: WithdrawSubstitute) -> Sequence[Any]:
    """The result of withdrawing a request for a seat. Raises `NoVote` if its vote is not open."""
    if ballot is None or (ballot.seq, ballot.vacant) != (command.vote, command.seat):
        raise NoVote("This vote is no longer open.")
    return (SubstituteRejected(command.seat, "withdrawn"),)


def change_voters(ballot: Ballot, table: Table) -> Sequence[Any]:
    """Seats that have become voters, and seats that no longer are."""
    playing = table.players
    left = [VoterLeft(seat) for seat in ballot.voters if seat not in playing]
    known = {*ballot.voters, *ballot.left_out}
    return [*left, *(VoterJoined(seat) for seat in playing if seat not in known)]


def follow(ballot: Ballot, event: VoterJoined | VoterLeft) -> Ballot:
    """The vote after a change of its voters."""
    if isinstance(event, VoterJoined):
        return replace(ballot, voters=tuple(sorted((*ballot.voters, event.seat))))
    return ballot.among({*ballot.voters} - {event.seat})
