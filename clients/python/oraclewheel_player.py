"""What a bot needs beside the generated client: retries, keys for them, a stream that resumes, and commands from options."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
from oraclewheel_client import AuthenticatedClient
from oraclewheel_client.models import ChooseSome, Option

AGAIN = (429, 503)
"""What the server answers to whom it asks to come back later."""


class Retrying(httpx.HTTPTransport):
    """Sends a request again when it was lost, or when the server says to come back later."""

    def __init__(self, tries: int = 6) -> None:
        super().__init__()
        self._tries = tries

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for left in range(self._tries - 1, -1, -1):
            safe = request.method in ("GET", "DELETE", "PATCH") or "idempotency-key" in request.headers
            try:
                response = super().handle_request(request)
            except httpx.TransportError:
                if not safe or not left:
                    raise
                time.sleep(0.5)
                continue
            if response.status_code not in AGAIN or not left:
                return response
            response.close()
            time.sleep(float(response.headers.get("Retry-After", 1)))
        raise AssertionError


def connect(url: str, token: str) -> AuthenticatedClient:
    """A client of the server at a URL that sends again what may be sent again."""
    return AuthenticatedClient(url, token, httpx_args={"transport": Retrying()}, timeout=httpx.Timeout(60))


def send(client: AuthenticatedClient, game: str, seat: int, said: dict[str, Any]) -> dict[str, Any]:
    """What a command (or ``{"commands": […]}``) came to, sent with a key of its own; raises `httpx.HTTPStatusError`."""
    headers = {"Idempotency-Key": secrets.token_hex(16), "Prefer": "wait=10"}
    path = f"/v1/games/{game}/commands"
    answer = client.get_httpx_client().post(path, params={"seat": seat}, json=said, headers=headers)
    outcome: dict[str, Any] = answer.raise_for_status().json()
    return outcome


def command(option: Option, choose: Callable[[Any], Any]) -> dict[str, Any]:
    """The command that an option stands for, with what ``choose`` says of each of its open parts."""
    said: dict[str, Any] = {"type": option.type_, **option.fixed.additional_properties}
    for part in option.open_:
        value = choose(part)
        said[part.name] = [*said[part.name], *value] if isinstance(part, ChooseSome) and part.name in said else value
    return said


def stream(client: AuthenticatedClient, game: str, after: int = 0) -> Iterator[dict[str, Any]]:
    """The entries of a game's history as they happen, to its end; a stream that breaks is resumed where it broke."""
    http, last = client.get_httpx_client(), after
    while True:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
        try:
            with http.stream("GET", f"/v1/games/{game}/events", headers=headers, timeout=60) as answer:
                if answer.status_code == 204:
                    return
                answer.raise_for_status()
                for line in answer.iter_lines():
                    if line.startswith("id: "):
                        last = int(line[4:])
                    elif line.startswith("data: "):
                        yield json.loads(line[6:])
        except httpx.TransportError:
            time.sleep(1)
