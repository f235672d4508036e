"""Possible subjects of a vote at the current table: its seats and clocks."""

from __future__ import annotations

from collections.abc import Sequence

from domain.kernel.errors import NotNow
from domain.kernel.terms import Integer, OneOf, Option, Seat
from domain.table.clocks.counting import is_far
from domain.table.feature import Moment
from domain.table.votes.ballot import KINDS, MOST_HOURS, BadVote, CallVote


def check(vote: CallVote, moment: Moment, seat: Seat, *, paused: bool) -> None:
    """Raises `BadVote` for wrong arguments, `NotNow` if there is nothing to vote on."""
    about = KINDS[vote.kind].about
    if vote.seat is not None and about == "nothing":
        raise BadVote("This vote does not take a seat.", field="seat")
    if vote.hours is not None and about != "clock":
        raise BadVote("This vote does not take hours.", field="hours")
    if _is_of_clocks(vote.kind) and not _has_clock(moment):
        raise BadVote("This game has no clock.", field="kind")
    if vote.kind in ("pause", "resume") and paused == (vote.kind == "pause"):
        raise NotNow("A vote has already stopped the clocks." if paused else "No vote has stopped the clocks.")
    if about == "winner" and vote.seat not in _rivals(moment, seat):
        seats = list(_rivals(moment, seat))
        raise BadVote("Name the seat that is to win. It must not be yours.", field="seat", seats=seats)
    if about == "clock" and vote.seat not in _timed(moment):
        raise BadVote(
            "Name a seat whose clock is running and has less than five years left.",
            field="seat",
            seats=list(_timed(moment)),
        )
    if about == "clock" and not (vote.hours and 1 <= vote.hours <= MOST_HOURS):
        raise BadVote(f"You can give 1 to {MOST_HOURS} hours.", field="hours", most=MOST_HOURS)


def offered(kind: str, moment: Moment, seat: Seat, *, paused: bool) -> Sequence[Option]:
    """The votes of a kind that a seat may call."""
    fixed, about = {"kind": kind}, KINDS[kind].about
    if _is_of_clocks(kind) and not _has_clock(moment):
        return []
    if about == "winner":
        rivals = tuple(_rivals(moment, seat))
        return [Option("call_vote", fixed, (OneOf("seat", rivals),))] if rivals else []
    if about == "clock":
        timed = tuple(_timed(moment))
        hours = Integer("hours", 1, MOST_HOURS)
        return [Option("call_vote", fixed, (OneOf("seat", timed), hours))] if timed else []
    if kind in ("pause", "resume") and paused == (kind == "pause"):
        return []
    return [Option("call_vote", fixed)]


def _is_of_clocks(kind: str) -> bool:
    return kind in ("pause", "resume", "more_time")


def _has_clock(moment: Moment) -> bool:
    return bool(moment.table.pace.get("mode", "free") != "free")


def _rivals(moment: Moment, seat: Seat) -> Sequence[Seat]:
    """The seats to which the seat may propose to concede: any that would not win with its own."""
    friends = {seat, *moment.game.rules.allies(moment.position.state, seat)}
    return [Seat(other) for other in range(1, len(moment.table.controllers) + 1) if other not in friends]


def _timed(moment: Moment) -> Sequence[Seat]:
    """The players' seats with a deadline in the game that is not too far away."""
    asked = {
        each.question.seat
        for each in moment.position.asked
        if each.due is not None and each.by_game and not is_far(each, moment.at)
    }
    return [seat for seat in moment.table.players if seat in asked]
