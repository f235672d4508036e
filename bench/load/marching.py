"""A player who moves the units of their nation in Fronela, in lists of eight commands a request.

The first turn of every game is that of the Malkioni of the first seat: a soldier, a wizard and a lord, each with
seventeen steps through clear land. They march out and back again, sixteen steps each, which makes six lists; then the
client continues with the next game.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from bench.load.raw import Connection, call, request

EACH = 8
"""Commands in a list."""

UNITS, HOME, NEXT, STEPS = ("soldier", "wizard", "lord"), "tarins", "easval", 16


def opened(connection: Connection, token: str, bot: str = "random") -> str:
    """A game in which the first seat is about to move, and bots have the others."""
    game = call(connection, "POST", "/v1/games", token, {"kind": "fronela", "seats": 4})["id"]
    for _ in range(3):
        call(connection, "POST", f"/v1/games/{game}/seats", token, {"bot": bot})
    call(connection, "POST", f"/v1/games/{game}/start", token)
    for _ in range(5):
        asked = call(connection, "GET", f"/v1/games/{game}", token)["pending_questions"][0]
        if asked["kind"] == "move":
            return game
        call(connection, "POST", f"/v1/games/{game}/commands", token, {"type": "done"}, Prefer="wait=10")
    raise RuntimeError(f"game {game} does not come to the moves: {asked}")


def lists() -> list[list[dict]]:
    steps = [
        {"type": "march", "area": area, "unit": unit, "to": to, "count": 1}
        for unit in UNITS
        for area, to in itertools.islice(itertools.cycle([(HOME, NEXT), (NEXT, HOME)]), STEPS)
    ]
    return [steps[place : place + EACH] for place in range(0, len(steps), EACH)]


class Marching:
    """One of many clients that take games from a shared iterator."""

    def __init__(self, connection: Connection, token: str, games: Iterator[str]) -> None:
        self.connection = connection
        self._requests = itertools.chain.from_iterable(_requests(game, token) for game in games)

    def request(self) -> bytes | None:
        return next(self._requests, None)

    def answered(self, status: int, body: bytes) -> int:
        """Eight for each successful list; raises for any other response."""
        if status != 200:
            raise RuntimeError(f"{status} {body[:300]!r}")
        return EACH


def _requests(game: str, token: str) -> Iterator[bytes]:
    for commands in lists():
        yield request("POST", f"/v1/games/{game}/commands", token, {"commands": commands}, Prefer="wait=10")
