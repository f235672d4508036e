"""Validates the body of a commit: types, sender, and events to the last field; and describes differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import msgspec

from domain.kernel.errors import StaleSubmission
from domain.kernel.record import SPEAKERS, Commit, Position
from domain.kernel.terms import SYSTEM
from service.store import typed
from service.store.codec import canonical, encode_body, encode_event, is_part_of, plain

_MAX_SHOWN = 300


@dataclass(frozen=True, slots=True)
class _SubmissionForm:
    id: str
    command: Mapping[str, Any]
    expected: int | None
    asked_at: int
    tenure: int = 0


@dataclass(frozen=True, slots=True)
class _ActorForm:
    sender: int
    seat: int
    by: Literal["player", "sitter", "plan", "bot", "policy", "system"]
    credential: str | None
    via: str = ""


@dataclass(frozen=True, slots=True)
class _RefusalForm:
    code: str
    message: str
    rule: str | None
    field: str | None
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _BodyForm:
    """The form of a body.

    Types are checked because equal values of two types (1, true) fold alike but hash differently.
    """

    submission: _SubmissionForm
    actor: _ActorForm
    drawn: int
    rolled: int = 0
    played: Mapping[str, Any] | None = None
    due: tuple[tuple[str, int], ...] = ()
    events: tuple[Mapping[str, Any], ...] = ()
    refusal: _RefusalForm | None = None
    seed: str = ""


def find_type_error(body: Mapping[str, Any]) -> str | None:
    """Describes a value of the wrong type in a body. None if all types are right."""
    try:
        typed.convert(body, _BodyForm)
    except msgspec.ValidationError as error:
        return str(error)
    return None


def is_complete(commit: Commit, body: Mapping[str, Any], written: bytes) -> bool:
    """Whether the body equals the codec's output for the commit. Events may lack fields that were added later.

    ``written`` is the body's canonical JSON.
    """
    again = encode_body(commit)
    if "seed" in body:
        again["seed"] = body["seed"]
    if canonical(again) == written:
        return True
    if "events" in again and "events" in body and is_part_of(body["events"], again["events"]):
        again["events"] = body["events"]
    return canonical(again) == written


class _SubmissionId(msgspec.Struct):
    id: str


class _BodyId(msgspec.Struct):
    submission: _SubmissionId


_ID_DECODER = msgspec.json.Decoder(_BodyId)


def read_submission_id(written: bytes) -> str | None:
    """The submission that the commit with this body settled, without checking the rest. None if it names none."""
    try:
        return _ID_DECODER.decode(written).submission.id
    except (msgspec.MsgspecError, RecursionError):
        return None


def find_unknown_sender(before: Position, commit: Commit) -> str | None:
    """The reason why the sender of the commit is not at the table. None if they are."""
    seats = 0 if before.table is None else len(before.table.controllers)
    sender = commit.submission.seat
    return None if 0 <= sender <= seats else f"the table has no seat {sender}"


def find_misattribution(commit: Commit) -> str | None:
    """The reason why a commit with ``rules-fault``, which is not decided again, cannot come from its sender.

    None if it can.
    """
    sender = commit.submission.seat
    if sender == SYSTEM:
        return "SYSTEM is no player" if commit.by in SPEAKERS else None
    if (commit.seat, commit.played) != (sender, None) or commit.by not in SPEAKERS:
        return f"seat {sender} speaks for itself, and chooses what it says"
    return None


def find_difference(before: Position, commit: Commit, again: Commit) -> tuple[str, str] | None:
    """The failing check and the difference, if deciding again gives another commit."""
    ruling = _compare_results(commit, again)
    if ruling is not None and StaleSubmission.code in (_refusal_code(commit), _refusal_code(again)):
        return "AUD-11", ruling
    if (again.drawn, again.rolled) != (commit.drawn, commit.rolled):
        counts = f"draws so far are {commit.drawn} in the file and {again.drawn} when decided again"
        return "AUD-08", f"{counts}; {ruling}" if ruling else counts
    if ruling is not None:
        chance = (again.drawn, again.rolled) != (before.drawn, before.rolled)
        return "AUD-08" if chance else "AUD-09", ruling
    for check, name in (("AUD-12", "due"), ("AUD-09", "by"), ("AUD-09", "seat"), ("AUD-09", "played")):
        one, other = getattr(commit, name), getattr(again, name)
        if one != other and plain(one) != plain(other):
            return check, _describe_difference(f"{name!r}", plain(one), plain(other))
    return None


def _compare_results(commit: Commit, again: Commit) -> str | None:
    """The difference in events or refusal. The sentence of a refusal may differ between releases."""
    one, other = commit.refusal, again.refusal
    if one is not None and other is not None:
        same = replace(other, message=one.message)
        return None if plain(one) == plain(same) else _describe_difference("the refusal", plain(one), plain(same))
    if one is not None or other is not None:
        return _describe_difference(
            "what it came to",
            [encode_event(e) for e in commit.events] or plain(one),
            [encode_event(e) for e in again.events] or plain(other),
        )
    if commit.events == again.events:
        return None
    for place in range(max(len(commit.events), len(again.events))):
        recorded, decided = (encode_event(e[place]) if place < len(e) else None for e in (commit.events, again.events))
        if canonical(recorded) != canonical(decided):
            return _describe_difference(f"event {place + 1}", recorded, decided)
    return None


def _refusal_code(commit: Commit) -> str | None:
    return None if commit.refusal is None else commit.refusal.code


def _describe_difference(what: str, recorded: Any, decided: Any) -> str:
    one, other = (shorten(canonical(value).decode()) for value in (recorded, decided))
    return f"{what} is {one} in the file and {other} when decided again"


def shorten(text: str) -> str:
    """Text from a file, shortened for the report."""
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
