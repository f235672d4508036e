"""Votes of the players at a table: to end the game without a winner, or to let one seat win it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.errors import NotNow
from domain.game import AnyGame
from domain.play.parts.part import PLACE, Moment, Part
from domain.play.parts.votes.ballot import (
    HOUR,
    KINDS,
    BadVote,
    Ballot,
    CallVote,
    CastVote,
    Kind,
    NotYourVote,
    NoVote,
    VoteCalled,
    VoteCarried,
    VoteCast,
    VoteFailed,
    Votes,
)
from domain.play.table import SeatLeft, SeatResigned, Table
from domain.settings import Setting
from domain.shape import catalogue
from domain.terms import OneOf, Option, Outcome, Question, Seat, Seq


class VotePart(Part[Votes]):
    """Votes: one at a time, and everybody may read them."""

    key = "votes"
    memory = Votes
    settings = (
        Setting(
            "votes", "Whether the players may end the game by a vote, or let one of them win it.", "on", ("on", "off")
        ),
    )
    commands = catalogue(CallVote, CastVote)
    events = catalogue(VoteCalled, VoteCast, VoteCarried, VoteFailed)
    unasked = ("call_vote",)
    questions = ("vote",)
    sentences: Mapping[str, str | Sequence[str]] = {
        "vote_called": (
            "{seat:seat} asks the players to {kind:vote} to {favour:seat}.",
            "{seat:seat} asks the players to {kind:vote}.",
        ),
        "vote_cast": "{seat:seat} {agree:agrees|does not agree}.",
        "vote_carried": (
            "The players have agreed to {kind:vote} to {favour:seat}.",
            "The players have agreed to {kind:vote}.",
        ),
        "vote_failed": (
            "The vote to {kind:vote} to {favour:seat} has failed.",
            "The vote to {kind:vote} has failed.",
        ),
    }
    asks: Mapping[str, str | Sequence[str]] = {
        "vote": (
            "{by:seat} asks whether you agree to {vote:vote} to {favour:seat}.",
            "{by:seat} asks whether you agree to {vote:vote}.",
        )
    }
    names: Mapping[str, Mapping[str, str]] = {
        "vote": {"abort": "end the game without a winner", "concede": "concede the game"}
    }

    def has(self, chosen: Mapping[str, Any]) -> bool:
        return chosen.get("votes") == "on"

    def begins(self, chosen: Mapping[str, Any], seats: int) -> Votes:  # noqa: ARG002
        return Votes()

    def decide(self, memory: Votes, moment: Moment, seat: Seat, command: Any) -> Sequence[Any]:
        match command:
            case CallVote(kind, favour):
                return (self._called(memory, moment, seat, kind, favour),)
            case CastVote(agree):
                return (self._cast(memory, seat, agree=agree),)
        raise AssertionError(command)

    def _called(self, memory: Votes, moment: Moment, seat: Seat, kind: Kind, favour: Seat | None) -> VoteCalled:
        if memory.ballot is not None:
            raise NotNow("There is a vote already; one stands at a time.")
        rest = memory.rests.get(f"{seat} {kind}", 0)
        if moment.at < rest:
            raise NotNow("Your last vote of this kind has failed; it is too early for another.", until=rest)
        if KINDS[kind].asks == "everybody":
            if favour is not None:
                raise BadVote("This vote is about no seat.", field="seat")
            left_out: Collection[Seat] = ()
        else:
            choices = _conceded(moment, seat)
            if favour is None or favour not in choices:
                raise BadVote("It takes the seat of somebody else, who is to win.", field="seat", seats=list(choices))
            left_out = {favour, *moment.game.allies(moment.position.state, favour)}
        voters = tuple(voter for voter in _players(moment.table) if voter not in left_out)
        return VoteCalled(seat, kind, voters, moment.at + KINDS[kind].hours * HOUR, favour)

    def _cast(self, memory: Votes, seat: Seat, *, agree: bool) -> VoteCast:
        ballot = memory.ballot
        if ballot is None:
            raise NoVote("There is no vote.")
        if seat not in ballot.voters:
            raise NotYourVote("You are not asked in this vote.")
        if seat in (ballot.agreed if agree else ballot.against):
            raise NotNow("You have voted so already.")
        return VoteCast(seat, agree)

    def evolve(self, memory: Votes, event: Any, seq: Seq, at: int) -> Votes:
        ballot = memory.ballot
        match event:
            case VoteCalled(seat, kind, voters, due, favour):
                return replace(memory, ballot=Ballot(seq, kind, seat, voters, due, favour, (seat,)))
            case VoteCast(seat, agree) if ballot is not None:
                return replace(memory, ballot=ballot.with_voice(seat, agree=agree))
            case SeatResigned(seat) | SeatLeft(seat) if ballot is not None:
                return replace(memory, ballot=ballot.among({*ballot.voters} - {seat}))
            case VoteCarried(kind, favour):
                return replace(memory, ballot=None, ends=(kind, favour))
            case VoteFailed(kind) if ballot is not None:
                rests = {**memory.rests, f"{ballot.caller} {kind}": at + KINDS[kind].rest * HOUR}
                return replace(memory, ballot=None, rests=rests)
        return memory

    def react(self, memory: Votes, table: Table) -> Sequence[Any]:
        ballot = memory.ballot
        result = None if ballot is None else ballot.among(_players(table)).result
        if ballot is None or result is None:
            return ()
        return ((VoteCarried if result else VoteFailed)(ballot.kind, ballot.favour),)

    def ending(self, memory: Votes, game: AnyGame, state: Any) -> Outcome | None:
        if memory.ends is None:
            return None
        kind, favour = memory.ends
        if kind == "abort" or favour is None:
            return Outcome("aborted", "", (), game.standings(state))
        winners = tuple(sorted({favour, *game.allies(state, favour)}))
        return Outcome("conceded", "", winners, game.standings(state))

    def awaiting(self, memory: Votes, table: Table) -> Sequence[Question]:
        ballot = memory.ballot
        if ballot is None:
            return ()
        about = {"vote": ballot.kind, "by": ballot.caller}
        if ballot.favour is not None:
            about["favour"] = ballot.favour
        silent = (seat for seat in ballot.silent if table.is_played(seat))
        return [Question(-ballot.seq, PLACE, seat, "vote", "", about) for seat in silent]

    def due(self, memory: Votes, question: Question) -> int | None:  # noqa: ARG002
        assert memory.ballot is not None
        return memory.ballot.due

    def default(self, memory: Votes, question: Question) -> Any:  # noqa: ARG002
        return CastVote(agree=False)

    def legal(self, memory: Votes, moment: Moment, seat: Seat) -> Sequence[Option]:
        ballot = memory.ballot
        if ballot is None:
            kinds = [kind for kind in KINDS if moment.at >= memory.rests.get(f"{seat} {kind}", 0)]
            return [option for kind in kinds for option in _callable(kind, moment, seat)]
        if seat not in ballot.voters:
            return ()
        choices = tuple(agree for agree in (True, False) if seat not in (ballot.agreed if agree else ballot.against))
        return (Option("cast_vote", {}, (OneOf("agree", choices),)),)

    def view(self, memory: Votes) -> Mapping[str, Any]:
        ballot = memory.ballot
        if ballot is None:
            return {"ballot": None}
        told = {name: getattr(ballot, name) for name in ("seq", "kind", "caller", "favour", "due")}
        lists = {name: list(getattr(ballot, name)) for name in ("voters", "agreed", "against")}
        return {"ballot": {**told, **lists, "needs": KINDS[ballot.kind].needs}}


VOTES = VotePart()


def _players(table: Table) -> Sequence[Seat]:
    """The seats that players have, and not bots."""
    return [Seat(seat) for seat in range(1, len(table.controllers) + 1) if table.is_played(Seat(seat))]


def _conceded(moment: Moment, seat: Seat) -> Sequence[Seat]:
    """To whom the seat may ask the others to concede: any seat that would not win with its own."""
    friends = {seat, *moment.game.allies(moment.position.state, seat)}
    return [Seat(other) for other in range(1, len(moment.table.controllers) + 1) if other not in friends]


def _callable(kind: str, moment: Moment, seat: Seat) -> Sequence[Option]:
    if KINDS[kind].asks == "everybody":
        return [Option("call_vote", {"kind": kind})]
    choices = tuple(_conceded(moment, seat))
    return [Option("call_vote", {"kind": kind}, (OneOf("seat", choices),))] if choices else []
