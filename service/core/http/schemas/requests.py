"""Schemas of request bodies, except commands."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from types import MappingProxyType
from typing import Any, ClassVar

import orjson
from flask import g, request
from marshmallow import RAISE, Schema, ValidationError, fields, validates

from domain.registry import GAMES
from service.core.accounts.names import MAX_NAME_LENGTH
from service.core.accounts.scopes import SCOPES
from service.core.http.problems import MAX_ERRORS, Problem, invalid_fields
from service.core.http.schemas.fields import (
    BooleanField,
    EnumField,
    IntegerField,
    ListField,
    OptionValueField,
    OptionValuesField,
    StringField,
    example,
)
from service.core.pace.calendar import A_DURATION, A_TIME
from service.core.pace.working import A_DATE, WEEK

LARGEST_BODY = 64 * 1024
BYTES_PER_SECOND = 8 * 1024 * 1024
"""Bytes of a body that are charged as a second of work."""
LONGEST_NAMED = 200
"""Characters of an unknown field's name that an error repeats."""
ENTROPY = r"^[0-9a-f]{0,128}$"
MAX_TITLE, MAX_TAGS = 60, 8
HEX = "Must be at most 128 hex digits, 0 to 9 and a to f."


class Request(Schema):
    """The body of a request: an unknown field is an error."""

    error_messages = {"type": "Must be a JSON object.", "unknown": "Unknown field."}  # noqa: RUF012 - marshmallow declares it for instances

    class Meta:
        """For marshmallow."""

        unknown = RAISE

    example: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Validate a document. If it has too many fields, only unknown ones are reported and no value is checked."""
        if isinstance(data, Mapping) and len(data) > len(self.load_fields):
            known = {field.data_key or name for name, field in self.load_fields.items()}
            unknown = islice((name for name in data if name not in known), MAX_ERRORS)
            raise ValidationError({name: [self.error_messages["unknown"]] for name in unknown})
        return super().load(data, **kwargs)


class SignInRequest(Request):
    session = BooleanField(
        load_default=lambda: False,
        metadata={"description": "For browsers: start a session (`POST /v1/session`) instead of a token."},
    )


@example({"name": "Ash"})
class PlayerRequest(SignInRequest):
    name = StringField(MAX_NAME_LENGTH, 1, required=True, metadata={"description": "The name that other players see."})
    code = StringField(200, metadata={"description": "The registration code, if the service requires one."})


@example({"name": "Ash the Elder"})
class RenameAccountRequest(Request):
    name = StringField(MAX_NAME_LENGTH, 1, required=True)


@example({"name": "Ash"})
class EraseAccountRequest(Request):
    name = StringField(
        MAX_NAME_LENGTH, 1, required=True, metadata={"description": "The name of the account, as confirmation."}
    )


@example({"label": "my bot", "scopes": ["read"]})
class TokenRequest(Request):
    label = StringField(80, load_default=str, metadata={"description": "Describes the purpose of the token."})
    scopes = ListField(
        EnumField(*SCOPES),
        len(SCOPES),
        1,
        required=True,
        metadata={
            "description": "At most the scopes of your own token. `read`, `play` and `account` stand for several scopes: see "
            "the introduction."
        },
    )
    game = StringField(
        64,
        1,
        metadata={
            "description": "The only game that the token is valid for. All games if omitted.",
            "example": "gq3v1xk7rtz2m5ab",
        },
    )
    expires_in = IntegerField(
        60,
        10 * 365 * 24 * 3600,
        metadata={"description": "Seconds until the token expires. It never expires if omitted.", "example": 2_592_000},
    )


@example({"game": "gq3v1xk7rtz2m5ab"})
class TicketRequest(Request):
    game = StringField(
        64, 1, required=True, metadata={"description": "The id of the only game that the ticket can read."}
    )


@example({"mode": "per_question", "hours": 24})
class Pace(Request):
    mode = EnumField(
        "free",
        "per_question",
        "calendar",
        required=True,
        metadata={
            "description": "`free` has no deadlines. `per_question` needs `hours`, `calendar` needs `day`, `at` and "
            "`zone`. `calendar` is available only for kinds of games that have days."
        },
    )
    hours = IntegerField(
        1, 24 * 365, metadata={"description": "For `per_question`: time to answer each question, in hours."}
    )
    bank_hours = IntegerField(
        1,
        24 * 365,
        metadata={
            "description": "For `per_question`: reserve time of each seat in hours, used when the time for a question is "
            "over.",
            "example": 48,
        },
    )
    increment_hours = IntegerField(
        0,
        24 * 365,
        metadata={
            "description": "With `bank_hours`: hours that an answer adds to the reserve, up to `bank_hours`.",
            "example": 4,
        },
    )
    day = StringField(
        20,
        2,
        error=A_DURATION,
        metadata={
            "description": "For `calendar`: length of a day of the game, an ISO 8601 duration in whole units from PT1M to "
            "P31D. With a multiple of 24 hours, days end at the same local time even when daylight saving "
            "time begins or ends.",
            "example": "PT24H",
        },
    )
    at = StringField(
        5,
        5,
        error=A_TIME,
        metadata={"description": "For `calendar`: local time at which days end, HH:MM.", "example": "18:00"},
    )
    zone = StringField(
        64,
        1,
        metadata={
            "description": "Time zone of `at`, `weekends` and `holidays`: a name of the IANA time zone database. Required "
            "for `calendar`, and for `per_question` with weekends or holidays.",
            "example": "Europe/Sofia",
        },
    )
    weekends = ListField(
        EnumField(*WEEK),
        6,
        metadata={
            "description": "For `per_question` and `calendar`: days of the week on which all clocks stop. They do not "
            "count as hours or as parts of a day, and no day of the game ends on them.",
            "example": ["saturday", "sunday"],
        },
    )
    holidays = ListField(
        StringField(10, 10, error=A_DATE),
        366,
        metadata={
            "description": "Dates on which all clocks stop, as for `weekends`.",
            "example": ["2026-12-24", "2026-12-25"],
        },
    )


@example({"dice": [5, 4, 1]})
class Sandbox(Request):
    position = fields.Raw(
        metadata={
            "description": "The state to start from, as `getPosition` returns it. The kind of game has its schema."
        }
    )
    dice = ListField(
        IntegerField(1, 1000),
        1000,
        metadata={"description": "The die rolls, in order. A command that needs more rolls is refused."},
    )


TITLE = "The name of the game, which everyone who can see the game reads. Default: two words that follow from its id."
TAGS = f"At most {MAX_TAGS} different tags, such as `beginners`. Lists can be filtered by a tag."
TAG = r"^[a-z0-9-]{1,24}$"


class TagField(StringField):
    """A tag of a game."""

    def __init__(self) -> None:
        super().__init__(
            24, 1, pattern=TAG, error="Must be 1 to 24 characters: lowercase letters a to z, digits and hyphens."
        )


@example({"kind": "battalia", "seats": 2, "options": {}, "pace": {"mode": "free"}, "visibility": "public"})
class GameRequest(Request):
    kind = StringField(40, 1, required=True)
    seats = IntegerField(1, 64, required=True, metadata={"description": "Number of seats. You take seat 1."})
    ruleset = StringField(
        80, 1, metadata={"description": "One of the rulesets of the kind of game. Default: the first one."}
    )
    options = OptionValuesField(
        keys=StringField(80),
        values=OptionValueField(),
        load_default=dict,
        error_messages={"invalid": "Must be a JSON object with a value for each option name."},
        metadata={"description": "Options of the game. The kind of game lists them."},
    )
    modules = ListField(StringField(80), 50, load_default=list)
    pace = fields.Nested(Pace)
    table = OptionValuesField(
        keys=StringField(80),
        values=OptionValueField(),
        load_default=dict,
        error_messages={"invalid": "Must be a JSON object with a value for each setting name."},
        metadata={
            "description": "Settings that every game shares, such as votes and undo. The kind of game lists them in `table`."
        },
    )
    visibility = EnumField(
        "public",
        "unlisted",
        "private",
        load_default=lambda: "public",
        metadata={
            "description": "`public` (the default): listed, and anyone can join. `unlisted`: readable by anyone who knows "
            "the id. `private`: visible only to its players.",
        },
    )
    auto_start = BooleanField(
        load_default=lambda: False,
        metadata={"description": "Start the game when its last seat is taken. Default: the creator starts it."},
    )
    entropy = StringField(
        128,
        pattern=ENTROPY,
        error=HEX,
        load_default=str,
        metadata={"description": "Your seat's contribution to the dice, in hex."},
    )
    title = StringField(MAX_TITLE, 1, metadata={"description": TITLE})
    tags = ListField(TagField(), MAX_TAGS, load_default=list, metadata={"description": TAGS})
    sandbox = fields.Nested(
        Sandbox, metadata={"description": "Makes the game a sandbox for trying things out. Its log proves nothing."}
    )

    @validates("kind")
    def _offered(self, kind: str, **_: Any) -> None:
        if kind not in GAMES:
            raise ValidationError(f"Unknown kind of game. Available: {', '.join(GAMES)}.")


@example({"title": "Friday evening", "tags": ["beginners"]})
class GameTitleRequest(Request):
    title = StringField(
        MAX_TITLE,
        1,
        allow_none=True,
        metadata={"description": f"{TITLE} Null restores the default. Omitted: no change."},
    )
    tags = ListField(TagField(), MAX_TAGS, metadata={"description": f"{TAGS} Omitted: no change."})


@example({"invitation": "3q5vxk7r1tz2m5abd0cefghjkm", "entropy": "5eed"})
class TakeSeatRequest(Request):
    invitation = StringField(200, metadata={"description": "Required unless the game is public."})
    entropy = StringField(
        128, pattern=ENTROPY, error=HEX, metadata={"description": "Your contribution to the dice, in hex."}
    )
    seat = IntegerField(1, 64, metadata={"description": "Number of the seat. Default: the first free seat."})
    bot = StringField(
        40, 1, metadata={"description": "For the creator: the name of a bot to seat instead of yourself."}
    )


@example({"entropy": "5eed"})
class EntropyRequest(Request):
    entropy = StringField(
        128,
        pattern=ENTROPY,
        error=HEX,
        required=True,
        metadata={"description": "Hex digits that replace the previous value."},
    )


class EmptyRequest(Request):
    """No body, or an empty object."""


# -- reading bodies ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _form(schema: type[Request]) -> Request:
    return schema()


def read_body(schema: type[Request]) -> dict[str, Any]:
    """The body of this request, validated. Raises the problems of one that is not JSON or is invalid."""
    return loaded(schema, body_object())


def loaded(schema: type[Request], document: Mapping[str, Any]) -> dict[str, Any]:
    """A validated document. Raises the problem of an invalid one."""
    with _charged():
        try:
            made: dict[str, Any] = _form(schema).load(document)
        except ValidationError as error:
            raise invalid_fields(list(islice(_faults(error.messages, ""), MAX_ERRORS))) from error
        return made


@contextmanager
def _charged() -> Iterator[None]:
    """Charge the CPU time to the caller. The block never waits, so the time is the request's own."""
    began = time.thread_time()
    try:
        yield
    finally:
        g.work = g.get("work", 0.0) + time.thread_time() - began


def request_body() -> bytes:
    """The body of this request. Raises the problems of one that is too large or compressed."""
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise Problem("unsupported-encoding", headers={"Accept-Encoding": "identity"})
    data = request.get_data()
    if "work" not in g:
        g.work = len(data) / BYTES_PER_SECOND
    # A chunked body is read up to the limit only, and nothing reports that there was more.
    if request.content_length is None and len(data) >= LARGEST_BODY and request.environ["wsgi.input"].read(1):
        raise Problem("too-large")
    return data


def body_object() -> dict[str, Any]:
    """The JSON object in the body of this request, parsed once. Raises as `request_body` and `json_object` do."""
    if "document" not in g:
        g.document = json_object(request_body())
    document: dict[str, Any] = g.document
    return document


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object in a body. A missing body and null are an empty object: some generated clients send null."""
    with _charged():
        try:
            document = orjson.loads(body or b"null")
        except orjson.JSONDecodeError as error:
            raise Problem("malformed-json", f"The body is not valid JSON: {error}.") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise invalid_fields([("", "The body must be a JSON object.")])
    return document


def _faults(messages: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(messages, dict):
        for name, below in messages.items():
            yield from _faults(below, _below(pointer, name))
    else:
        yield pointer, " ".join(dict.fromkeys(map(str, messages)))


def _below(pointer: str, name: object) -> str:
    if name == "_schema":
        return pointer
    if name in ("key", "value") and pointer.startswith(
        ("/options/", "/table/")
    ):  # marshmallow's own names within a Dict
        return pointer
    return f"{pointer}/{str(name)[:LONGEST_NAMED].replace('~', '~0').replace('/', '~1')}"
