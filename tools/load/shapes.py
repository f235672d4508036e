"""What a load test reads of the service's answers: the shapes that they must have, so that another is told and not stumbled over."""

from __future__ import annotations

from typing import Any

import msgspec


class Newcomer(msgspec.Struct):
    """An account that was made."""

    token: str


class Me(msgspec.Struct):
    """Whose a token is."""

    id: str
    name: str


class NewGame(msgspec.Struct):
    """A game that was made, for whom it is private to."""

    id: str
    invitation: str


class Asked(msgspec.Struct):
    """Somebody who is asked something; no seat: nobody of the table is."""

    kind: str
    seat: int | None = None


class Summary(msgspec.Struct):
    """How a game stands."""

    status: str
    pending_questions: list[Asked]


class Choices(msgspec.Struct):
    """The Options of a seat, as `domain.options.as_json` writes each; the first ``answers`` answer what is asked."""

    options: list[dict[str, Any]]
    answers: int


class Problem(msgspec.Struct):
    """Why not; ``type`` tells whether the rules said so, and ``id`` is the command's then."""

    type: str = ""
    code: str = "refused"
    id: str = ""


class Outcome(msgspec.Struct):
    """How a command stands: pending, settled or refused, and with which commit."""

    id: str
    status: str
    seq: int | None = None
    refusal: Problem | None = None


class Entry(msgspec.Struct):
    """A commit of a history; ``command`` is there for those that are the reader's own."""

    command: str | None = None


class History(msgspec.Struct):
    """A page of a history."""

    events: list[Entry]
    after: int
    more: bool
