"""The tags of the OpenAPI document: the groups of operations that readers and generated clients see."""

from __future__ import annotations

from collections.abc import Mapping

TAGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "accounts": (
        "Register, read, rename and erase accounts. Your time zone, quiet hours and vacations.",
        ("players", "preferences"),
    ),
    "audit": (
        "Exports that anyone can verify offline, public keys, and the transparency log (C2SP tlog-tiles).",
        (),
    ),
    "commands": (
        "Play: legal moves, commands and their results, planned turns, and standing orders.",
        ("commands", "options"),
    ),
    "events": (
        "The history of a game as pages, NDJSON or a stream, and its score timeline.",
        ("events", "history"),
    ),
    "games": ("Create, list, get, start, fork and delete games.", ("games",)),
    "kinds": ("The kinds of games: schemas, rulesets, guides and rules.", ("kinds",)),
    "notifications": (
        "Email, push notifications, and the pages that the links in emails open.",
        (),
    ),
    "operations": ("Health checks, metrics and the API reference.", ("operations", "api_reference")),
    "seats": (
        "Take and leave seats, request vacant seats, and name sitters.",
        ("seats",),
    ),
    "sign-in": ("Ways to sign in without a token: passkeys, email and recovery codes.", ()),
    "tokens": ("Tokens, sessions, tickets, and the games that wait for you.", ("inbox", "sessions", "tokens")),
    "views": (
        "The state of a game as a seat or the public sees it, as data or as a picture.",
        ("view",),
    ),
}
"""By name: the description, and the modules of `service.core.http.resources` whose operations have the tag. Features
add to the tags of the core, or have tags of their own."""

TAG_OF: Mapping[str, str] = {module: tag for tag, (_, modules) in TAGS.items() for module in modules}
