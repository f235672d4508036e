"""A game's set-up line, and the head before its first commit (docs/audit.md).

In form 1 that head is 64 zeros, and nothing binds the set-up to the chain. In form 2 it is the digest of the set-up
line, which is fixed when the game starts and contains nothing that changes later. A game keeps its form for life.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from domain.kernel.terms import PlayerId
from service.store.codec import canonical, plain
from service.store.seal import NO_HEAD

FORMAT: Final = "oraclewheel/export"
FORM: Final = 2
"""The form of games that start now."""

IMPORTED: Final = PlayerId("imported")
"""The creator and seat holder of an imported game; no account has this id."""

_FROM_THE_BEGINNING = ("game", "kind", "ruleset", "options", "modules", "controllers", "pace", "commitment", "sandbox")


def setup_line(begun: Mapping[str, Any], started: int) -> bytes:
    """The set-up line of form 2 without its newline: how the game began, and when.

    ``begun`` is the command `begin` or its event; ``started`` is the instant that a calendar counts from.
    """
    beginning = {name: begun[name] for name in _FROM_THE_BEGINNING}
    return canonical(plain({"line": "setup", "format": FORMAT, "number": FORM, "started": started, **beginning}))


def origin(setup: bytes) -> str:
    """The head before commit 1, hex; ``setup`` is the set-up line, empty for a game of form 1."""
    return hashlib.sha256(setup).hexdigest() if setup else NO_HEAD


def form_of(setup: bytes) -> int:
    return FORM if setup else 1
