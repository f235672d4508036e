"""What waits to be settled: receipts of commands, claimed games, deadlines, plans, and why a game is set aside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from domain.play.record import NO_COMMIT
from domain.terms import GameId, PlayerId, Seat, Seq

MOST_WAITING = 100
"""Commands of players that may wait in one game; a list counts for as many as are left of it."""

AHEAD = 30_000
"""Milliseconds by which a game that a player waits for stands before those that only bots and the clock have made ready."""


TELL = "tell"
"""The key of a submission document under which it says where its outcome is waited for (`Expected.channel`).

It stands beside the submission and never comes into the log.
"""

HOLDER = "holder"
"""The key of a submission document under which SYSTEM's `take_seat` says who takes it; it never comes into the log either."""


REQUEST = "request"
"""The key of a submission document under which stands what the request is called that it came in; it never comes into the log either."""

REQUEST_NAME = re.compile(r"[A-Za-z0-9._:=+/-]{1,64}")
"""What a request may be called, so that it can be written into any log."""


def request_of(document: Mapping[str, Any]) -> str:
    """What the request is called that a waiting command came in; empty where it came in none, or an earlier release took it in."""
    name = document.get(REQUEST)
    return name if isinstance(name, str) and REQUEST_NAME.fullmatch(name) else ""


def waiting_for(document: Mapping[str, Any]) -> str:
    """Where the outcome of a waiting command is waited for; empty where nobody does."""
    channel = document.get(TELL)
    return channel if isinstance(channel, str) else ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of `Log.submit`."""

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
    """``known``: this id was submitted before; ``conflict``: with another body; ``stale``: If-Match does not hold;
    ``limited``: the seat is out of refusals; ``unasked``: it has said too much that nobody asked it; ``full``: the game has more than 100 commands waiting;
    ``quarantined``, ``needs-release``: the game is set aside."""
    id: str
    seq: Seq | None = None
    """The commit it came to, once settled; for ``stale`` the sender's present ETag."""
    wake: bool = False
    """The game was idle: call `queue.wake`."""
    retry_after: int = 0


@dataclass(frozen=True, slots=True)
class Due:
    """Something that SYSTEM is to submit at an instant (milliseconds), exactly once for each question."""

    when: int
    question: str
    """Its id; where the question still stands after its seat acted, ``<id>@<seq of that commit>``: it is due anew."""
    what: Literal["expire", "act", "think"]
    """``think``: as ``act``, which comes to the same submission; until then a bot's answer is thought over."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Why a game is set aside."""

    code: Literal["quarantined", "needs-release"]
    """``quarantined``: it cannot be read; ``needs-release``: the release that says so must not go on with it."""
    release: str
    """Who says so. Another release need not mind ``needs-release``."""
    why: str

    def holds(self, release: str) -> bool:
        """Whether this release is to leave the game alone."""
        return self.code == "quarantined" or self.release == release


def counted_marks(marks: Mapping[GameId, Mark]) -> dict[str, int]:
    """How many games are set aside, by code."""
    codes = [mark.code for mark in marks.values()]
    return {code: codes.count(code) for code in ("quarantined", "needs-release")}


@dataclass(frozen=True, slots=True)
class Work:
    """A claimed game: what waits in its command stream, oldest first."""

    game_id: GameId
    pending: tuple[tuple[str, Mapping[str, Any]], ...]
    """Stream entry id and submission document (`codec.encode_submission`, ``asked_at`` by the store's clock)."""
    claims: int = 1
    """How often the oldest has been claimed without a commit."""
    garbled: bool = False
    """After these something stands in the stream that is no command; an operator must take it out (`doctor`)."""
    mark: Mark | None = None
    """Why it was set aside, if it was."""
    at: int = 0
    """The store's clock as it was read."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The oldest command that waits in a game."""

    game_id: GameId
    entry: str
    milliseconds: int
    """For how long by the store's clock; 0 where that was set back."""


# -- plans ------------------------------------------------------------------------------------------------------------

If = Literal["unchanged", "legal"]
Then = Literal["end_turn", "wait"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seat's player has laid down for when a question comes: a list of commands that waits outside of its game's stream.

    The very append after which one of its questions stands puts it there, in the same call: so nobody has to look whether it
    is due, no worker that is killed can play it twice or forget it, and a game without plans pays nothing for it. Whatever
    SYSTEM has to say at once goes first, and so does a list that has begun.

    If others are asked something during the seat's turn before the next command can be played, the rest waits outside of the
    stream again (`service.store.ports.commits.Pause`). It can be dropped or replaced while it waits.
    """

    id: str
    """That of the list which it becomes, and its entity tag."""
    seat: Seat
    player: PlayerId
    """Who sat there: whoever comes after them never reads nor plays it."""
    commands: Sequence[Mapping[str, Any]]
    """As they are played: with what ends the turn, if anything does."""
    laid: int
    """How many of them its player wrote."""
    kinds: Sequence[str]
    """The kinds of questions that it waits for; `domain.play.plans.ANY` for whichever comes."""
    condition: If
    then: Then
    seen: Seq
    """The ETag of the seat's view when it was laid."""
    credential: str | None
    at: int = 0
    """When it was laid, milliseconds of Unix time by the store's clock."""
    waits: bool = True
    """Whether it is still to be played."""
    paused: bool = False
    """Whether it was begun, and its rest waits for others to decide."""
    tenure: Seq = NO_COMMIT
    """As `domain.play.record.Submission.tenure`: a plan that was laid by who had the seat before is not heard."""


ANYWHERE, NOWHERE = "*", "-"
"""In the place of the id of the plan that is to be replaced: whichever, or none."""

Laid = Literal["laid", "changed", "moved", "over", "not-started", "unknown-game"]
Dropped = Literal["dropped", "changed", "used", "none"]
