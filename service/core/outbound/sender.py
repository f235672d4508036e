"""The HTTP request that delivers a notification: to a checked address, and with limits on any receiver."""

from __future__ import annotations

import functools
import http.client
import logging
import socket
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import certifi
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError

from domain import RELEASE
from service.core.outbound.addresses import AllowedAddresses, ForbiddenAddress, NoAddress
from service.core.outbound.deadline import ConnectionDeadline
from service.core.outbound.retries import parse_retry_after
from service.core.outbound.targets import Target

# urllib3's warnings about odd responses contain the URL, which may hold the owner's secret.
logging.getLogger("urllib3").setLevel(logging.CRITICAL)

TOO_BUSY = (429, 503)
"""Status codes for which `Retry-After` counts."""

MAX_ADDRESSES = 3
"""Maximum number of a host's addresses to try."""

LONGEST_HEAD = 65_536
"""Maximum bytes before the body of a response. `http.client` does not limit interim responses (`100 Continue`)."""


@dataclass(frozen=True, slots=True)
class PostResult:
    """The result of a request."""

    reason: str
    """``ok``; ``status`` for a non-2xx response; ``forbidden-address``, ``no-address``, ``no-connection``,
    ``no-security`` (TLS failed), ``too-slow``, ``bad-answer`` if there was no valid response."""
    status: int | None
    """Status of the response; None if there was none."""
    milliseconds: int
    retry_after: int = 0
    """Seconds that a busy receiver requested before a retry; 0 if none."""

    @property
    def is_accepted(self) -> bool:
        return self.reason == "ok"


@dataclass(frozen=True, slots=True)
class GetResult:
    """The result of a request for a document."""

    result: PostResult
    body: bytes | None
    """None if there is no 2xx response, or its body is too large."""


class Sender:
    """Requests to untrusted servers, which may hang, lie, respond without end or redirect elsewhere.

    Each request has its own connection to one of the addresses that were resolved and allowed for it. The name is not
    resolved twice; it appears only in the Host header and the certificate check. Redirects are not followed, proxies
    from the environment are ignored. Of a response to POST only the head is read.
    """

    def __init__(self, allowed: AllowedAddresses, seconds: float, trusted: ssl.SSLContext | None = None) -> None:
        """``seconds`` limits the whole request, including the lookup."""
        self._allowed, self._seconds, self._trusted = allowed, seconds, trusted or load_trusted_authorities()

    def post(self, target: Target, headers: Mapping[str, str], body: bytes) -> PostResult:
        """Post the body. Never raises."""
        return self._request(target, "POST", headers, body, 0).result

    def get(self, target: Target, headers: Mapping[str, str], most: int) -> GetResult:
        """Read a document of at most so many bytes. Never raises."""
        return self._request(target, "GET", headers, None, most)

    def _request(
        self, target: Target, method: str, headers: Mapping[str, str], body: bytes | None, most: int
    ) -> GetResult:
        begun = time.monotonic()

        def result(reason: str, status: int | None = None, wait: int = 0, read: bytes | None = None) -> GetResult:
            return GetResult(PostResult(reason, status, round(1000 * (time.monotonic() - begun)), wait), read)

        if not self._allowed.allows_port(target.port):
            return result("forbidden-address")
        try:
            addresses = self._allowed.resolve_host(target.host, target.port, self._seconds)
        except ForbiddenAddress:
            return result("forbidden-address")
        except NoAddress:
            return result("no-address")
        except TimeoutError:
            return result("too-slow")
        deadline = ConnectionDeadline(self._seconds - (time.monotonic() - begun))
        try:
            headers = {"User-Agent": f"OracleWheel/{RELEASE}", **headers}
            status, wait, read = self._exchange(target, addresses, method, headers, body, most, deadline)
            return result("ok" if 200 <= status < 300 else "status", status, wait, read)
        except _NoConnection:
            return result("too-slow" if deadline.is_expired else "no-connection")
        except (OSError, HTTPError, http.client.HTTPException, ValueError) as error:
            if deadline.is_expired or isinstance(error, TimeoutError) or "timed out" in str(error):
                return result("too-slow")
            return result("no-security" if _is_tls_error(error) else "bad-answer")
        finally:
            deadline.cancel()

    def _exchange(
        self,
        target: Target,
        addresses: Sequence[str],
        method: str,
        headers: Mapping[str, str],
        body: bytes | None,
        most: int,
        deadline: ConnectionDeadline,
    ) -> tuple[int, int, bytes | None]:
        """Send the request and read the head of the response, and its body if it has at most ``most`` bytes.

        Returns the status, the requested wait in seconds, and the body.
        """
        connection = HTTPConnection(target.host, target.port, timeout=self._seconds)
        connection.response_class = _Response
        try:
            connected = connection.sock = _connect(addresses[:MAX_ADDRESSES], target.port, deadline)
            if target.secure:
                connection.sock = self._trusted.wrap_socket(connected, server_hostname=target.host.rstrip("."))
            connection.request(
                method,
                target.path,
                body,
                {"Host": target.authority, "Accept-Encoding": "identity", "Connection": "close", **headers},
                preload_content=False,
                decode_content=False,
            )
            answer = connection.getresponse()
            read = answer.read(most + 1) if most and 200 <= answer.status < 300 else None
            deadline.remaining()  # a response that was cut off by the time limit is invalid
            wait = parse_retry_after(answer.headers.get("Retry-After", "")) if answer.status in TOO_BUSY else 0
            return int(answer.status), wait, None if read is None or len(read) > most else read
        finally:
            connection.close()


class _Head:
    """Reads the head of a response; raises `HTTPException` after `LONGEST_HEAD` bytes."""

    def __init__(self, file: Any) -> None:
        self._file, self._left = file, LONGEST_HEAD

    def readline(self, limit: int = -1) -> bytes:
        line: bytes = self._file.readline(limit)
        self._left -= len(line)
        if self._left < 0:
            raise http.client.HTTPException("the response has an endless head")
        return line

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Response(http.client.HTTPResponse):
    """A response with a limited head."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.fp: Any = _Head(self.fp)


class _NoConnection(OSError):
    """None of the addresses accepted the connection."""


def _connect(addresses: Sequence[str], port: int, deadline: ConnectionDeadline) -> socket.socket:
    """A connection to one of these addresses only. From here on the deadline can cut it. Raises `_NoConnection`."""
    for address in addresses:
        try:
            connected = socket.create_connection((address, port), deadline.remaining())
        except OSError:
            continue
        deadline.watch(connected)
        return connected
    raise _NoConnection


@functools.cache
def load_trusted_authorities() -> ssl.SSLContext:
    """Trusts the system's and Mozilla's certificates, because a container image may have none of its own.

    Loading them takes 60 ms of CPU, so a process does it once.
    """
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _is_tls_error(error: Any) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
