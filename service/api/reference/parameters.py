"""The query parameters, request headers and response headers of the API, each described once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from service.api.http.answers import HEAD, LONGEST_WAIT

GAMES, MOST_GAMES = 50, 200
"""Games on a page: default and maximum."""

ENTRIES, MOST_ENTRIES = 100, 1000
"""Entries of a history on a page: default and maximum."""

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
    "seat": _query({"type": "integer", "minimum": 1}, "The number of your seat. In a sandbox you can have several."),
    "vacant": {
        **_query({"type": "string", "enum": ["vacant"]}, "Only running games with a vacant seat."),
        "name": "seat",
    },
    "at": _query({"type": "string"}, "The number of a commit, or an instant such as `2030-01-31T18:00:00Z`."),
    "with": _query({"type": "string", "enum": ["plan"]}, "Adds data for planning the turn of your seat."),
    "words": {
        **_query({"type": "string", "enum": ["words"]}, "Adds names of the choices, and the pending question as text."),
        "name": "with",
    },
    "only": _query({"type": "string", "enum": ["asked"]}, "Only options that answer the pending question of the seat."),
    "width": _query({"type": "integer", "minimum": 100, "maximum": 2000}, "Width in pixels. Default 800."),
    "scheme": _query(
        {"type": "string", "enum": ["auto", "light", "dark"]},
        "Color scheme: `light`, `dark`, or `auto`, which follows the reader's device and is the default for "
        "SVG. A PNG is light unless you select `dark`.",
    ),
    "level": _query({"type": "integer", "minimum": 1, "maximum": 3}, "Depth of the analysis. Default 1."),
    "dry_run": _query({"type": "boolean"}, "Checks the command without playing it."),
    "kind": _query({"type": "string"}, "Only games of this kind."),
    "status": _query({"type": "string", "enum": ["lobby", "running", "over"]}, "Only games with this status."),
    "mine": _query({"type": "boolean"}, "Only your own games."),
    "cursor": _query(
        {"type": "string"}, "Position of the next page. Follow the `Link` header instead of building this value."
    ),
    "limit": _query(
        {"type": "integer", "minimum": 1, "maximum": MOST_GAMES}, f"Maximum number of games. Default {GAMES}."
    ),
    "entries": {
        **_query(
            {"type": "integer", "minimum": 1, "maximum": MOST_ENTRIES},
            f"Maximum number of entries. Default {ENTRIES} for a page. `application/x-ndjson` has no pages; "
            "it returns all entries by default and accepts higher limits.",
        ),
        "name": "limit",
    },
    "after": _query(_SEQ, "Start after this commit."),
    "before": _query({"type": "integer", "minimum": 1}, "Only entries that begin before this commit."),
    "who": _query(
        {"type": "string", "pattern": "^([1-9][0-9]{0,2}|system)$"},
        "Only actions of this seat, or of the game itself (`system`).",
    ),
    "type": _query(
        {"type": "string", "maxLength": 80},
        "Only entries with a line of this type, one of the `events` of the kind of game, or `refused` for "
        "your own refused commands.",
    ),
    "as": _query({"type": "string", "enum": ["events", "tasks"]}, "Format of the deadlines. Default `events`."),
    "state": _query({"type": "string", "enum": ["dead"]}, "Only events that were given up."),
    "since": _query({"type": "string", "enum": ["my-last-turn"]}, "Start after your own last command."),
    "digest": _query(
        {"type": "string", "enum": ["turn"]}, "Return one paragraph per turn or day instead of one entry per commit."
    ),
    "checkpoint": _query(
        {"type": "integer", "format": "int64", "minimum": 1, "maximum": FURTHEST},
        "The number of heads in a checkpoint that you saved. The proof in the file then also covers that checkpoint.",
    ),
    "ticket": _query({"type": "string"}, "A ticket from `POST /v1/me/tickets`, instead of a token."),
    "last_event_id": _query(_SEQ, "Same as Last-Event-ID, for the first request of a stream."),
    "Last-Event-ID": _header("The id of the last message that was received."),
    "Game-Head": _header(
        "A head of the game that you saved. The response is 409 `log-diverged` if the game's log does not contain it.",
        _HEAD,
    ),
    "If-Match": _header(
        'The ETag of your view (`"41"`). If the game has changed since, nothing is done (412). `41` and '
        '`W/"41"` are also accepted.'
    ),
    "Plan-If-Match": {
        **_header("The ETag of the stored plan. If the plan has changed or is gone, nothing is done (412)."),
        "name": "If-Match",
    },
    "Plan-If-None-Match": {
        **_header("`*`: only if no plan is stored (412 otherwise)."),
        "name": "If-None-Match",
    },
    "If-None-Match": _header("The ETag of your copy. The response is 304 if it is still current."),
    "Idempotency-Key": _header(
        "Makes a request safe to repeat: it takes effect once. For commands, the key is kept as long as the "
        "game; for everything else, for one hour."
    ),
    "Prefer": _header(
        f"`wait=10`: wait until the result is available, up to the given seconds (at most {LONGEST_WAIT})."
    ),
}
"""By the name of the component, which is also the parameter's name unless it has a ``name``."""


def queried(components: Collection[str]) -> list[str]:
    """The names of the query parameters among these components."""
    return [PARAMETERS[each].get("name", each) for each in components if PARAMETERS[each]["in"] == "query"]


# -- what is sent -----------------------------------------------------------------------------------------------------


def _sent(about: str, pattern: str | None = None, **schema: Any) -> dict[str, Any]:
    schema = {"type": "string", **schema, **({"pattern": pattern} if pattern else {})}
    return {"schema": schema, "description": about}


HEADERS: Mapping[str, dict[str, Any]] = {
    HEAD: _sent(
        "The newest commit of the game: its seq, and the SHA-256 of its header in hex. Empty before the start.", _HEAD
    ),
    "ETag": _sent("Version of the response for If-None-Match; for a view also for If-Match."),
    "Link": _sent('URL of the next page, if there is one (`rel="next"`).'),
    "Location": _sent("URL of the created resource, or of the result."),
    "Content-Location": _sent("Permanent URL of this version."),
    "Content-Disposition": _sent("Name of the file."),
    "Preference-Applied": _sent("The wait in seconds that was applied, if any: `wait=10`."),
    "RateLimit": _sent("Remaining requests, and seconds until the limit resets. Omitted if there is no limit."),
    "X-Request-Id": _sent("Id of the request: yours if you sent one, otherwise generated. The server log contains it."),
    "RateLimit-Policy": _sent("The rate limit: number of requests and period in seconds."),
    "Retry-After": _sent("Seconds to wait before the next attempt.", type="integer"),
    "WWW-Authenticate": _sent("The required authentication."),
}
"""By their names."""

ALWAYS = ("RateLimit", "RateLimit-Policy", "X-Request-Id")
"""The headers that any response may have."""
