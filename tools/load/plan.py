"""The settings of a load test: how many games of which kinds, for how long, and how fast."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """Everything that determines a load test, except the machine."""

    url: str
    kinds: tuple[str, ...]
    """The kinds of games, used in turn."""
    games: int
    """Games played at a time; one that ends is replaced."""
    seconds: float
    commands: int
    """Number of commands after which it ends early; 0: no limit."""
    clients: int
    """Connections, each with one request at a time."""
    rate: float = 0.0
    """Total commands per second, at random instants; 0: as fast as possible."""
    wait: bool = True
    """Whether commands are sent with ``Prefer: wait``; otherwise their outcome is polled."""
    streams: int = 0
    """Number of open event streams."""
    bot: str = "greedy"

    def document(self) -> dict[str, Any]:
        return asdict(self)
