"""Votes to continue a game under the rules of another release, as releases up to 0.3.0 recorded them.

No route starts such a vote now. Logs that contain one are still folded, shown and audited, so the command is decided as
before. The only lasting effect is that nothing before `RulesUpgraded` can be undone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.kernel.errors import RuleViolation
from domain.kernel.lifecycle import Table
from domain.kernel.shape import catalogue
from domain.kernel.terms import HOUR, Seat, Seq
from domain.table.votes.ballot import KINDS, Ballot, NewRules, Upgraded

UPGRADE = "upgrade_rules"
"""The kind of vote on the rules."""


class OtherRules(RuleViolation):
    """The game is not decided by the rules to be left, or the new rules are not available."""

    code = "other-rules"


@dataclass(frozen=True, slots=True)
class ProposeRules:
    """Ask the other players to continue with the rules of another release."""

    left: str
    """The release whose rules decide the game."""
    release: str
    """The release whose rules are to be used from now on."""
    differs: int | None = None
    """The first commit that these would have decided differently. None if that is not public."""
    decided_by: str = ""
    """The release whose rules decide the game when this is settled, set by the settling process."""
    present: str = ""
    """The release of the settling process."""


@dataclass(frozen=True, slots=True)
class RulesProposed:
    """A seat asked the players to continue with the rules of another release."""

    seat: Seat
    voters: tuple[Seat, ...]
    due: int
    """The deadline, milliseconds of Unix time."""
    left: str
    release: str
    differs: Seq | None = None


@dataclass(frozen=True, slots=True)
class RulesUpgraded:
    """The game continues with the rules of another release, even if they would have decided an earlier commit differently."""

    left: str
    """The release whose rules have decided it so far."""
    release: str
    """The release whose rules decide it from now on."""
    differs: Seq | None = None
    """The first commit that they would have decided differently, as shown to the players. None if that was not public.
    """


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
"""The vote's subject as text."""


def propose(seat: Seat, table: Table, at: int, command: ProposeRules) -> RulesProposed:
    """A vote of all players on it. Raises `OtherRules` if the current rules are different ones."""
    if (command.decided_by, command.present) != (command.left, command.release) or command.left == command.release:
        raise OtherRules(
            "The rules of the game or of the service have changed since then.",
            decided_by=command.decided_by,
            present=command.present,
        )
    differs = None if command.differs is None else Seq(command.differs)
    return RulesProposed(seat, table.players, at + KINDS[UPGRADE].hours * HOUR, command.left, command.release, differs)


def open_ballot(event: RulesProposed, seq: Seq) -> Ballot:
    """The new vote; its caller has agreed."""
    rules = NewRules(event.left, event.release, event.differs)
    return Ballot(seq, UPGRADE, event.seat, event.voters, event.due, None, (event.seat,), rules=rules)


def upgrade(rules: NewRules | None) -> Sequence[Any]:
    """The result of a carried vote; empty if it was not about rules."""
    return () if rules is None else (RulesUpgraded(rules.left, rules.release, rules.differs),)


def about(rules: NewRules | Upgraded) -> Mapping[str, Any]:
    """The details in a question about it."""
    told = {"left": rules.left, "release": rules.release, "differs": rules.differs}
    return {name: value for name, value in told.items() if value is not None}
