"""Decodes the body of a commit straight from its bytes, with a decoder that is built once for each game.

`service.store.codec.decode_commit` defines what a body may be, and its errors. This is the fast path for well-formed
bodies: in one pass each event becomes a record with the fields of its class, unknown ones forbidden, and the record
becomes the event. Any other body goes to `decode_commit`, which reports the error.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Literal, Union

import msgspec
import orjson
from msgspec.structs import astuple

from domain.kernel import lifecycle
from domain.kernel.game import AnyGame
from domain.kernel.record import NO_COMMIT, Commit, RuleRefusal, Submission, speaker
from domain.kernel.shape import hints
from domain.kernel.terms import QuestionId, Seat, Seq
from domain.table import features
from service.store import typed
from service.store.codec import checked_event, decode_commit, prepare_types


def read_commit(game: AnyGame, seq: int, at: int, release: str, body: bytes) -> Commit:
    """The commit with this body; raises as `service.store.codec.decode_commit` does, and `ValueError` for invalid JSON."""
    return read_well_formed(game, seq, at, release, body) or decode_commit(game, seq, at, release, orjson.loads(body))


def read_well_formed(game: AnyGame, seq: int, at: int, release: str, body: bytes) -> Commit | None:
    """The commit if all values of the body have the right types; None for any other body."""
    reader = _reader_of(game)
    try:
        read = reader.decoder.decode(body)
    except msgspec.MsgspecError:
        return None
    submission, actor = read.submission, read.actor
    return Commit(
        Seq(seq),
        at,
        Submission(
            submission.id,
            actor.sender,
            submission.command,
            submission.asked_at,
            submission.expected,
            actor.credential,
            speaker(actor.by),
            submission.tenure,
            actor.via,
        ),
        actor.by,
        read.drawn,
        read.rolled,
        tuple([reader.makers[type(event)](*astuple(event)) for event in read.events]),
        None if read.refusal is None else RuleRefusal(*astuple(read.refusal)),
        read.played,
        actor.seat,
        read.due,
        release,
    )


class _Submission(msgspec.Struct):
    id: str
    command: dict[str, Any]
    expected: Seq | None
    asked_at: int
    tenure: Seq = NO_COMMIT


class _Actor(msgspec.Struct):
    sender: Seat
    seat: Seat
    by: Literal["player", "sitter", "plan", "bot", "policy", "system"]
    credential: str | None
    via: str = ""


class _Refusal(msgspec.Struct, forbid_unknown_fields=True):
    code: str
    message: str
    rule: str | None = None
    field: str | None = None
    facts: dict[str, Any] = msgspec.field(default_factory=dict)


class _Body(msgspec.Struct):
    """The fields common to every game's bodies; each game adds ``events``."""

    submission: _Submission
    actor: _Actor
    drawn: int
    rolled: int = 0
    played: dict[str, Any] | None = None
    due: tuple[tuple[QuestionId, int], ...] = ()
    refusal: _Refusal | None = None


class _Reader:
    def __init__(self, game: AnyGame) -> None:
        self.events = game.rules.events
        named = {**game.rules.events, **features.EVENTS}
        self.makers = {_record(name, event): _maker(game, event) for name, event in named.items()}
        events: Any = Union[tuple(self.makers)]  # noqa: UP007 - which they are is known only now
        body = msgspec.defstruct("Body", [("events", tuple[events, ...], ())], bases=(_Body,))
        self.decoder: msgspec.json.Decoder[Any] = typed.decoder(body)


_made = lru_cache(maxsize=64)(_Reader)


def _reader_of(game: AnyGame) -> _Reader:
    """The cached reader of a game; building one takes some milliseconds."""
    reader = _made(game)
    if reader.events is not game.rules.events and reader.events != game.rules.events:
        _made.cache_clear()
        return _made(game)
    return reader


def prepare(games: Iterable[AnyGame]) -> None:
    """Build the readers of these games and of their states when a process starts, so that no first request waits."""
    for game in games:
        _reader_of(game)
        prepare_types(game)


def _record(name: str, event: type[Any]) -> type[msgspec.Struct]:
    """A record with the fields of an event's class and its type name as the tag; a position is left as JSON."""
    kinds = {"position": Any} if event is lifecycle.PositionSet else hints(event)
    fields = [(field.name, kinds[field.name], _default(field)) for field in dataclasses.fields(event)]
    return msgspec.defstruct(name, fields, tag_field="type", tag=name, forbid_unknown_fields=True, kw_only=True)


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return msgspec.field(default_factory=field.default_factory)
    return msgspec.NODEFAULT


def _maker(game: AnyGame, event: type[Any]) -> Callable[..., Any]:
    fields = dataclasses.fields(event)
    if event in (lifecycle.PositionSet, lifecycle.GameBegun):
        return lambda *values: checked_event(game, event(*values))
    if any(field.kw_only for field in fields):
        return lambda *values: event(**{field.name: value for field, value in zip(fields, values, strict=True)})
    return event
