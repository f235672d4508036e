"""Votes to continue a game under the rules of another release, as releases up to 0.3.0 recorded them.

No route starts such a vote any more. Logs that contain one are still folded, shown and audited, so the command is decided as it
was. The only lasting effect is that nothing before `RulesUpgraded` can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.errors import RuleViolation
from domain.play.parts.votes.ballot import KINDS, Ballot, NewRules, Upgraded, Votes
from domain.play.table import Table
from domain.shape import catalogue
from domain.terms import HOUR, Seat, Seq

UPGRADE = "upgrade_rules"
"""The kind of the vote on the rules."""
KEY = "votes"


class OtherRules(RuleViolation):
    """The game is not decided by the rules that were to be left, or those that it was to go on by are not present."""

    code = "other-rules"


@dataclass(frozen=True, slots=True)
class ProposeRules:
    """Ask the other players to go on by the rules of another release."""

    left: str
    """The release whose rules decide the game."""
    release: str
    """The release whose rules are to go on."""
    differs: int | None = None
    """The first commit that these would have decided otherwise; None if it is not everybody's to see."""
    decided_by: str = ""
    """The release whose rules decide the game when this is settled: written by whoever settles it."""
    present: str = ""
    """The release of whoever settles it."""


@dataclass(frozen=True, slots=True)
class RulesProposed:
    """A seat asked the players to continue with the rules of another release."""

    seat: Seat
    voters: tuple[Seat, ...]
    due: int
    """By when they are to answer, milliseconds of Unix time."""
    left: str
    release: str
    differs: Seq | None = None


@dataclass(frozen=True, slots=True)
class RulesUpgraded:
    """The game continues with the rules of another release, even if they would have decided an earlier commit differently."""

    left: str
    """The release whose rules have decided it so far."""
    release: str
    """The release whose rules go on."""
    differs: Seq | None = None
    """The first commit that they would have decided otherwise, as the players were told; None if it was not everybody's to see."""


ROUTED = catalogue(ProposeRules)
EVENTS = catalogue(RulesProposed, RulesUpgraded)

_PROPOSED = "{seat:seat} asks the players to continue with the rules of release {release}"
_ASKED = "{by:seat} asks whether you agree to continue with the rules of release {release} instead of {left}"

SENTENCES: Mapping[str, str | Sequence[str]] = {
    "rules_proposed": (
        f"{_PROPOSED}. With these rules, commit {{differs}} would have had a different result.",
        f"{_PROPOSED}.",
    ),
    "rules_upgraded": "The game continues with the rules of release {release} instead of {left}.",
}

ASKS = (f"{_ASKED}. With these rules, commit {{differs}} would have had a different result.", f"{_ASKED}.")

VOTE = "continue with other rules"
"""What it is called."""


def proposed(seat: Seat, table: Table, at: int, command: ProposeRules) -> RulesProposed:
    """The vote on it, of all who play; raises `OtherRules` where it is about other rules than there are by now."""
    if (command.decided_by, command.present) != (command.left, command.release) or command.left == command.release:
        raise OtherRules(
            "By now the game is decided by other rules than those, or others are present.",
            decided_by=command.decided_by,
            present=command.present,
        )
    differs = None if command.differs is None else Seq(command.differs)
    return RulesProposed(seat, table.players, at + KINDS[UPGRADE].hours * HOUR, command.left, command.release, differs)


def ballot_on(event: RulesProposed, seq: Seq) -> Ballot:
    """The vote that was so called; who has called it has agreed."""
    rules = NewRules(event.left, event.release, event.differs)
    return Ballot(seq, UPGRADE, event.seat, event.voters, event.due, None, (event.seat,), rules=rules)


def carried(rules: NewRules | None) -> Sequence[Any]:
    """What comes of a vote that is carried; nothing where it was about no rules."""
    return () if rules is None else (RulesUpgraded(rules.left, rules.release, rules.differs),)


def about(rules: NewRules | Upgraded) -> Mapping[str, Any]:
    """What a question about it names."""
    told = {"left": rules.left, "release": rules.release, "differs": rules.differs}
    return {name: value for name, value in told.items() if value is not None}


def upgrade_of(table: Table | None) -> Upgraded | None:
    """The last time that the players of a table have agreed to go on by other rules; None if they never have."""
    votes: Votes | None = None if table is None else table.memories.get(KEY)
    return None if votes is None else votes.upgraded
