"""What the body of a commit may hold: the types of its values, who speaks in it, and its events to the last field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from domain.play.record import Commit, Position
from domain.terms import SYSTEM
from service.store.codec import canonical, encode_body


@dataclass(frozen=True, slots=True)
class _Submission:
    id: str
    command: Mapping[str, Any]
    expected: int | None
    asked_at: int


@dataclass(frozen=True, slots=True)
class _Actor:
    sender: int
    seat: int
    by: Literal["player", "bot", "policy", "system"]
    credential: str | None


@dataclass(frozen=True, slots=True)
class _Refusal:
    code: str
    message: str
    rule: str | None
    field: str | None
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Body:
    """Values that are equal without being of one type, such as 1 and true, would fold alike and hash otherwise."""

    submission: _Submission
    actor: _Actor
    drawn: int
    rolled: int = 0
    played: Mapping[str, Any] | None = None
    due: tuple[tuple[str, int], ...] = ()
    events: tuple[Mapping[str, Any], ...] = ()
    refusal: _Refusal | None = None
    seed: str = ""


def misshapen(body: Mapping[str, Any]) -> str | None:
    """What in a body has a value of another type than it must have."""
    try:
        msgspec.convert(body, _Body)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def is_whole(commit: Commit, body: Mapping[str, Any]) -> bool:
    """Whether the body is what the codec writes of the commit; events may lack fields that are younger than they."""
    written = encode_body(commit)
    if "events" in written and "events" in body and _stands_in(body["events"], written["events"]):
        written["events"] = body["events"]
    if "seed" in body:
        written["seed"] = body["seed"]
    return canonical(written) == canonical(body)


def _stands_in(told: Any, written: Any) -> bool:
    """Whether all that is told was written so; objects may be written with more."""
    if isinstance(told, dict):
        return isinstance(written, dict) and all(
            name in written and _stands_in(value, written[name]) for name, value in told.items()
        )
    if isinstance(told, list):
        return isinstance(written, list | tuple) and len(told) == len(written) and all(map(_stands_in, told, written))
    return type(told) is type(written) and bool(told == written)


def stranger(before: Position, commit: Commit) -> str | None:
    """Why nobody at the table can have sent this."""
    seats = 0 if before.table is None else len(before.table.controllers)
    sender = commit.submission.seat
    return None if 0 <= sender <= seats else f"the table has no seat {sender}"


def misattributed(commit: Commit) -> str | None:
    """Why a command that the rules failed on, which is not decided again, was not the one whom the commit names."""
    sender = commit.submission.seat
    if sender == SYSTEM:
        return "SYSTEM is no player" if commit.by == "player" else None
    if (commit.seat, commit.by, commit.played) != (sender, "player", None):
        return f"seat {sender} speaks for itself, and chooses what it says"
    return None
