"""Chat at a table: senders and recipients. The texts are stored outside the log and can be erased."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from domain.kernel.errors import RuleViolation
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Rules
from domain.kernel.settings import Setting
from domain.kernel.shape import Malformed, as_line, catalogue
from domain.kernel.terms import Seat, Seq
from domain.table.feature import Moment, TableFeature

MOST = 5000
"""Maximum number of messages in a game: the table remembers the commit of each."""
OPEN, PARTNERS, OFF = "open", "partners", "off"
ERASED, MUTED, CLOSED = "erased", "muted", "closed"
"""The reason a message has no text: it was erased, its reader muted the sender, or the game's history is open to all."""

_DIGEST = re.compile(r"[0-9a-f]{64}")


class TalkIsOff(RuleViolation):
    """The game allows chat between partners only."""

    code = "talk-is-off"


class BadListeners(RuleViolation):
    """These seats cannot be recipients."""

    code = "bad-listeners"


class TooMuchTalk(RuleViolation):
    """The game has the maximum number of messages."""

    code = "too-much-talk"


@dataclass(frozen=True, slots=True)
class Say:
    """Send a message. A route of its own submits it and stores the text."""

    digest: str
    """SHA-256 of 16 random bytes and the text in UTF-8, hex. The random bytes are stored with the text."""
    to: tuple[Seat, ...] = ()
    """The seats that may read it, in addition to one's own; empty for everyone."""


@dataclass(frozen=True, slots=True)
class Said:
    """A chat message was sent. The log does not contain its text; readers who may see it get it until it is erased."""

    seat: Seat
    digest: str
    """SHA-256 of 16 random bytes and the text in UTF-8, hex."""
    to: tuple[Seat, ...] = ()
    """The other seats that may read it; empty for everyone."""


@dataclass(frozen=True, slots=True)
class TalkMemory:
    """The table's memory of its chat."""

    mode: str
    said: tuple[Seq, ...] = ()
    """The commits with a message."""
    heard: tuple[int, ...] = ()
    """The readers of each: a bit for each seat, 0 for everyone."""

    def read_by(self, seat_at: Callable[[Seq], Seat | None]) -> Sequence[Seq]:
        """The commits whose message a reader may read; ``seat_at`` is the seat as which they read a commit."""
        pairs = zip(self.said, self.heard, strict=True)
        return [seq for seq, ears in pairs if not ears or ((seat := seat_at(seq)) and ears >> seat & 1)]


def _decide(memory: TalkMemory, moment: Moment, seat: Seat, command: Say) -> Sequence[Any]:
    if len(memory.said) >= MOST:
        raise TooMuchTalk(f"A game can have at most {MOST} messages.")
    if not _DIGEST.fullmatch(command.digest):
        raise Malformed("'digest' has to be 64 hex digits.", field="digest")
    others = {Seat(other) for other in range(1, len(moment.table.controllers) + 1)} - {seat}
    to = tuple(sorted(command.to))
    if len(set(to)) < len(to) or not others.issuperset(to):
        raise BadListeners("Name other seats of the game, each only once.", field="to")
    if memory.mode == PARTNERS and not (to and set(to) <= set(moment.game.rules.allies(moment.position.state, seat))):
        raise TalkIsOff("In this game, only partners can send messages to each other.", field="to")
    return (Said(seat, command.digest, to),)


def _evolve(memory: TalkMemory, event: Any, seq: Seq, at: int) -> TalkMemory:  # noqa: ARG001
    if not isinstance(event, Said):
        return memory
    ears = sum(1 << seat for seat in (event.seat, *event.to)) if event.to else 0
    return replace(memory, said=(*memory.said, seq), heard=(*memory.heard, ears))


TALK = TableFeature(
    key="talk",
    memory=TalkMemory,
    is_on=lambda chosen: chosen.get("talk") in (OPEN, PARTNERS),
    begin=lambda chosen, _seats: TalkMemory(chosen["talk"]),
    decide=_decide,
    evolve=_evolve,
    view=lambda memory: {"mode": memory.mode},
    settings=(
        Setting(
            "talk",
            "Who can send chat messages to whom. `open`: everyone. `partners`: partners to each other. `off`: no one.",
            OPEN,
            (OPEN, PARTNERS, OFF),
        ),
    ),
    routed=catalogue(Say),
    unasked=("say",),
    events=catalogue(Said),
    sentences={
        "said": (
            "{seat:seat}[ to {to:seats}]: {words:quoted}",
            "{seat:seat} sent a message[ to {to:seats}] {gone:gone}.",
            "{seat:seat} sends a message[ to {to:seats}].",
        )
    },
    names={
        "gone": {
            ERASED: "that was erased",
            MUTED: "that you have muted",
            CLOSED: "that is private",
        }
    },
)

TOLD: Mapping[str, Mapping[str, Any]] = {"said": {"words": str, "gone": str}}
"""As `domain.kernel.game.knowledge.Knowledge.told`."""


def faults(game: AnyGame, chosen: Mapping[str, Any]) -> Mapping[str, str]:
    """Partners can chat only in a game that has partners."""
    if chosen.get("talk") == PARTNERS and type(game.rules).allies is Rules.allies:
        return {"talk": f"{OPEN} or {OFF}: nobody has a partner in this game"}
    return {}


def reveal(event: Said, seat: Seat | None) -> Mapping[str, Any] | None:
    """The message as a line of history, for its sender and recipients."""
    return as_line(event) if not event.to or seat in (event.seat, *event.to) else None
