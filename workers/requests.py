"""Jobs whose results the API waits for: pictures, and positions that clients send.

Each runs in a child process with limits for time and memory.
"""

from __future__ import annotations

import resource
import signal
from base64 import b64encode
from dataclasses import asdict
from typing import Any

from domain.kernel.game.rules import Setup
from domain.registry import GAMES
from service.core.pictures.png import render_png
from service.core.positions.fitness import check_position

MEMORY = 1 << 30
"""Memory limit of the process, in bytes."""


def paint(svg: str, width: int, seconds: int) -> str:
    """The PNG of an SVG document, in Base64."""
    limit(seconds)
    return b64encode(render_png(svg, width)).decode()


def judge(kind: str, given: dict[str, Any], position: Any, seconds: int) -> dict[str, str] | None:
    """The verdict on a position, as `Verdict` in JSON; None if this worker does not know the kind of game."""
    game = GAMES.get(kind)
    if game is None:
        return None
    limit(seconds)
    setup = Setup(given["seats"], given["ruleset"], given["options"], tuple(given["modules"]))
    return asdict(check_position(game, setup, position))


def limit(seconds: int) -> None:
    """End this process after so many seconds: RQ's time limit is an exception, which rules can catch."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard), hard))
