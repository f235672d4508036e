"""Scopes: what a token, a session or an app may do for its player."""

from __future__ import annotations

from collections.abc import Collection

ACCOUNT_READ, ACCOUNT_WRITE = "account:read", "account:write"
GAMES_READ, GAMES_PLAY, GAMES_CREATE = "games:read", "games:play", "games:create"
CHAT_WRITE = "chat:write"
NOTIFICATIONS_WRITE, WEBHOOKS_WRITE = "notifications:write", "webhooks:write"
ADMIN = "admin"

DESCRIPTIONS = {
    ACCOUNT_READ: "Read your name, preferences, devices, feeds and webhooks.",
    ACCOUNT_WRITE: "Change your name, email address, preferences and tokens, and erase your account.",
    GAMES_READ: "Read your games, and everything that you can see in them.",
    GAMES_PLAY: "Play: send moves and plans, analyze games, announce vacations, agree to sit in.",
    GAMES_CREATE: "Create, join, start and leave games, invite players, and name a sitter.",
    CHAT_WRITE: "Write and delete messages in games, mute and report players.",
    NOTIFICATIONS_WRITE: "Manage push notifications and feeds.",
    WEBHOOKS_WRITE: "Manage webhooks.",
    ADMIN: "Read metrics and operate the service.",
}
"""What each scope allows, for consent pages and the documentation."""

SINGLE = tuple(DESCRIPTIONS)
"""Scopes that operations need. Each operation needs one of them, and none includes another."""

_READ = frozenset({ACCOUNT_READ, GAMES_READ})
SETS = {
    "read": _READ,
    # Tokens of older releases with `play` also manage webhooks, devices and feeds.
    "play": _READ | {GAMES_PLAY, GAMES_CREATE, CHAT_WRITE, NOTIFICATIONS_WRITE, WEBHOOKS_WRITE},
    "account": frozenset(SINGLE) - {ADMIN},
}
"""Names that stand for several scopes."""

SCOPES = (*SETS, *SINGLE)
"""All names that a token can have."""

OWNER = tuple(SETS)
"""The scopes of an account's first token."""


APP_SCOPES = tuple(name for name in SINGLE if name not in (ACCOUNT_WRITE, ADMIN))
"""Scopes that an app can have. No app can manage an account or operate the service."""


def expand(names: Collection[str]) -> frozenset[str]:
    """The single scopes that these names stand for."""
    return frozenset().union(*(SETS.get(name, (name,)) for name in names))


def includes(names: Collection[str], scope: str) -> bool:
    """Whether a credential with these names may do everything that the scope, or each scope of a set, allows."""
    return expand((scope,)) <= expand(names)
