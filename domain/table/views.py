"""Types of the public view of the table, for the API contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from domain.kernel.terms import Seat, Seq

Instant = Annotated[int, "Milliseconds of Unix time."]


class TableSeat(TypedDict):
    seat: Seat
    controller: Annotated[str, "`player`, or `bot:` and the name of the bot that plays the seat."]


class TableOutcome(TypedDict):
    reason: str
    clause: str
    winners: Sequence[Seat]
    scores: Annotated[Mapping[str, int], "Score by seat."]


class TablePace(TypedDict):
    """The time limits that the creator chose."""

    mode: Literal["free", "per_question", "calendar"]
    hours: NotRequired[Annotated[int, "Hours for each question."]]
    bank_hours: NotRequired[Annotated[int, "Reserve hours of each seat."]]
    increment_hours: NotRequired[Annotated[int, "Hours that an answer adds to the reserve."]]
    day: NotRequired[Annotated[str, "Length of a day of the game, an ISO 8601 duration."]]
    at: NotRequired[Annotated[str, "Local time at which a day ends."]]
    zone: NotRequired[Annotated[str, "Time zone, as in the IANA database."]]
    weekends: NotRequired[Annotated[Sequence[str], "Days of the week without clocks."]]
    holidays: NotRequired[Annotated[Sequence[str], "Dates without clocks."]]


class TableChairs(TypedDict):
    vacant: Annotated[Sequence[Seat], "Seats without a player."]
    missed: Annotated[Mapping[str, int], "Deadlines missed in a row, by seat."]


class TableStop(TypedDict):
    seat: Annotated[Seat | None, "The seat whose clock is stopped. Null for all clocks."]
    why: str
    since: Instant


class TableClocks(TypedDict):
    stopped: Sequence[TableStop]
    reserves: NotRequired[Annotated[Sequence[int], "Milliseconds of reserve time left, by seat."]]


class TableTalk(TypedDict):
    mode: Annotated[str, "Who can chat."]


class TableUndoneRange(TypedDict):
    first: Annotated[Seq, "The first undone commit."]
    last: Annotated[Seq, "The last undone commit."]
    by: Annotated[Seq, "The commit that undid them."]


class TableUndoRequest(TypedDict):
    seat: Seat
    request: Annotated[Seq, "The commit with the request."]
    first: Annotated[Seq, "The first commit to undo."]
    waiting: Annotated[Sequence[Seat], "Seats that have not answered."]
    due: Annotated[int | None, "Deadline in milliseconds of Unix time. Null without a deadline."]


class TableUndo(TypedDict):
    mode: Literal["off", "consent", "free"]
    undone: Annotated[Sequence[TableUndoneRange], "The last undone ranges, at most 16."]
    request: Annotated[TableUndoRequest | None, "The open request."]


class PlannedVacation(TypedDict):
    seat: Seat
    begins: Instant
    ends: Instant
    plays: NotRequired[Annotated[str, "What answers for the seat. Omitted if standing orders do."]]


class OngoingVacation(TypedDict):
    seat: Seat
    since: Instant
    until: Instant
    plays: NotRequired[Annotated[str, "What answers for the seat. Omitted if standing orders do."]]


class TableVacations(TypedDict):
    days: Annotated[int, "Vacation days of each seat per year of play."]
    announced: Sequence[PlannedVacation]
    away: Sequence[OngoingVacation]


class BallotRules(TypedDict):
    left: Annotated[str, "The release whose rules decide the game now."]
    release: Annotated[str, "The release whose rules are proposed."]
    differs: NotRequired[Annotated[Seq, "The first commit that these rules would have decided differently."]]


class TableBallot(TypedDict):
    """An open vote."""

    seq: Annotated[Seq, "The commit in which it was called."]
    kind: str
    caller: Annotated[Seat | None, "Null if the game called it."]
    favour: Annotated[Seat | None, "The seat that gets more time."]
    hours: int | None
    vacant: Annotated[Seat | None, "The vacant seat that is requested."]
    due: Instant
    voters: Sequence[Seat]
    agreed: Sequence[Seat]
    against: Sequence[Seat]
    needs: Annotated[Literal["all", "most"], "Who must agree."]
    rules: NotRequired[BallotRules]


class RulesUpgrade(TypedDict):
    seq: Annotated[Seq, "The commit of the agreement."]
    left: Annotated[str, "The release whose rules decided the game before."]
    release: Annotated[str, "The release whose rules decide it since."]
    differs: NotRequired[Annotated[Seq, "The first commit that these rules would have decided differently."]]


class TableVotes(TypedDict):
    ballot: Annotated[TableBallot | None, "The open vote."]
    upgraded: NotRequired[RulesUpgrade]


class TableView(TypedDict):
    """The seats, the pace and the outcome. Games of older releases lack the parts that came later."""

    seats: Sequence[TableSeat]
    pace: TablePace
    outcome: Annotated[TableOutcome | None, "Null while the game continues."]
    sandbox: bool
    chairs: NotRequired[TableChairs]
    clocks: NotRequired[TableClocks]
    talk: NotRequired[TableTalk]
    undo: NotRequired[TableUndo]
    vacations: NotRequired[TableVacations]
    votes: NotRequired[TableVotes]
