"""The one request that delivers a word: to an address that was looked at, and within bounds whoever answers."""

from __future__ import annotations

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
from service.post.brake import Brake
from service.post.webhooks.addresses import ForbiddenAddress, NoAddress, Reach
from service.post.webhooks.retries import seconds_asked
from service.post.webhooks.targets import Target

# Whatever it remarks on strange answers names the address, in which the owner's secret may be.
logging.getLogger("urllib3").setLevel(logging.CRITICAL)

TOO_BUSY = (429, 503)
"""The answers whose `Retry-After` counts."""

MOST_ADDRESSES = 3
"""Addresses of one host that are tried."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of it."""

    reason: str
    """``ok``; ``status`` for an answer that says no; ``forbidden-address``, ``no-address``, ``no-connection``,
    ``no-security`` (its certificate does not hold), ``too-slow``, ``bad-answer`` where there was none."""
    status: int | None
    """Of the answer, if there was one."""
    milliseconds: int
    wait: int = 0
    """For how many seconds a receiver that is too busy asks to be left alone; 0 if it asks for nothing."""

    @property
    def taken(self) -> bool:
        return self.reason == "ok"


class Sender:
    """Posts to receivers that may do anything: hang, lie, answer without end, or lead elsewhere.

    Each request has a connection of its own, to one of the addresses that were looked up and allowed for it: the name is not
    looked up twice, and stands in the header and the certificate alone. No redirect is followed, no proxy of the
    environment asked, and of the answer nothing is read but its head.
    """

    def __init__(self, reach: Reach, seconds: float, trusted: ssl.SSLContext | None = None) -> None:
        """``seconds`` is all that a request may take, with the looking up of its name."""
        self._reach, self._seconds, self._trusted = reach, seconds, trusted or _trusted()

    def post(self, target: Target, headers: Mapping[str, str], body: bytes) -> Answered:
        """Post it; never raises."""
        begun = time.monotonic()

        def came(reason: str, status: int | None = None, wait: int = 0) -> Answered:
            return Answered(reason, status, round(1000 * (time.monotonic() - begun)), wait)

        if not self._reach.allows_port(target.port):
            return came("forbidden-address")
        try:
            addresses = self._reach.addresses(target.host, target.port, self._seconds)
        except ForbiddenAddress:
            return came("forbidden-address")
        except NoAddress:
            return came("no-address")
        except TimeoutError:
            return came("too-slow")
        brake = Brake(self._seconds - (time.monotonic() - begun))
        try:
            said = {"User-Agent": f"OracleWheel/{RELEASE}", **headers}
            status, wait = self._exchange(target, addresses, said, body, brake)
            return came("ok" if 200 <= status < 300 else "status", status, wait)
        except _NoConnection:
            return came("too-slow" if brake.pulled else "no-connection")
        except (OSError, HTTPError, http.client.HTTPException, ValueError) as error:
            if brake.pulled or isinstance(error, TimeoutError) or "timed out" in str(error):
                return came("too-slow")
            return came("no-security" if _is_about_security(error) else "bad-answer")
        finally:
            brake.release()

    def _exchange(
        self, target: Target, addresses: Sequence[str], headers: Mapping[str, str], body: bytes, brake: Brake
    ) -> tuple[int, int]:
        """Send it and hear the head of the answer: its status, and for how many seconds it asks to be left alone."""
        connection = HTTPConnection(target.host, target.port, timeout=self._seconds)
        try:
            connected = connection.sock = _connected(addresses[:MOST_ADDRESSES], target.port, brake)
            if target.secure:
                connection.sock = self._trusted.wrap_socket(connected, server_hostname=target.host.rstrip("."))
            connection.request(
                "POST",
                target.path,
                body,
                {"Host": target.authority, "Accept-Encoding": "identity", "Connection": "close", **headers},
                preload_content=False,
                decode_content=False,
            )
            answer = connection.getresponse()
            brake.left()  # a head that was cut off when its time was up has said nothing
            wait = seconds_asked(answer.headers.get("Retry-After", "")) if answer.status in TOO_BUSY else 0
            return int(answer.status), wait
        finally:
            connection.close()


class _NoConnection(OSError):
    """None of the addresses took the connection."""


def _connected(addresses: Sequence[str], port: int, brake: Brake) -> socket.socket:
    """A connection to one of these addresses, and to no other; the brake can cut it from now on. Raises `_NoConnection`."""
    for address in addresses:
        try:
            connected = socket.create_connection((address, port), brake.left())
        except OSError:
            continue
        brake.hold(connected)
        return connected
    raise _NoConnection


def _trusted() -> ssl.SSLContext:
    """Whom the system trusts, and whom Mozilla does: an image without certificates of its own is no reason to trust nobody."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


def _is_about_security(error: Any) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
