"""The query parameters, request headers and response headers of the API, each described once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from service.core.http.responses import GAME_HEAD, MAX_WAIT_SECONDS

GAMES, MOST_GAMES = 50, 200
"""Games on a page: default and maximum."""

ENTRIES, MOST_ENTRIES = 100, 1000
"""Entries of a history on a page: default and maximum."""

FURTHEST = 10**15 - 1
"""A seq beyond that of any commit."""

EXAMPLE_HASH = "9f2c6a7d14b85e03c1f7a2d6b8e90435f1c2d3e4a5b697887960514233241506"


def _query(schema: Mapping[str, Any], about: str, example: Any) -> dict[str, Any]:
    return {"in": "query", "schema": dict(schema), "description": about, "example": example}


def _header(about: str, example: str, pattern: str | None = None) -> dict[str, Any]:
    schema = {"type": "string", **({"pattern": pattern} if pattern else {})}
    return {"in": "header", "schema": schema, "description": about, "example": example}


def _path(about: str, example: Any, **schema: Any) -> dict[str, Any]:
    return {"in": "path", "schema": {"type": "string", **schema}, "description": about, "example": example}


_HEAD = r"^[0-9]+( [0-9a-f]{64})?$"
_SEQ = {"type": "integer", "minimum": 0}
_PERCENT, _RATING = ({"type": "integer", "minimum": 0, "maximum": most} for most in (100, 1000))

PATH = "path."
"""Prefix of the components that are parameters in a path."""

PARAMETERS: Mapping[str, dict[str, Any]] = {
    "seat": _query({"type": "integer", "minimum": 1}, "The number of your seat. In a sandbox you can have several.", 1),
    "vacant": {
        **_query({"type": "string", "enum": ["vacant"]}, "Only running games with a vacant seat.", "vacant"),
        "name": "seat",
    },
    "at": _query({"type": "string"}, "The number of a commit, or an instant such as `2030-01-31T18:00:00Z`.", "40"),
    "with": _query({"type": "string", "enum": ["plan"]}, "Adds data for planning the turn of your seat.", "plan"),
    "labels": {
        **_query(
            {"type": "string", "enum": ["labels"]},
            "Adds names of the choices, and the pending question as text.",
            "labels",
        ),
        "name": "with",
    },
    "only": _query(
        {"type": "string", "enum": ["answers"]}, "Only options that answer the pending question of the seat.", "answers"
    ),
    "width": _query({"type": "integer", "minimum": 100, "maximum": 2000}, "Width in pixels. Default 800.", 1200),
    "scheme": _query(
        {"type": "string", "enum": ["auto", "light", "dark"]},
        "Color scheme: `light`, `dark`, or `auto`, which follows the reader's device and is the default for "
        "SVG. A PNG is light unless you select `dark`.",
        "dark",
    ),
    "level": _query({"type": "integer", "minimum": 1, "maximum": 3}, "Depth of the analysis. Default 1.", 2),
    "dry_run": _query({"type": "boolean"}, "Checks the command without playing it.", True),
    "name": _query({"type": "string", "minLength": 2, "maxLength": 40}, "The beginning of the name.", "as"),
    "module": _query({"type": "string"}, "Only games with this module.", "rammoth"),
    "pace": _query({"type": "string", "enum": ["free", "per_question", "calendar"]}, "Only this mode of pace.", "free"),
    "min_reliability": _query(_PERCENT, "Only games of creators who play so many percent of their turns in time.", 90),
    "min_rating": _query(_RATING, "Only games of creators with at least this rating in such games.", 10),
    "max_rating": _query(_RATING, "Only games of creators with at most this rating in such games.", 30),
    "kind": _query({"type": "string"}, "Only games of this kind.", "battalia"),
    "status": _query(
        {"type": "string", "enum": ["lobby", "running", "over"]}, "Only games with this status.", "running"
    ),
    "tournament_state": {
        **_query(
            {"type": "string", "enum": ["announced", "registration", "running", "finished", "cancelled"]},
            "Only tournaments in this state.",
            "running",
        ),
        "name": "state",
    },
    "tournament_mine": {
        **_query({"type": "boolean"}, "Only tournaments that you organize or have registered for.", True),
        "name": "mine",
    },
    "tournaments": {
        **_query({"type": "integer", "minimum": 1, "maximum": 50}, "Maximum number of tournaments. Default 20.", 20),
        "name": "limit",
    },
    "mine": _query({"type": "boolean"}, "Only your own games.", True),
    "player": _query({"type": "string"}, "Only games in which this player has a seat.", "pc0h4t9wz1k8ymr2"),
    "tag": _query({"type": "string", "pattern": "^[a-z0-9-]{1,24}$"}, "Only games with this tag.", "beginners"),
    "created_since": {
        **_query({"type": "string"}, "Only games created at this instant or later.", "2030-01-31T18:00:00Z"),
        "name": "since",
    },
    "sort": _query({"type": "string", "enum": ["newest", "oldest"]}, "Order of creation. Default `newest`.", "oldest"),
    "cursor": _query(
        {"type": "string"},
        "Position of the next page. Follow the `Link` header instead of building this value.",
        "MTg5MzQ1NjAwMDAwMCBncTN2MXhrN3J0ejJtNWFi",
    ),
    "limit": _query(
        {"type": "integer", "minimum": 1, "maximum": MOST_GAMES}, f"Maximum number of games. Default {GAMES}.", GAMES
    ),
    "entries": {
        **_query(
            {"type": "integer", "minimum": 1, "maximum": MOST_ENTRIES},
            f"Maximum number of entries. Default {ENTRIES} for a page. `application/x-ndjson` has no pages; "
            "it returns all entries by default and accepts higher limits.",
            ENTRIES,
        ),
        "name": "limit",
    },
    "ratings": {
        **_query({"type": "integer", "minimum": 1, "maximum": 200}, "Maximum number of ratings. Default 50.", 50),
        "name": "limit",
    },
    "after": _query(_SEQ, "Start after this commit.", 40),
    "before": _query({"type": "integer", "minimum": 1}, "Only entries that begin before this commit.", 40),
    "actor": _query(
        {"type": "string", "pattern": "^([1-9][0-9]{0,2}|system)$"},
        "Only actions of this seat, or of the game itself (`system`).",
        "1",
    ),
    "type": _query(
        {"type": "string", "maxLength": 80},
        "Only entries with a line of this type, one of the `events` of the kind of game, or `refused` for "
        "your own refused commands.",
        "road_built",
    ),
    "as": _query(
        {"type": "string", "enum": ["events", "tasks"]}, "Format of the deadlines. Default `events`.", "tasks"
    ),
    "state": _query({"type": "string", "enum": ["dead"]}, "Only events that were given up.", "dead"),
    "since": _query({"type": "string", "enum": ["my-last-turn"]}, "Start after your own last command.", "my-last-turn"),
    "digest": _query(
        {"type": "string", "enum": ["turn"]},
        "Return one paragraph per turn or day instead of one entry per commit.",
        "turn",
    ),
    "checkpoint": _query(
        {"type": "integer", "format": "int64", "minimum": 1, "maximum": FURTHEST},
        "The number of heads in a checkpoint that you saved. The proof in the file then also covers that checkpoint.",
        4200,
    ),
    "ticket": _query(
        {"type": "string"}, "A ticket from `POST /v1/me/tickets`, instead of a token.", "t3q5vxk7r1tz2m5ab"
    ),
    "last_event_id": _query(_SEQ, "Same as Last-Event-ID, for the first request of a stream.", 40),
    "Last-Event-ID": _header("The id of the last message that was received.", "40"),
    "Game-Head": _header(
        "A head of the game that you saved. The response is 409 `log-diverged` if the game's log does not contain it.",
        f"42 {EXAMPLE_HASH}",
        _HEAD,
    ),
    "If-Match": _header(
        'The ETag of your view (`"41"`). If the game has changed since, nothing is done (412). `41` and '
        '`W/"41"` are also accepted.',
        '"41"',
    ),
    "Plan-If-Match": {
        **_header(
            "The ETag of the stored plan. If the plan has changed or is gone, nothing is done (412).",
            '"k3Vt0aPq9vZxW1uYbR2sTf4d"',
        ),
        "name": "If-Match",
    },
    "Plan-If-None-Match": {
        **_header("`*`: only if no plan is stored (412 otherwise).", "*"),
        "name": "If-None-Match",
    },
    "If-None-Match": _header("The ETag of your copy. The response is 304 if it is still current.", '"41"'),
    "Idempotency-Key": _header(
        "Makes a request safe to repeat: it takes effect once. For commands, the key is kept as long as the "
        "game; for everything else, for one hour.",
        "6f9619ff-8b86-d011-b42d-00c04fc964ff",
    ),
    "Prefer": _header(
        f"`wait=10`: wait until the result is available, up to the given seconds (at most {MAX_WAIT_SECONDS}).",
        "wait=10",
    ),
    **{
        PATH + name: {**parameter, "name": name}
        for name, parameter in {
            "game": _path("The id of the game.", "gq3v1xk7rtz2m5ab"),
            "command": _path("The id of the command.", "k3Vt0aPq9vZxW1uYbR2sTf4d"),
            "player": _path("The id of the player.", "pc0h4t9wz1k8ymr2"),
            "token": _path("The id of the token, not the token itself.", "t1k8ymr2pc0h4t9w"),
            "vacation": _path("The id of the vacation.", "v1k8ymr2pc0h4t9w"),
            "feed": _path("The id of the feed, not its URL.", "f4m2n4x6v0b1q3w5"),
            "device": _path("The id of the device.", "d4m2n4x6v0b1q3w5"),
            "app": _path("The id of the app, which is its `client_id`.", "ap0h4t9wz1k8ymr2"),
            "connection": _path("The id of the connection of an app.", "ak2n4x6v0b1q3w5z"),
            "study": _path("The id of the study, a game.", "gq3v1xk7rtz2m5ab"),
            "passkey": _path("The id of the passkey.", "k0f3a9c21b7d84e65"),
            "secret": _path("The secret part of the URL, as it was shown once.", "3q5vxk7r1tz2m5abd0cefghjkm"),
            "picture_name": _path("The name of the picture in the guide.", "before.svg"),
            "name": _path("The name of the ruleset or scenario.", "creation_v2"),
            "key": _path("The key of the kind of game.", "battalia"),
            "seat": _path("The number of the seat.", 2, type="integer", minimum=1),
            "other": _path("The number of the muted seat.", 3, type="integer", minimum=1),
            "seq": _path("The number of the commit.", 42, type="integer", minimum=1),
            "rating_list": _path("The name of the rating list.", "battalia:2:players"),
            "day": _path("An ISO 8601 date.", "2029-12-31"),
            "webhook": _path("The id of the webhook.", "w4m2n4x6v0b1q3w5"),
            "tournament": _path("The id of the tournament.", "rt2m5ab0k7gq3v1x"),
            "tile": _path(
                "The level (or `entries`) and the index, in the path format of C2SP tlog-tiles; do not encode the "
                "slashes. The pattern is `(entries|[0-9]{1,2})/(x[0-9]{3}/)*[0-9]{3}(\\.p/[0-9]{1,3})?`.",
                "0/x001/234",
            ),
            "delivery": _path("The id of the event, which begins with `msg_`.", "msg_9f2c6a7d14b85e03c1f7a2d6"),
        }.items()
    },
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
    GAME_HEAD: _sent(
        "The newest commit of the game: its seq, and the SHA-256 of its header in hex. Empty before the start.", _HEAD
    ),
    "Allow": _sent("With 405: the allowed methods."),
    "ETag": _sent("Version of the response for If-None-Match; for a view also for If-Match."),
    "Link": _sent('URL of the next page, if there is one (`rel="next"`).'),
    "Location": _sent("URL of the created resource, or of the result."),
    "Content-Location": _sent("Permanent URL of this version."),
    "Content-Disposition": _sent("Name of the file."),
    "Deprecation": _sent("Do not use the operation after this time: `@` and seconds of Unix time (RFC 9745)."),
    "Preference-Applied": _sent("The wait in seconds that was applied, if any: `wait=10`."),
    "RateLimit": _sent("Remaining requests, and seconds until the limit resets. Omitted if there is no limit."),
    "X-Request-Id": _sent("Id of the request: yours if you sent one, otherwise generated. The server log contains it."),
    "RateLimit-Policy": _sent("The rate limit: number of requests and period in seconds."),
    "Retry-After": _sent("Seconds to wait before the next attempt.", type="integer"),
    "Sunset": _sent("The operation stops at this date, and responds with 410 after it (RFC 8594)."),
    "WWW-Authenticate": _sent("The required authentication."),
}
"""By their names."""

ALWAYS = ("RateLimit", "RateLimit-Policy", "X-Request-Id")
"""The headers that any response may have. Only the shared responses list them."""
