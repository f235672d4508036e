"""Helpers for bots in addition to the generated client: retries with idempotency keys, resuming streams, and commands from options."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
from httpx_sse import EventSource
from oraclewheel_client import AuthenticatedClient
from oraclewheel_client.models import OpenParameter, Option

RETRY = (429, 503)
"""Statuses with which the server asks the client to try again later."""
ATTEMPTS = 6
TIMEOUT = 60.0
"""Seconds without data after which a connection is considered lost. A stream sends a comment every 15 seconds."""


class ProblemError(httpx.HTTPStatusError):
    """The server responded with a problem, such as a command that the rules refuse. Decide by `code`."""

    def __init__(self, response: httpx.Response) -> None:
        try:
            document = response.json()
        except ValueError:  # a proxy can respond with something else
            document = {}
        self.problem: dict[str, Any] = document if isinstance(document, dict) else {}
        self.code: str = self.problem.get("code", "")
        detail = self.problem.get("detail", response.reason_phrase)
        rule = self.problem.get("rule")
        about = " ".join(filter(None, (str(response.status_code), self.code)))
        super().__init__(
            f"{about}: {detail}{f' (rule {rule})' if rule else ''}", request=response.request, response=response
        )


class LogDivergedError(Exception):
    """The server continues from an older copy of its data. Read the game again from its beginning."""


class RetryingClient(httpx.Client):
    """Repeats a request if the response was lost, or if the server asks the client to try again later."""

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request, at most `ATTEMPTS` times. Raises `httpx.TransportError` if every response was lost."""
        if request.method == "POST":  # with a key, a repeated request takes effect once
            request.headers.setdefault("Idempotency-Key", secrets.token_hex(16))
        for _ in range(ATTEMPTS - 1):
            try:
                response = super().send(request, **options)
            except httpx.TransportError:
                time.sleep(0.5)
                continue
            if response.status_code not in RETRY:
                return response
            response.close()
            time.sleep(float(response.headers.get("Retry-After", 1)))
        return super().send(request, **options)


def connect(url: str, token: str) -> AuthenticatedClient:
    """A client of the server at a URL that repeats requests when needed."""
    http = RetryingClient(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=TIMEOUT)
    return AuthenticatedClient(url, token).set_httpx_client(http)


def send(
    client: AuthenticatedClient, game: str, seat: int, body: dict[str, Any], seen: str | None = None
) -> dict[str, Any]:
    """Send a command or ``{"commands": […]}`` and return its outcome; ``seen`` is the ETag of the view that it is based on.

    Raises `ProblemError` if it is refused.
    """
    headers = {"Idempotency-Key": secrets.token_hex(16), "Prefer": "wait=10", **({"If-Match": seen} if seen else {})}
    http, path = client.get_httpx_client(), f"/v1/games/{game}/commands"
    for _ in range(ATTEMPTS):
        response = http.post(path, params={"seat": seat}, json=body, headers=headers)
        if not response.is_success:
            raise ProblemError(response)
        if response.status_code != httpx.codes.ACCEPTED:
            break  # otherwise it is still queued, and a request with the same key asks for its outcome
    outcome: dict[str, Any] = response.json()
    return outcome


def command(option: Option, choose: Callable[[OpenParameter], Any]) -> dict[str, Any]:
    """The command of an option, with a value that ``choose`` returns for each open parameter."""
    made: dict[str, Any] = {"type": option.type_, **option.fixed.additional_properties}
    for parameter in option.open_:
        value = choose(parameter)
        # Several parameters with the same name form one list.
        made[parameter.name] = [*made[parameter.name], *value] if parameter.name in made else value
    return made


def stream(client: AuthenticatedClient, game: str, after: int = 0) -> Iterator[dict[str, Any]]:
    """The entries of a game's history as they happen, until the game ends. Resumes after a lost connection.

    Raises `LogDivergedError`, or `ProblemError` if you cannot read the game, or lose access to it.
    """
    http, last = client.get_httpx_client(), after
    while True:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
        try:
            with http.stream("GET", f"/v1/games/{game}/events", headers=headers) as response:
                if response.status_code == httpx.codes.NO_CONTENT:
                    return
                if not response.is_success:
                    response.read()
                    raise ProblemError(response)
                for message in EventSource(response).iter_sse():
                    if message.event == "log-diverged":
                        raise LogDivergedError(message.data)
                    if message.data:  # the first message only sets the delay before a reconnection
                        last = int(message.id)
                        yield message.json()
        except httpx.TransportError:
            time.sleep(1)
