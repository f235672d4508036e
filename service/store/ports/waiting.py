"""Pending work: receipts of commands, claimed games, deadlines, plans, and quarantine markers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from domain.kernel.record import NO_COMMIT
from domain.kernel.terms import GameId, PlayerId, Seat, Seq

MOST_WAITING = 100
"""Players' commands that may wait in one game; a list counts for its remaining commands."""

AHEAD = 30_000
"""Milliseconds by which a game that a player waits for is preferred to one that only bots or the clock made ready."""


TELL = "tell"
"""Key of a submission document: the channel on which its outcome is published (`Expected.channel`).

Stored next to the submission and never in the log.
"""

REQUEST = "request"
"""Key of a submission document: the id of the request that sent it. Never in the log."""

REQUEST_NAME = re.compile(r"[A-Za-z0-9._:=+/-]{1,64}")
"""Valid request ids; safe to write into any log."""


def request_of(document: Mapping[str, Any]) -> str:
    """The request id of a waiting command; empty if it has none, or an earlier release accepted it."""
    name = document.get(REQUEST)
    return name if isinstance(name, str) and REQUEST_NAME.fullmatch(name) else ""


def waiting_for(document: Mapping[str, Any]) -> str:
    """The channel on which the outcome of a waiting command is expected; empty if not requested."""
    channel = document.get(TELL)
    return channel if isinstance(channel, str) else ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """Result of `Log.submit`."""

    status: Literal[
        "accepted",
        "known",
        "conflict",
        "stale",
        "limited",
        "unasked",
        "over",
        "not-started",
        "unknown-game",
        "full",
        "quarantined",
        "needs-release",
    ]
    """Result.

    ``known``: this id was submitted before; ``conflict``: with another body; ``stale``: If-Match does not hold;
    ``limited``: the seat has used up its refusals; ``unasked``: the seat has sent too many unsolicited commands;
    ``full``: the game has more than 100 commands waiting; ``quarantined``, ``needs-release``: the game is quarantined.
    """
    id: str
    seq: Seq | None = None
    """The commit that settled it, if any; for ``stale`` the sender's current ETag."""
    wake: bool = False
    """The game was idle: call `queue.wake`."""
    retry_after: int = 0


@dataclass(frozen=True, slots=True)
class Due:
    """A command that SYSTEM submits at an instant (milliseconds), exactly once for each question."""

    when: int
    question: str
    """Id of the question; if it is still pending after its seat acted, ``<id>@<seq of that commit>``: it is due again."""
    what: Literal["expire", "act", "think"]
    """``think``: the same submission as ``act``; until then a search worker computes the bot's answer."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a game is quarantined."""

    code: Literal["quarantined", "needs-release"]
    """``quarantined``: it cannot be read; ``needs-release``: the release in `release` must not continue it."""
    release: str
    """The release that set the marker. Other releases can ignore ``needs-release``."""
    why: str

    def holds(self, release: str) -> bool:
        """Whether this release must leave the game alone."""
        return self.code == "quarantined" or self.release == release


def counted_marks(marks: Mapping[GameId, Mark]) -> dict[str, int]:
    codes = [mark.code for mark in marks.values()]
    return {code: codes.count(code) for code in ("quarantined", "needs-release")}


@dataclass(frozen=True, slots=True)
class Work:
    """A claimed game and its command stream, oldest first."""

    game_id: GameId
    pending: tuple[tuple[str, Mapping[str, Any]], ...]
    """Stream entry id and submission document (`codec.encode_submission`, ``asked_at`` by the store's clock)."""
    claims: int = 1
    """How often the oldest has been claimed without a commit."""
    garbled: bool = False
    """The stream continues with an entry that is not a command; an operator must remove it (`doctor`)."""
    mark: Mark | None = None
    """Why it was quarantined, if it was."""
    at: int = 0
    """The store's clock when it was read."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The oldest command that waits in a game."""

    game_id: GameId
    entry: str
    milliseconds: int
    """How long it has waited by the store's clock; 0 if that was set back."""


# -- plans ------------------------------------------------------------------------------------------------------------

If = Literal["unchanged", "legal"]
Then = Literal["end_turn", "wait"]


@dataclass(frozen=True, slots=True)
class Plan:
    """A player's list of commands for when a question comes; it waits outside of its game's stream.

    A follower of the log (`service/features/plans/`) submits it when one of its questions is pending. Each of its
    submissions has a fixed id, so that a killed process can neither play it twice nor lose it. A game without plans has
    no cost. Another plan that is being played goes first.
    If others are asked something during the seat's turn before the next command can be played, the rest waits again. It
    can be dropped or replaced while it waits.
    """

    id: str
    """Id of the list that it becomes, and its entity tag."""
    seat: Seat
    player: PlayerId
    """The seat's player at the time; a later holder of the seat can neither read nor play it."""
    commands: Sequence[Mapping[str, Any]]
    """The commands to play, including the one that ends the turn, if any."""
    laid: int
    """How many of them its player wrote."""
    kinds: Sequence[str]
    """The kinds of questions that it waits for; `domain.table.plans.ANY` for any."""
    condition: If
    then: Then
    seen: Seq
    """The ETag of the seat's view when it was stored."""
    credential: str | None
    at: int = 0
    """When it was stored, milliseconds of Unix time by the store's clock."""
    waits: bool = True
    """Whether it is still to be played."""
    paused: bool = False
    """Whether it was begun, and its rest waits for others to decide."""
    tenure: Seq = NO_COMMIT
    """As `domain.kernel.record.Submission.tenure`: a plan of an earlier holder of the seat is ignored."""
    via: str = ""
    """As `domain.kernel.record.Submission.via`."""


ANYWHERE, NOWHERE = "*", "-"
"""In place of the id of the plan to replace: any plan, or none."""

Laid = Literal["laid", "changed", "moved", "over", "not-started", "unknown-game"]
Dropped = Literal["dropped", "changed", "used", "none"]
