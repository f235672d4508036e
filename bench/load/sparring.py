"""Two players who end their turns in a game of Battalia, one after the other, each command a separate request."""

from __future__ import annotations

import time

import orjson

from bench.load.raw import Connection, call, request


def register(connection: Connection, name: str) -> str:
    """Register a player; returns the token."""
    return call(connection, "POST", "/v1/players", body={"name": name})["token"]


class Sparring:
    """One request in flight. After both turns SYSTEM ends the day, which is a commit that no player has requested."""

    def __init__(self, address: tuple[str, int], number: int) -> None:
        self.connection = Connection(*address)
        self.tokens = [register(self.connection, f"Client {number}.{seat}") for seat in (1, 2)]
        self.game = self.begin_another()
        path = f"/v1/games/{self.game}/commands"
        self.requests = [request("POST", path, token, {"type": "end_turn"}, Prefer="wait=10") for token in self.tokens]
        self.seat = self._to_move()

    def begin_another(self) -> str:
        """Start another game between the two; returns its id."""
        game = call(self.connection, "POST", "/v1/games", self.tokens[0], {"kind": "battalia", "seats": 2})["id"]
        call(self.connection, "POST", f"/v1/games/{game}/seats", self.tokens[1], {})
        call(self.connection, "POST", f"/v1/games/{game}/start", self.tokens[0])
        return game

    def _to_move(self) -> int:
        for _ in range(500):
            asked = call(self.connection, "GET", f"/v1/games/{self.game}", self.tokens[0])["pending_questions"]
            if asked and asked[0]["seat"]:
                return asked[0]["seat"] - 1
            time.sleep(0.01)
        raise RuntimeError("nobody is asked")

    def request(self) -> bytes:
        """End the turn, and wait for the outcome."""
        return self.requests[self.seat]

    def answered(self, status: int, body: bytes) -> int:
        """1 for an ended turn; 0 if the new day had not begun yet, so that it was no one's turn."""
        if status == 200:
            self.seat = 1 - self.seat
            return 1
        if status == 409 and b"not-your-turn" in body:
            self.seat = self._to_move()
            return 0
        raise RuntimeError(f"{status} {body[:300]!r}")

    def act(self) -> int:
        """Play one turn; returns the seq of its commit."""
        while True:
            status, _, body = self.connection.send(self.request())
            if self.answered(status, body):
                return orjson.loads(body)["seq"]


def commits(games: list[Sparring]) -> int:
    """Settled commits of all the games, including those in which SYSTEM ends a day."""
    connection = games[0].connection
    return sum(call(connection, "GET", f"/v1/games/{pair.game}", pair.tokens[0])["seq"] for pair in games)
