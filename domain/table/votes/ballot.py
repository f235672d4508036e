"""The subjects of votes, the commands and events of a vote, and its state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from domain.kernel.errors import RuleViolation
from domain.kernel.terms import Seat, Seq

MOST_HOURS = 720
"""Maximum hours that a vote may give."""

Kind = Literal["abort", "concede", "pause", "resume", "more_time"]


class NoVote(RuleViolation):
    """There is no open vote, or not this one."""

    code = "no-vote"


class NotYourVote(RuleViolation):
    """The seat has no vote here."""

    code = "not-your-vote"


class BadVote(RuleViolation):
    """A vote of this kind cannot have this subject."""

    code = "bad-vote"


@dataclass(frozen=True, slots=True)
class VoteKind:
    """The voters of a kind of vote, the required majority, and the time limit."""

    about: Literal["nothing", "winner", "clock", "vacancy", "rules"]
    """The argument of the vote: nothing, the winning seat, the seat that gets more time, a vacant seat, or rules."""
    asks: Literal["everybody", "others"]
    """All seats with players; or all except the seat that it is about and its allies."""
    needs: Literal["all", "most"]
    """The required agreement: all, or more than half. The caller has agreed; no answer counts as no."""
    hours: int
    """Hours to answer."""
    rest: int
    """Hours after a failed vote until its caller may call another of this kind."""


KINDS: Mapping[str, VoteKind] = {
    "abort": VoteKind("nothing", "everybody", "all", 72, 24),
    "concede": VoteKind("winner", "others", "all", 72, 24),
    "pause": VoteKind("nothing", "everybody", "most", 24, 24),
    "resume": VoteKind("nothing", "everybody", "most", 24, 24),
    "more_time": VoteKind("clock", "others", "most", 24, 24),
    "substitute": VoteKind("vacancy", "everybody", "most", 48, 0),
    "upgrade_rules": VoteKind("rules", "everybody", "all", 72, 24),
}
"""All kinds of votes. A released kind never changes, because logs are decided again by it."""

CALLED = tuple(name for name, kind in KINDS.items() if kind.about not in ("vacancy", "rules"))
"""The kinds that a seat may call.

Votes on a vacant seat are requested from outside, and votes on rules have their own route.
"""

ENDS = ("abort", "concede")
"""The kinds that end the game."""

GRAVE = (*ENDS, "upgrade_rules")
"""The kinds that only the player in person may agree to."""


# -- commands and events ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallVote:
    """Ask the other players to agree to something.

    ``abort`` ends the game without a winner. ``concede`` lets a ``seat`` win it. ``pause`` stops all clocks, and ``resume``
    starts them again. ``more_time`` gives a ``seat`` so many ``hours`` more.
    """

    kind: Kind
    seat: Seat | None = None
    """The seat that is to win, or that gets more time; only for ``concede`` and ``more_time``."""
    hours: int | None = None
    """Only for ``more_time``."""


@dataclass(frozen=True, slots=True)
class CastVote:
    """Vote for or against the open proposal. You can change your vote while the vote is open."""

    agree: bool


@dataclass(frozen=True, slots=True)
class VoteCalled:
    seat: Seat
    kind: str
    voters: tuple[Seat, ...]
    """The seats with a vote, including the caller unless the vote is about their own clock."""
    due: int
    """The deadline, milliseconds of Unix time."""
    favour: Seat | None = None
    """The seat that is to win or to get more time, if the vote is about one."""
    hours: int | None = None
    left_out: tuple[Seat, ...] = ()
    """The seats that are not asked because the vote is about them; given if more voters may still be added."""


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
    """The release whose rules are to be used from now on."""
    differs: Seq | None = None
    """The first commit that these would have decided differently. None if that is not public."""


@dataclass(frozen=True, slots=True)
class Upgraded:
    """The players have agreed to continue with other rules."""

    seq: Seq
    """The commit of the agreement."""
    left: str
    release: str
    differs: Seq | None = None


@dataclass(frozen=True, slots=True)
class Ballot:
    """An open vote."""

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
    """The vacant seat that is requested."""
    rules: NewRules | None = None
    """The rules that it is about."""

    @property
    def silent(self) -> tuple[Seat, ...]:
        """The seats that have not answered."""
        return tuple(seat for seat in self.voters if seat not in self.agreed and seat not in self.against)

    def among(self, players: Collection[Seat]) -> Ballot:
        """The vote with only these voters."""
        return replace(
            self,
            voters=tuple(seat for seat in self.voters if seat in players),
            agreed=tuple(seat for seat in self.agreed if seat in players),
            against=tuple(seat for seat in self.against if seat in players),
        )

    @property
    def result(self) -> bool | None:
        """Whether it is carried. None while that depends on missing answers."""
        voices, agreed, against = len(self.voters), len(self.agreed), len(self.against)
        if KINDS[self.kind].needs == "all":
            return False if against or not voices else True if agreed == voices else None
        return True if 2 * agreed > voices else False if 2 * (voices - against) <= voices else None

    def with_voice(self, seat: Seat, *, agree: bool) -> Ballot:
        """The vote after an answer of the seat, which replaces an earlier one."""
        others = replace(self.among({*self.voters} - {seat}), voters=self.voters)
        if agree:
            return replace(others, agreed=(*others.agreed, seat))
        return replace(others, against=(*others.against, seat))


@dataclass(frozen=True, slots=True)
class VotesMemory:
    """The table's memory of its votes."""

    widens: bool = False
    """Whether a player who takes a seat during a vote becomes a voter."""
    ballot: Ballot | None = None
    ends: tuple[str, Seat | None] | None = None
    """The vote that ends the game: its kind and the seat that it favors."""
    paused: bool = False
    """Whether a vote has stopped the clocks and none has started them again."""
    rests: Mapping[str, int] = field(default_factory=dict)
    """The time until which a seat may not call another, milliseconds of Unix time; by ``<seat> <kind>``."""
    upgraded: Upgraded | None = None
    """The last agreement to continue with other rules."""
