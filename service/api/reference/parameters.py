"""The query parameters and headers that the API reads, and the headers that it sends, each described once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from service.api.http.answers import HEAD, LONGEST_WAIT

GAMES, MOST_GAMES = 50, 200
"""Games on a page: if nothing is said, and at most."""

ENTRIES, MOST_ENTRIES = 100, 1000
"""Entries of a history on a page: if nothing is said, and at most."""

FURTHEST = 10**15 - 1
"""A seq beyond that of any commit."""


def _query(schema: Mapping[str, Any], about: str) -> dict[str, Any]:
    return {"in": "query", "schema": dict(schema), "description": about}


def _header(about: str, pattern: str | None = None) -> dict[str, Any]:
    schema = {"type": "string", **({"pattern": pattern} if pattern else {})}
    return {"in": "header", "schema": schema, "description": about}


_HEAD = r"^[0-9]+( [0-9a-f]{64})?$"
_SEQ = {"type": "integer", "minimum": 0}

PARAMETERS: Mapping[str, dict[str, Any]] = {
    "seat": _query({"type": "integer", "minimum": 1}, "Which of your seats (in a sandbox you may have several)."),
    "vacant": {
        **_query({"type": "string", "enum": ["vacant"]}, "Only running games that have a seat on offer."),
        "name": "seat",
    },
    "at": _query({"type": "string"}, "The number of a commit, or an instant such as `2030-01-31T18:00:00Z`."),
    "with": _query({"type": "string", "enum": ["plan"]}, "What your seat needs to plan its turn, besides."),
    "words": {
        **_query({"type": "string", "enum": ["words"]}, "What the choices are called, and what is asked, besides."),
        "name": "with",
    },
    "only": _query({"type": "string", "enum": ["asked"]}, "Only what answers the question that the seat is asked."),
    "width": _query(
        {"type": "integer", "minimum": 100, "maximum": 2000}, "How wide, in pixels; 800 if nothing is said."
    ),
    "scheme": _query(
        {"type": "string", "enum": ["auto", "light", "dark"]},
        "In which colours: as the reader's device prefers (`auto`, what an SVG is without it), or always light or dark. "
        "A PNG is light unless it is asked for in dark.",
    ),
    "level": _query({"type": "integer", "minimum": 1, "maximum": 3}, "How deep the analysis is; 1 if nothing is said."),
    "dry_run": _query({"type": "boolean"}, "Only try the command."),
    "kind": _query({"type": "string"}, "Only games of this kind."),
    "status": _query({"type": "string", "enum": ["lobby", "running", "over"]}, "Only games that stand so."),
    "mine": _query({"type": "boolean"}, "Your own games."),
    "cursor": _query({"type": "string"}, "Where the page before ended; follow the `Link` instead of making one up."),
    "limit": _query(
        {"type": "integer", "minimum": 1, "maximum": MOST_GAMES}, f"How many at most; {GAMES} if nothing is said."
    ),
    "entries": {
        **_query(
            {"type": "integer", "minimum": 1, "maximum": MOST_ENTRIES},
            f"How many at most: of a page {ENTRIES} if nothing is said. Of `application/x-ndjson`, which has no pages, all of "
            "them, and more may be asked for.",
        ),
        "name": "limit",
    },
    "after": _query(_SEQ, "Begin after this commit."),
    "before": _query({"type": "integer", "minimum": 1}, "Only what begins before this commit."),
    "who": _query(
        {"type": "string", "pattern": "^([1-9][0-9]{0,2}|system)$"},
        "Only what this seat did, or the game itself (`system`).",
    ),
    "type": _query(
        {"type": "string", "maxLength": 80},
        "Only what has a line of this type, as the kind of game lists them under `events`; `refused`: your own refused commands.",
    ),
    "as": _query(
        {"type": "string", "enum": ["events", "tasks"]}, "As what deadlines stand in it; events if nothing is said."
    ),
    "state": _query({"type": "string", "enum": ["dead"]}, "Only words that were given up."),
    "since": _query({"type": "string", "enum": ["my-last-turn"]}, "Begin after your own last command."),
    "digest": _query({"type": "string", "enum": ["turn"]}, "A paragraph for each turn or day instead of each commit."),
    "checkpoint": _query(
        {"type": "integer", "format": "int64", "minimum": 1, "maximum": FURTHEST},
        "How many heads the log had by a checkpoint that you kept: the file's proof then reaches that one as well.",
    ),
    "ticket": _query({"type": "string"}, "Of `POST /v1/me/tickets`, in place of a token."),
    "last_event_id": _query(_SEQ, "As Last-Event-ID, for a stream's first request."),
    "Last-Event-ID": _header("The id of the last message that was read."),
    "Game-Head": _header(
        "A head that you kept of the game: 409 `log-went-back` if it does not stand in its log (any more).",
        _HEAD,
    ),
    "If-Match": _header(
        'The ETag of your view (`"41"`): if the game has changed since, nothing is done (412). `41` and `W/"41"` count as well.'
    ),
    "Plan-If-Match": {
        **_header("The ETag of the plan that you have seen: nothing is done if another one lies there, or none (412)."),
        "name": "If-Match",
    },
    "Plan-If-None-Match": {
        **_header("`*`: only where no plan lies there yet (412)."),
        "name": "If-None-Match",
    },
    "If-None-Match": _header("The ETag that you have: 304 if it still holds."),
    "Idempotency-Key": _header(
        "One effect, however often it is sent: for a command as long as its game is kept, for all else within the hour."
    ),
    "Prefer": _header(f"`wait=10`: answer when it is settled, within so many seconds (at most {LONGEST_WAIT})."),
}
"""By the name of the component; that is the parameter's own name, unless it has a ``name``."""


def queried(components: Collection[str]) -> list[str]:
    """The names of the query parameters among these components."""
    return [PARAMETERS[each].get("name", each) for each in components if PARAMETERS[each]["in"] == "query"]


# -- what is sent -----------------------------------------------------------------------------------------------------


def _sent(about: str, pattern: str | None = None, **schema: Any) -> dict[str, Any]:
    schema = {"type": "string", **schema, **({"pattern": pattern} if pattern else {})}
    return {"schema": schema, "description": about}


HEADERS: Mapping[str, dict[str, Any]] = {
    HEAD: _sent(
        "The game's newest commit: its seq, and the SHA-256 of its header, hex; empty before the start.", _HEAD
    ),
    "ETag": _sent("For If-None-Match, and of a view for If-Match."),
    "Link": _sent('The next page, if there is one (`rel="next"`).'),
    "Location": _sent("Where what was made stands, or will stand."),
    "Content-Location": _sent("Where the same stands for ever."),
    "Content-Disposition": _sent("The file's name."),
    "Preference-Applied": _sent("For how many seconds the answer was waited for, if it was: `wait=10`."),
    "RateLimit": _sent(
        "What is left of the limit, and the seconds until it is whole again; not sent where there is none."
    ),
    "X-Request-Id": _sent(
        "The name of the request: yours, if you sent one, and otherwise made; the server's log has it."
    ),
    "RateLimit-Policy": _sent("The limit: how many requests in how many seconds."),
    "Retry-After": _sent("Seconds after which to try again.", type="integer"),
    "WWW-Authenticate": _sent("What is needed to be let in."),
}
"""By their names."""

ALWAYS = ("RateLimit", "RateLimit-Policy", "X-Request-Id")
"""The headers that any answer may have."""
