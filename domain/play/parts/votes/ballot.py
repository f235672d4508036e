"""What can be voted on, what is said and happens in a vote, and how one stands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from domain.errors import RuleViolation
from domain.terms import Seat, Seq

MOST_HOURS = 720
"""Hours that a vote may give somebody."""

Kind = Literal["abort", "concede", "pause", "resume", "more_time"]


class NoVote(RuleViolation):
    """Nobody has called a vote, or not this one."""

    code = "no-vote"


class NotYourVote(RuleViolation):
    """The seat has no voice in this vote."""

    code = "not-your-vote"


class BadVote(RuleViolation):
    """A vote of this kind cannot be about this."""

    code = "bad-vote"


@dataclass(frozen=True, slots=True)
class VoteKind:
    """Who is asked in a vote, how many must agree, and by when."""

    about: Literal["nothing", "winner", "clock", "vacancy", "rules"]
    """What it names: no seat, the seat that is to win, the seat that is to get more hours, one that is on offer, or rules."""
    asks: Literal["everybody", "others"]
    """All seats that players have; or these without the seat that it is about and those that win with it."""
    needs: Literal["all", "most"]
    """How many of them must agree: all, or more than half. Who calls it has agreed; silence is no."""
    hours: int
    """How long they have to answer."""
    rest: int
    """Hours after a vote that has failed until its caller may call another of this kind."""


KINDS: Mapping[str, VoteKind] = {
    "abort": VoteKind("nothing", "everybody", "all", 72, 24),
    "concede": VoteKind("winner", "others", "all", 72, 24),
    "pause": VoteKind("nothing", "everybody", "most", 24, 24),
    "resume": VoteKind("nothing", "everybody", "most", 24, 24),
    "more_time": VoteKind("clock", "others", "most", 24, 24),
    "substitute": VoteKind("vacancy", "everybody", "most", 48, 0),
    "upgrade_rules": VoteKind("rules", "everybody", "all", 72, 24),
}
"""What can be voted on. A kind of a released version is as it is for ever: logs are decided again by it."""

CALLED = tuple(name for name, kind in KINDS.items() if kind.about not in ("vacancy", "rules"))
"""Those that a seat may call. For a seat that is on offer somebody asks who has none; rules are proposed by a route of its own."""

ENDS = ("abort", "concede")
"""Those that end the game."""

GRAVE = (*ENDS, "upgrade_rules")
"""Those to which nobody agrees in a player's place."""


# -- commands and events ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallVote:
    """Ask the other players to agree to something.

    ``abort`` ends the game without a winner. ``concede`` lets a ``seat`` win it. ``pause`` stops all clocks, and ``resume``
    starts them again. ``more_time`` gives a ``seat`` so many ``hours`` more.
    """

    kind: Kind
    seat: Seat | None = None
    """The seat that is to win, or that gets more time; of ``concede`` and ``more_time`` alone."""
    hours: int | None = None
    """Of ``more_time`` alone."""


@dataclass(frozen=True, slots=True)
class CastVote:
    """Vote for or against the open proposal. You can change your vote while the vote is open."""

    agree: bool


@dataclass(frozen=True, slots=True)
class VoteCalled:
    seat: Seat
    kind: str
    voters: tuple[Seat, ...]
    """Who has a voice; the caller among them, unless it is about their own clock."""
    due: int
    """By when they are to answer, milliseconds of Unix time."""
    favour: Seat | None = None
    """The seat that is to win, or to get more time, if the vote is about one."""
    hours: int | None = None
    left_out: tuple[Seat, ...] = ()
    """The seats that are not asked because it is about them; told where others may still be asked."""


@dataclass(frozen=True, slots=True)
class VoteCast:
    seat: Seat
    agree: bool


@dataclass(frozen=True, slots=True)
class VoteCarried:
    kind: str
    favour: Seat | None = None
    hours: int | None = None


@dataclass(frozen=True, slots=True)
class VoteFailed:
    kind: str
    favour: Seat | None = None
    hours: int | None = None


@dataclass(frozen=True, slots=True)
class PauseLifted:
    """A pause ended because no player is left who could call a vote. All clocks run again."""


# -- memory -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewRules:
    """The rules that a vote is about."""

    left: str
    """The release whose rules decide the game."""
    release: str
    """The release whose rules are to go on."""
    differs: Seq | None = None
    """The first commit that these would have decided otherwise; None if it is not everybody's to see."""


@dataclass(frozen=True, slots=True)
class Upgraded:
    """The players have agreed to go on by other rules."""

    seq: Seq
    """The commit that says so."""
    left: str
    release: str
    differs: Seq | None = None


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote that stands."""

    seq: Seq
    """The commit in which it was called."""
    kind: str
    caller: Seat
    voters: tuple[Seat, ...]
    due: int
    favour: Seat | None
    agreed: tuple[Seat, ...]
    against: tuple[Seat, ...] = ()
    hours: int | None = None
    left_out: tuple[Seat, ...] = ()
    vacant: Seat | None = None
    """The seat that somebody asks for."""
    rules: NewRules | None = None
    """The rules that it is about."""

    @property
    def silent(self) -> tuple[Seat, ...]:
        """Who has yet to answer."""
        return tuple(seat for seat in self.voters if seat not in self.agreed and seat not in self.against)

    def among(self, players: Collection[Seat]) -> Ballot:
        """What it is when nobody but these has a voice."""
        return replace(
            self,
            voters=tuple(seat for seat in self.voters if seat in players),
            agreed=tuple(seat for seat in self.agreed if seat in players),
            against=tuple(seat for seat in self.against if seat in players),
        )

    @property
    def result(self) -> bool | None:
        """Whether it is carried; None while that hangs on those who have yet to answer."""
        voices, agreed, against = len(self.voters), len(self.agreed), len(self.against)
        if KINDS[self.kind].needs == "all":
            return False if against or not voices else True if agreed == voices else None
        return True if 2 * agreed > voices else False if 2 * (voices - against) <= voices else None

    def with_voice(self, seat: Seat, *, agree: bool) -> Ballot:
        """After the seat has said so, whatever it said before."""
        others = replace(self.among({*self.voters} - {seat}), voters=self.voters)
        if agree:
            return replace(others, agreed=(*others.agreed, seat))
        return replace(others, against=(*others.against, seat))


@dataclass(frozen=True, slots=True)
class Votes:
    """What the table remembers of its votes."""

    widens: bool = False
    """Whether who takes a seat while a vote stands is asked as well."""
    ballot: Ballot | None = None
    ends: tuple[str, Seat | None] | None = None
    """The vote that ends the game: its kind and the seat in whose favour it is."""
    paused: bool = False
    """Whether a vote has stopped the clocks, and none has had them go on."""
    rests: Mapping[str, int] = field(default_factory=dict)
    """By ``<seat> <kind>``, until when the seat may not call another, milliseconds of Unix time."""
    upgraded: Upgraded | None = None
    """The last time that the players have agreed to go on by other rules."""
