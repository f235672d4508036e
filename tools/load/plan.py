"""What a load test is to be: how many games of which kinds, for how long, and how fast."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """All that makes two load tests alike, but for the machine."""

    url: str
    kinds: tuple[str, ...]
    """The kinds of the games, by turns."""
    games: int
    """How many are played at a time: one that is over makes room for another."""
    seconds: float
    commands: int
    """After how many commands it ends sooner; 0: after the time alone."""
    clients: int
    """Connections, each with one request at a time."""
    rate: float = 0.0
    """Commands a second of all together, at instants drawn at random as players by post come; 0: as fast as can be."""
    wait: bool = True
    """Whether commands are sent with ``Prefer: wait``; else their outcome is asked for."""
    streams: int = 0
    """Event streams that are listened to meanwhile."""
    bot: str = "greedy"

    def document(self) -> dict[str, Any]:
        """As the report has it."""
        return asdict(self)
