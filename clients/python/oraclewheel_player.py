"""What a bot needs beside the generated client: retries, keys for them, a stream that resumes, and commands from options."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
from httpx_sse import EventSource
from oraclewheel_client import AuthenticatedClient
from oraclewheel_client.models import OpenParameter, Option

AGAIN = (429, 503)
"""What the server answers to whom it asks to come back later."""
TRIES = 6
PATIENCE = 60.0
"""Seconds within which something comes of an answer; a stream gives a sign of life every 15 seconds."""


class LogWentBackError(Exception):
    """The server goes on from an older copy of its data: what one keeps of the game is to be read anew."""


class Persistent(httpx.Client):
    """Asks again when the answer was lost, or when the server says to come back later."""

    def send(self, request: httpx.Request, **how: Any) -> httpx.Response:
        """One request, sent as often as it takes; raises `httpx.TransportError` when all of that was lost."""
        if request.method == "POST":  # with a key of its own it has one effect, however often it is sent
            request.headers.setdefault("Idempotency-Key", secrets.token_hex(16))
        for _ in range(TRIES - 1):
            try:
                response = super().send(request, **how)
            except httpx.TransportError:
                time.sleep(0.5)
                continue
            if response.status_code not in AGAIN:
                return response
            response.close()
            time.sleep(float(response.headers.get("Retry-After", 1)))
        return super().send(request, **how)


def connect(url: str, token: str) -> AuthenticatedClient:
    """A client of the server at a URL that sends again what may be sent again."""
    http = Persistent(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)
    return AuthenticatedClient(url, token).set_httpx_client(http)


def send(
    client: AuthenticatedClient, game: str, seat: int, said: dict[str, Any], seen: str | None = None
) -> dict[str, Any]:
    """What a command (or ``{"commands": […]}``) came to; ``seen`` is the ETag of the view that it stands on.

    Raises `httpx.HTTPStatusError` for what is refused.
    """
    headers = {"Idempotency-Key": secrets.token_hex(16), "Prefer": "wait=10", **({"If-Match": seen} if seen else {})}
    http, path = client.get_httpx_client(), f"/v1/games/{game}/commands"
    for _ in range(TRIES):
        answer = http.post(path, params={"seat": seat}, json=said, headers=headers).raise_for_status()
        if answer.status_code != httpx.codes.ACCEPTED:
            break  # else it still waits, and the same key asks what has become of it
    outcome: dict[str, Any] = answer.json()
    return outcome


def command(option: Option, choose: Callable[[OpenParameter], Any]) -> dict[str, Any]:
    """The command that an option stands for, with what ``choose`` says of each of its open parts."""
    said: dict[str, Any] = {"type": option.type_, **option.fixed.additional_properties}
    for part in option.open_:
        value = choose(part)
        said[part.name] = [*said[part.name], *value] if part.name in said else value
    return said


def stream(client: AuthenticatedClient, game: str, after: int = 0) -> Iterator[dict[str, Any]]:
    """The entries of a game's history as they happen, to its end; a stream that breaks is resumed where it broke.

    Raises `LogWentBackError`, or `httpx.HTTPStatusError` when the game may not be read (any more).
    """
    http, last = client.get_httpx_client(), after
    while True:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
        try:
            with http.stream("GET", f"/v1/games/{game}/events", headers=headers) as answer:
                if answer.status_code == httpx.codes.NO_CONTENT:
                    return
                for message in EventSource(answer.raise_for_status()).iter_sse():
                    if message.event == "log-diverged":
                        raise LogWentBackError(message.data)
                    if message.data:  # the first says only how long to wait before asking again
                        last = int(message.id)
                        yield message.json()
        except httpx.TransportError:
            time.sleep(1)
