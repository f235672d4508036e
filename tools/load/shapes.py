"""The parts of the service's responses that a load test reads, with validation."""

from __future__ import annotations

from typing import Any

import msgspec


class Newcomer(msgspec.Struct):
    """A new account."""

    token: str


class Me(msgspec.Struct):
    """The account of a token."""

    id: str
    name: str


class NewGame(msgspec.Struct):
    """A new game, as its private creator sees it."""

    id: str
    invitation: str


class Asked(msgspec.Struct):
    """A pending question; without a seat it is for no one at the table."""

    kind: str
    seat: int | None = None


class Summary(msgspec.Struct):
    status: str
    pending_questions: list[Asked]


class Choices(msgspec.Struct):
    """The Options of a seat, as `domain.kernel.options.as_json` writes each; the first ``answers`` answer the pending question."""

    options: list[dict[str, Any]]
    answers: int


class Problem(msgspec.Struct):
    """A problem; ``type`` shows whether it is a refusal by the rules, and then ``id`` is the command's."""

    type: str = ""
    code: str = "refused"
    id: str = ""


class Outcome(msgspec.Struct):
    """The state of a command: pending, settled or refused, and its commit."""

    id: str
    status: str
    seq: int | None = None
    refusal: Problem | None = None


class Entry(msgspec.Struct):
    """A commit of a history; ``command`` is set only for the reader's own."""

    command: str | None = None


class History(msgspec.Struct):
    events: list[Entry]
    after: int
    more: bool
