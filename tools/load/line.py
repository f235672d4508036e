"""A connection of a load test: measures each request, and repeats those without a response."""

from __future__ import annotations

import threading
import time
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
import orjson
import urllib3

from service.cli.terminal.client import ApiError
from service.store import typed
from tools.load.tally import Tally

TRIES = 6
"""Maximum attempts for a request without a response, or with a status to repeat."""

LONGEST = 60.0
"""Timeout of a response, in seconds."""

NO_JSON = "no-json"
WRONG_SHAPE = "wrong-shape"
"""Codes for responses that are not the service's; no problem of the service has them."""

LATER = (429, 502, 503, 504)
"""Statuses after which the same request is sent again."""

PAUSE = 5.0
"""Maximum seconds between two attempts, whatever ``Retry-After`` says."""


Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The parsed body; raises `ApiError` with the code ``no-json``, for example for a proxy's error page."""
        try:
            return orjson.loads(self.body) if self.body else {}
        except ValueError as error:
            raise ApiError(
                self.status, {"code": NO_JSON, "detail": f"A response with status {self.status} is not JSON."}
            ) from error

    def read(self, shape: type[Shape]) -> Shape:
        """The body as one of `tools.load.shapes`; raises `ApiError`, with the code ``wrong-shape`` for other JSON."""
        try:
            return typed.convert(self.json, shape)
        except msgspec.ValidationError as error:
            detail = f"A response with status {self.status} is not a valid {shape.__name__}: {error}."
            raise ApiError(self.status, {"code": WRONG_SHAPE, "detail": detail}) from error

    @property
    def code(self) -> str:
        """The code of a problem; the status if it has none."""
        try:
            return str(self.json["code"])
        except (ApiError, LookupError, TypeError):
            return str(self.status)


class Line:
    def __init__(self, url: str, tally: Tally, stopped: threading.Event | None = None) -> None:
        self._url = url.rstrip("/")
        timeout = urllib3.Timeout(connect=10, read=LONGEST)
        self._pool = urllib3.PoolManager(maxsize=1, retries=False, timeout=timeout)
        self._stopped = stopped or threading.Event()
        self.tally = tally

    def ask(
        self,
        what: str,
        method: str,
        path: str,
        token: str | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        later: Container[int] = LATER,
    ) -> Answer:
        """Send a request, repeatedly if needed, and return the response, whatever its status.

        ``what``: name of its time in the tally; ``later``: statuses after which it is sent again. If all attempts fail,
        raises `ApiError` with the code ``no-answer`` or that of the last problem.
        """
        told = {"Accept": "application/json", **(headers or {})}
        if token is not None:
            told["Authorization"] = f"Bearer {token}"
        data = None
        if body is not None:
            told["Content-Type"], data = "application/json", orjson.dumps(body)
        problem: Mapping[str, Any] = {}
        status = 0
        for number in range(TRIES):
            began = time.perf_counter()
            try:
                came = self._pool.request(method, self._url + path, body=data, headers=told, redirect=False)
            except urllib3.exceptions.HTTPError as error:
                status, problem = (
                    0,
                    {"code": "no-answer", "detail": f"No service answers at {self._url}: {_plain(error)}."},
                )
                self.tally.failed("no-answer")
                pause = 0.1 * (number + 1)
            else:
                answer = Answer(came.status, came.headers, came.data)
                if answer.status not in later:
                    self.tally.took(f"{what} {answer.status}" if what == "view" else what, time.perf_counter() - began)
                    return answer
                status, problem = answer.status, {"code": answer.code, "detail": _detail(answer)}
                self.tally.failed(answer.code)
                pause = _pause(answer)
            if number + 1 < TRIES:
                self._stopped.wait(min(PAUSE, pause))
        raise ApiError(status, problem)

    def close(self) -> None:
        self._pool.clear()


def _pause(answer: Answer) -> float:
    try:
        return float(answer.headers.get("Retry-After", "1"))
    except ValueError:
        return 1.0


def _detail(answer: Answer) -> str:
    try:
        return str(answer.json.get("detail") or answer.json.get("title") or answer.status)
    except (ApiError, AttributeError):
        return str(answer.status)


def _plain(error: Exception) -> str:
    while error.__cause__ is not None and isinstance(error.__cause__, Exception):
        error = error.__cause__
    return str(getattr(error, "strerror", None) or type(error).__name__)
