"""A player at the HTTP API, in this process (Flask's test client) or at a real address: the user in tests."""

from __future__ import annotations

import contextlib
import contextvars
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol
from urllib.parse import urlencode

import requests
from flask import Flask
from werkzeug.test import TestResponse

from domain.kernel.dice import Dice
from domain.kernel.options import from_json, pick

_NAMES = count(1)


@dataclass(frozen=True)
class Answer:
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def code(self) -> str:
        """The code of a problem."""
        return self.json["code"]

    @property
    def seq(self) -> int:
        """The newest commit, from the header that every response about a game has."""
        return int(self.headers["Game-Head"].split()[0])


class Unexpected(AssertionError):
    """A response had another status than expected."""


def wanted(answer: Answer, want: int | None, asked: str) -> Answer:
    """The response, if it has the wanted status (None: any); raises `Unexpected` otherwise."""
    if want is not None and answer.status != want:
        raise Unexpected(f"{asked}: {answer.status} instead of {want}: {answer.text[:600]}")
    return answer


class Site(Protocol):
    """Access to the API."""

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer: ...

    def chunks(self, url: str, headers: Mapping[str, str]) -> contextlib.AbstractContextManager[Iterator[bytes]]:
        """The chunks of a body that may be endless."""


class InProcess:
    """Flask's own test client."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        # In a separate context, because a request sent within another one must not share its `flask.g`.
        return contextvars.Context().run(self._call, method, url, headers, body)

    def _call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        response = self._app.test_client(use_cookies=False).open(url, method=method, headers=dict(headers), data=body)
        answer = Answer(response.status_code, response.headers, response.get_data())
        response.close()
        return answer

    @contextlib.contextmanager
    def chunks(self, url: str, headers: Mapping[str, str]) -> Iterator[Iterator[bytes]]:
        response = self._app.test_client(use_cookies=False).open(url, headers=dict(headers), buffered=False)
        if response.status_code != 200:
            raise Unexpected(response.status_code)
        try:
            yield iter(response.response)
        finally:
            _close(response)


def _close(response: TestResponse, seconds: float = 30) -> None:
    """Close a body; if another thread still reads it, wait until that thread does not."""
    end = time.monotonic() + seconds
    while True:
        try:
            return response.close()
        except ValueError:  # "generator already executing"
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


class Remote:
    """A server at a base URL."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/")
        self._session = requests.Session()

    def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        response = self._session.request(method, self._base + url, headers=dict(headers), data=body, timeout=60)
        return Answer(response.status_code, response.headers, response.content)

    @contextlib.contextmanager
    def chunks(self, url: str, headers: Mapping[str, str]) -> Iterator[Iterator[bytes]]:
        with requests.get(self._base + url, headers=dict(headers), stream=True, timeout=60) as response:
            if response.status_code != 200:
                raise Unexpected(response.status_code)
            yield response.iter_content(None)

    def close(self) -> None:
        """Close the open connections."""
        self._session.close()


@dataclass(frozen=True)
class Message:
    """One message of an event stream; a comment has no data."""

    id: int | None
    data: Any


@dataclass
class Player:
    """A player with a token, or the public without one."""

    site: Site
    token: str | None = None
    id: str = ""
    name: str = ""
    tags: dict[tuple[str, int | None], str] = field(default_factory=dict)
    """The ETag of the newest view that the player has seen, by game and seat."""

    def agrees_to_sit_for(self, holder: Player) -> None:
        """Agree that the holder may name this player as their sitter."""
        self.call("PUT", f"/v1/me/sitting/{holder.id}", {}, want=200)

    @classmethod
    def register(cls, site: Site, name: str | None = None) -> Player:
        """Make an account."""
        made = cls(site).post("/v1/players", {"name": name or f"Player {next(_NAMES)}"}, want=201).json
        return cls(site, made["token"], made["id"], made["name"])

    # -- HTTP ---------------------------------------------------------------------------------------------------------

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        want: int | None = None,
        **query: Any,
    ) -> Answer:
        """Send a request: bytes unchanged, other bodies as JSON. Raises `Unexpected` for another status than ``want``."""
        url = _url(path, query)
        sent = {"Content-Type": "application/json"} if body is not None else {}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        return wanted(
            self.site.call(method, url, {**sent, **self._auth(), **(headers or {})}, data), want, f"{method} {url}"
        )

    def get(self, path: str, **kwargs: Any) -> Answer:
        return self.call("GET", path, **kwargs)

    def post(self, path: str, body: Any = None, **kwargs: Any) -> Answer:
        return self.call("POST", path, body, **kwargs)

    def _auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    # -- games --------------------------------------------------------------------------------------------------------

    def make_game(self, kind: str = "pennies", seats: int = 2, **told: Any) -> dict[str, Any]:
        """Create a game with this player in seat 1; the response includes the invitation."""
        return self.post("/v1/games", {"kind": kind, "seats": seats, **told}, want=201).json

    def join(self, game: str, invitation: str | None = None, **told: Any) -> int:
        """Take a seat and return its number."""
        body = {**told, **({"invitation": invitation} if invitation else {})}
        return self.post(f"/v1/games/{game}/seats", body, want=201).json["seat"]

    def seat_bot(self, game: str, bot: str = "random") -> int:
        return self.post(f"/v1/games/{game}/seats", {"bot": bot}, want=201).json["seat"]

    def start(self, game: str) -> dict[str, Any]:
        return self.post(f"/v1/games/{game}/start", want=200).json

    def summary(self, game: str) -> dict[str, Any]:
        return self.get(f"/v1/games/{game}", want=200).json

    def send(
        self,
        game: str,
        command: Mapping[str, Any],
        *,
        wait: int | None = 10,
        seen: int | str | None = None,
        key: str | None = None,
        want: int | None = None,
        **query: Any,
    ) -> Answer:
        """Send a command; ``seen`` goes into If-Match, ``key`` is the Idempotency-Key."""
        headers = {}
        if wait is not None:
            headers["Prefer"] = f"wait={wait}"
        if seen is not None:
            headers["If-Match"] = seen if isinstance(seen, str) else f'"{seen}"'
        if key is not None:
            headers["Idempotency-Key"] = key
        return self.post(f"/v1/games/{game}/commands", dict(command), headers=headers, want=want, **query)

    def options(self, game: str, **query: Any) -> dict[str, Any]:
        return self.get(f"/v1/games/{game}/options", want=200, **query).json

    def view(self, game: str, **query: Any) -> dict[str, Any]:
        return self.get(f"/v1/games/{game}/view", want=200, **query).json

    def events(self, game: str, **query: Any) -> list[dict[str, Any]]:
        """The whole history, page by page through the Link headers."""
        answer = self.get(f"/v1/games/{game}/events", want=200, **query)
        entries = answer.json["events"]
        while link := answer.headers.get("Link"):
            answer = self.get(link.partition(">")[0].lstrip("<"), want=200)
            entries += answer.json["events"]
        return entries

    def turns(self, wait: int | None = None) -> list[dict[str, Any]]:
        headers = {} if wait is None else {"Prefer": f"wait={wait}"}
        return self.get("/v1/me/turns", headers=headers, want=200).json["turns"]

    @contextlib.contextmanager
    def stream(self, game: str, last: int | None = None, **query: Any) -> Iterator[Iterator[Message]]:
        """The event stream of a game, from the commit after ``last``."""
        headers = {"Accept": "text/event-stream", **self._auth()}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        with self.site.chunks(_url(f"/v1/games/{game}/events", query), headers) as chunks:
            yield _messages(chunks)

    # -- play ---------------------------------------------------------------------------------------------------------

    def move(self, game: str, dice: Dice, want: int | None = 200) -> Answer | None:
        """Send a random legal command, built only from the options. Returns None if there are no options.

        Commands without a pending question are limited per minute; above the limit another command is sent.
        """
        offered = [from_json(option) for option in self.options(game)["options"]]
        while offered:
            command = pick(offered, dice)
            answer = self.send(game, command)
            if answer.status != 429 or answer.code != "too-many-unrequested-commands":
                return wanted(answer, want, f"{command}")
            offered = [option for option in offered if option.type != command["type"]]
        return None


def play_out(players: list[Player], game: str, dice: Dice, most: int = 10_000, seconds: float = 120) -> dict[str, Any]:
    """Random players finish the game, while workers move the bots; return the summary at the end."""
    until = time.monotonic() + seconds
    for _ in range(most):
        summary = players[0].summary(game)
        if summary["status"] == "over":
            return summary
        asked = {question["seat"] for question in summary["pending_questions"]}
        moved = False
        for player in players:
            own = [seat["seat"] for seat in summary["seats"] if seat["player"] and seat["player"]["id"] == player.id]
            if asked & set(own):
                answer = player.move(game, dice, want=None)
                # 202: on a busy machine it was not settled in time; the summary shows when it is.
                assert answer is None or answer.status in (200, 202, 409), answer.text
                moved = moved or (answer is not None and answer.status == 200)
        if not moved:
            time.sleep(0.02)
        if time.monotonic() > until:
            break
    raise AssertionError(f"the game is not over: {players[0].summary(game)}")


def _url(path: str, query: Mapping[str, Any]) -> str:
    if not query:
        return path
    return f"{path}?{urlencode({name.rstrip('_'): value for name, value in query.items()})}"


def _messages(chunks: Iterator[bytes]) -> Iterator[Message]:
    """Server-sent events from the parts of a body."""
    buffer = b""
    for chunk in chunks:
        buffer += chunk
        while b"\n\n" in buffer:
            block, _, buffer = buffer.partition(b"\n\n")
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if ": " in line)
            if "retry" in fields:
                continue
            id_ = int(fields["id"]) if "id" in fields else None
            yield Message(id_, json.loads(fields["data"]) if "data" in fields else None)
