"""JSON encoding and decoding of commits, positions and states, including the body of a commit."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import msgspec
import orjson

from domain.kernel import lifecycle
from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Rules
from domain.kernel.lifecycle import Table
from domain.kernel.record import SPEAKERS, Bars, Commit, OpenQuestion, Position, RuleRefusal, Submission, speaker
from domain.kernel.shape import hints, snake
from domain.kernel.terms import Seat, Seq
from domain.table import features
from service.store import typed


class UnknownEvent(LookupError):
    """The log contains an event type that this release does not know: leave the game to a newer worker."""


class BadDocument(ValueError):
    """A document differs from what the codec writes; the message says where."""


def canonical(value: Any) -> bytes:
    """The canonical JSON of a value: keys sorted, no spaces, UTF-8 (RFC 8785 for the values that commits may contain)."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def plain(value: Any) -> Any:
    """Dataclasses, tuples and number keys converted to JSON values."""
    return msgspec.to_builtins(value, str_keys=True)


def encode_event(event: Any) -> dict[str, Any]:
    """An event's JSON: its ``type`` and all its fields."""
    return {"type": snake_of(type(event)), **plain(event)}


_NAMES: dict[type, str] = {}


def snake_of(cls: type) -> str:
    """The ``type`` of a command or event class."""
    if cls not in _NAMES:
        _NAMES[cls] = snake(cls.__name__)
    return _NAMES[cls]


def decode_event(game: AnyGame, document: Mapping[str, Any]) -> Any:
    """The event that `encode_event` wrote.

    Raises `UnknownEvent` for a type this release does not know, `BadDocument` for fields that do not fit.
    """
    name = document["type"]
    cls = features.EVENTS.get(name) or game.rules.events.get(name)
    if cls is None:
        raise UnknownEvent(name)
    if cls is lifecycle.PositionSet:
        return checked_event(game, lifecycle.PositionSet(document["position"]))
    if unknown := document.keys() - hints(cls).keys() - {"type"}:
        raise BadDocument(f"{name} has no field {min(unknown)!r}")
    try:
        event = typed.convert(document, cls, str_keys=True)
    except msgspec.ValidationError as error:
        raise BadDocument(f"{name}: {error}") from error
    return checked_event(game, event)


def prepare_types(game: AnyGame) -> None:
    """Prepare the conversions to the game's events, its states and everything that positions contain."""
    memories = (feature.memory for feature in features.FEATURES.values())
    typed.prepare(
        [game.rules.state, *game.rules.events.values(), *features.EVENTS.values(), Table, OpenQuestion, Bars, *memories]
    )


def checked_event(game: AnyGame, event: Any) -> Any:
    """An event with its fields decoded; a JSON position becomes a state. Raises as `decode_event` does."""
    if isinstance(event, lifecycle.PositionSet):
        return lifecycle.PositionSet(_stored_state(game, event.position))
    if isinstance(event, lifecycle.GameBegun):
        if event.table_rules not in lifecycle.RULES:
            raise UnknownEvent(f"the table rules {event.table_rules!r}")
        if unknown := event.table.keys() - {setting.name for setting in features.SETTINGS}:
            raise UnknownEvent(f"the setting {min(unknown)!r} of the table")
    return event


def encode_state(state: Any) -> Any:
    """A game's state as a JSON document, as in snapshots and position documents."""
    return plain(state)


def decode_state(game: AnyGame, document: Any) -> Any:
    """The state that `encode_state` wrote; raises `BadDocument` for anything else, unknown keys included."""
    state = _converted(game, document)
    if canonical(plain(state)) != canonical(document):
        raise BadDocument("there are keys that a position does not have, or some are missing")
    return state


def _stored_state(game: AnyGame, document: Any) -> Any:
    """As `decode_state`, for a document stored by this or an earlier release: newer fields get their defaults."""
    state = _converted(game, document)
    if not is_part_of(document, plain(state)):
        raise BadDocument("there are keys that a position does not have")
    return state


def _converted(game: AnyGame, document: Any) -> Any:
    _check_numbers(document)
    try:
        return typed.convert(document, game.rules.state, str_keys=True)
    except msgspec.ValidationError as error:
        raise BadDocument(str(error)) from error


def is_part_of(read: Any, written: Any) -> bool:
    """Whether `written` contains all of `read`; objects in `written` may have more keys."""
    if isinstance(read, dict):
        return isinstance(written, dict) and all(
            name in written and is_part_of(value, written[name]) for name, value in read.items()
        )
    if isinstance(read, list):
        return isinstance(written, list | tuple) and len(read) == len(written) and all(map(is_part_of, read, written))
    return type(read) is type(written) and bool(read == written)


MOST = 2**31
"""Limit for numbers in a document, far above any number of a game; counting up from it still fits into JSON."""


def _check_numbers(document: Any) -> None:
    left = [document]
    while left:
        match left.pop():
            case bool():
                continue
            case int(number) if not -MOST < number < MOST:
                raise BadDocument("there is a number out of all bounds")
            case dict(members):
                left.extend(members.values())
            case list(items):
                left.extend(items)


def state_schema(rules: Rules[Any, Any, Any]) -> dict[str, Any]:
    return msgspec.json.schema(rules.state)


# -- commits ----------------------------------------------------------------------------------------------------------


def encode_submission(submission: Submission) -> dict[str, Any]:
    """A submission as stored in the command stream."""
    return {
        "id": submission.id,
        "seat": submission.seat,
        "command": plain(submission.command),
        "asked_at": submission.asked_at,
        "expected": submission.expected,
        "credential": submission.credential,
        **spoken(submission),
    }


def spoken(submission: Submission) -> dict[str, Any]:
    """``by``, ``tenure`` and ``via`` of a submission, each only if it differs from the default."""
    unusual: dict[str, Any] = {} if submission.by == "player" else {"by": submission.by}
    if submission.tenure:
        unusual["tenure"] = submission.tenure
    if submission.via:
        unusual["via"] = submission.via
    return unusual


def decode_submission(game: AnyGame, document: Mapping[str, Any]) -> Submission:
    """The submission that `encode_submission` wrote; a sandbox's position becomes a state."""
    submission = undecoded_submission(document)
    command = submission.command
    if command.get("type") != "begin" or command.get("position") is None:
        return submission
    return dataclasses.replace(submission, command={**command, "position": _stored_state(game, command["position"])})


def undecoded_submission(document: Mapping[str, Any]) -> Submission:
    """As `decode_submission`, with the command left undecoded: enough to refuse it."""
    return Submission(
        document["id"],
        Seat(document["seat"]),
        document["command"],
        document["asked_at"],
        document["expected"],
        document["credential"],
        document.get("by", "player"),
        Seq(document.get("tenure", 0)),
        document.get("via", ""),
    )


def encode_body(commit: Commit, seed: bytes | None = None) -> dict[str, Any]:
    """The body of a commit; ``seed`` is given for the commit that ends the game."""
    submission = commit.submission
    command = {name: value for name, value in submission.command.items() if name != "position"}
    body: dict[str, Any] = {
        "submission": {
            "id": submission.id,
            "command": plain(command),
            "expected": submission.expected,
            "asked_at": submission.asked_at,
        },
        "actor": {
            "sender": submission.seat,
            "seat": commit.seat,
            "by": commit.by,
            "credential": submission.credential,
        },
        "drawn": commit.drawn,
    }
    if submission.tenure:
        body["submission"]["tenure"] = submission.tenure
    if submission.via and commit.by in SPEAKERS:
        body["actor"]["via"] = submission.via
    if commit.rolled:
        body["rolled"] = commit.rolled
    if commit.played is not None:
        body["played"] = plain(commit.played)
    if commit.due:
        body["due"] = [list(pair) for pair in commit.due]
    if commit.refusal is not None:
        body["refusal"] = plain(commit.refusal)
    else:
        fields = plain(commit.events)
        body["events"] = [
            {"type": snake_of(type(event)), **each} for event, each in zip(commit.events, fields, strict=True)
        ]
    if seed is not None:
        body["seed"] = seed.hex()
    return body


def decode_commit(game: AnyGame, seq: int, at: int, release: str, body: Mapping[str, Any]) -> Commit:
    """The commit whose body `encode_body` wrote; raises `UnknownEvent` and `BadDocument`."""
    submission, actor = body["submission"], body["actor"]
    refusal = body.get("refusal")
    return Commit(
        Seq(seq),
        at,
        Submission(
            submission["id"],
            Seat(actor["sender"]),
            submission["command"],
            submission["asked_at"],
            submission["expected"],
            actor["credential"],
            speaker(actor["by"]),
            Seq(submission.get("tenure", 0)),
            actor.get("via", ""),
        ),
        actor["by"],
        body["drawn"],
        body.get("rolled", 0),
        tuple(decode_event(game, event) for event in body.get("events", ())),
        None if refusal is None else RuleRefusal(**refusal),
        body.get("played"),
        Seat(actor["seat"]),
        tuple((pair[0], pair[1]) for pair in body.get("due", ())),
        release,
    )


# -- positions --------------------------------------------------------------------------------------------------------


def encode_position(position: Position) -> dict[str, Any]:
    """A position as stored in a snapshot: without its past, and without fields of abilities that its game lacks."""
    document = {field.name: plain(getattr(position, field.name)) for field in dataclasses.fields(position)[:-1]}
    if position.bars is None:
        del document["bars"]
    return document


def pack_position(position: Position) -> bytes:
    return canonical(encode_position(position))


def unpack_position(game: AnyGame, packed: bytes) -> Position:
    return decode_position(game.rules, orjson.loads(packed))


def decode_position(rules: Rules[Any, Any, Any], document: Mapping[str, Any]) -> Position:
    fields = dict(document)
    fields["state"] = None if fields["state"] is None else typed.convert(fields["state"], rules.state, str_keys=True)
    fields["table"] = None if fields["table"] is None else _decode_table(fields["table"])
    fields["asked"] = tuple(typed.convert(asked, OpenQuestion, str_keys=True) for asked in fields["asked"])
    fields["seen"] = tuple(fields["seen"])
    fields["bars"] = typed.convert(fields["bars"], Bars) if "bars" in fields else None
    return Position(**fields).known_from_here()


def _decode_table(document: Mapping[str, Any]) -> Table:
    seated: Table = typed.convert(document, Table, str_keys=True)
    if not seated.memories:
        return seated
    memories = features.decode_memories(seated.memories, lambda each, cls: typed.convert(each, cls, str_keys=True))
    return dataclasses.replace(seated, memories=memories)
