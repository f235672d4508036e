"""Votes and who is new at the table: somebody asks for a seat that is on offer, and seats get or lose a player while a vote stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.play.parts.requests import GiveSeat
from domain.play.parts.votes.ballot import KINDS, Ballot, NoVote
from domain.play.table import Table
from domain.shape import catalogue
from domain.terms import HOUR, SYSTEM, Seat, Seq

SUBSTITUTE = "substitute"
"""The kind of the vote on who asks for a seat."""


@dataclass(frozen=True, slots=True)
class WithdrawSubstitute:
    """SYSTEM: who has asked for a seat thinks better of it."""

    seat: Seat
    vote: int
    """The commit with which that vote began."""


@dataclass(frozen=True, slots=True)
class SubstituteProposed:
    """A player requested a vacant seat. The player's name is stored outside the log."""

    seat: Seat
    voters: tuple[Seat, ...]
    due: int
    """By when they are to answer, milliseconds of Unix time."""


@dataclass(frozen=True, slots=True)
class SubstituteAccepted:
    seat: Seat


@dataclass(frozen=True, slots=True)
class SubstituteRejected:
    seat: Seat
    why: str
    """``voted``: the players have not agreed; ``back``: the seat is its player's again; ``withdrawn``: they ask for it no more."""


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
    "substitute_proposed": "A player asks for the vacant seat {seat}. The players vote on it.",
    "substitute_accepted": "The players have agreed to give seat {seat} to the new player.",
    "substitute_rejected": "The request for seat {seat} is declined: {why:rejection}.",
    "voter_joined": "{seat:seat} joins the vote.",
    "voter_left": "{seat:seat} leaves the vote.",
}

ASKS = "A player asks for the vacant seat {vacant}. Do you agree?"

REJECTIONS: Mapping[str, str] = {
    "voted": "the players did not agree",
    "back": "its player is back",
    "withdrawn": "the request was withdrawn",
}


def proposed(seat: Seat, table: Table, at: int) -> SubstituteProposed:
    """The vote on who asks for a seat, of all who play."""
    return SubstituteProposed(seat, tuple(table.players), at + KINDS[SUBSTITUTE].hours * HOUR)


def ballot_on(event: SubstituteProposed, seq: Seq) -> Ballot:
    """The vote that was so called; nobody has agreed to it yet."""
    return Ballot(seq, SUBSTITUTE, SYSTEM, event.voters, event.due, None, (), vacant=event.seat)


def decided(seat: Seat, *, agreed: bool) -> Sequence[Any]:
    """What comes of a vote on who asks for a seat."""
    return (SubstituteAccepted(seat), GiveSeat(seat)) if agreed else (SubstituteRejected(seat, "voted"),)


def withdrawn(ballot: Ballot | None, command: WithdrawSubstitute) -> Sequence[Any]:
    """What comes of it that who asked for a seat does so no more; raises `NoVote` where their vote does not stand."""
    if ballot is None or (ballot.seq, ballot.vacant) != (command.vote, command.seat):
        raise NoVote("There is no such vote any more.")
    return (SubstituteRejected(command.seat, "withdrawn"),)


def changed(ballot: Ballot, table: Table) -> Sequence[Any]:
    """Who has a voice in a vote now and had none, and the other way round."""
    playing = table.players
    left = [VoterLeft(seat) for seat in ballot.voters if seat not in playing]
    known = {*ballot.voters, *ballot.left_out}
    return [*left, *(VoterJoined(seat) for seat in playing if seat not in known)]


def follow(ballot: Ballot, event: VoterJoined | VoterLeft) -> Ballot:
    """The vote after a change of who has a voice in it."""
    if isinstance(event, VoterJoined):
        return replace(ballot, voters=tuple(sorted((*ballot.voters, event.seat))))
    return ballot.among({*ballot.voters} - {event.seat})
