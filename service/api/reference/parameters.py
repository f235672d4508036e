"""The query parameters and headers of the API, each described once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.api.http.answers import LONGEST_WAIT


def _query(schema: Mapping[str, Any], about: str) -> dict[str, Any]:
    return {"in": "query", "schema": dict(schema), "description": about}


def _header(about: str, pattern: str | None = None) -> dict[str, Any]:
    schema = {"type": "string", **({"pattern": pattern} if pattern else {})}
    return {"in": "header", "schema": schema, "description": about}


_SEQ = {"type": "integer", "minimum": 0}

PARAMETERS: Mapping[str, dict[str, Any]] = {
    "seat": _query({"type": "integer", "minimum": 1}, "Which of your seats (in a sandbox you may have several)."),
    "at": _query({"type": "string"}, "The number of a commit, or an instant such as `2030-01-31T18:00:00Z`."),
    "with": _query({"type": "string", "enum": ["plan"]}, "What your seat needs to plan its turn, besides."),
    "only": _query({"type": "string", "enum": ["asked"]}, "Only what answers the question that the seat is asked."),
    "width": _query({"type": "integer", "minimum": 100, "maximum": 2000, "default": 800}, "How wide, in pixels."),
    "scheme": _query(
        {"type": "string", "enum": ["auto", "light", "dark"]},
        "In which colours: as the reader's device prefers (`auto`, what an SVG is without it), or always light or dark. "
        "A PNG is light unless it is asked for in dark.",
    ),
    "dry_run": _query({"type": "boolean"}, "Only try the command."),
    "kind": _query({"type": "string"}, "Only games of this kind."),
    "status": _query({"type": "string", "enum": ["lobby", "running", "over"]}, "Only games that stand so."),
    "mine": _query({"type": "boolean"}, "Your own games."),
    "cursor": _query({"type": "string"}, "Where the page before ended; follow the `Link` instead of making one up."),
    "limit": _query({"type": "integer", "minimum": 1}, "How many at most."),
    "after": _query(_SEQ, "Begin after this commit."),
    "since": _query({"type": "string", "enum": ["my-last-turn"]}, "Begin after your own last command."),
    "digest": _query({"type": "string", "enum": ["turn"]}, "A paragraph for each turn or day instead of each commit."),
    "ticket": _query({"type": "string"}, "Of `POST /v1/me/tickets`, in place of a token."),
    "last_event_id": _query(_SEQ, "As Last-Event-ID, for a stream's first request."),
    "Last-Event-ID": _header("The id of the last message that was read."),
    "Game-Head": _header(
        "A head that you kept of the game: 409 `log-went-back` if it does not stand in its log (any more)."
    ),
    "If-Match": _header('The ETag of your view (`"41"`): if there is news since, nothing is done (412).'),
    "If-None-Match": _header("The ETag that you have: 304 if it still holds."),
    "Idempotency-Key": _header(
        "One effect, however often it is sent: for a command as long as its game is kept, for all else within the hour."
    ),
    "Prefer": _header(f"`wait=10`: answer when it is settled, within so many seconds (at most {LONGEST_WAIT})."),
}
