"""The one request that delivers a word: to an address that was looked at, and within bounds whoever answers."""

from __future__ import annotations

import http.client
import logging
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import certifi
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from domain import RELEASE
from service.post.webhooks.addresses import ForbiddenAddress, NoAddress, Reach
from service.post.webhooks.targets import Target

# Whatever it remarks on strange answers names the address, in which the owner's secret may be.
logging.getLogger("urllib3").setLevel(logging.CRITICAL)

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
        """``seconds`` is all that a request may take, the looking up of its name apart."""
        self._reach, self._seconds, self._trusted = reach, seconds, trusted or _trusted()

    def post(self, target: Target, headers: Mapping[str, str], body: bytes) -> Answered:
        """Post it; never raises."""
        begun = time.monotonic()

        def came(reason: str, status: int | None = None) -> Answered:
            return Answered(reason, status, round(1000 * (time.monotonic() - begun)))

        if not self._reach.allows_port(target.port):
            return came("forbidden-address")
        try:
            addresses = self._reach.addresses(target.host, target.port)
        except ForbiddenAddress:
            return came("forbidden-address")
        except NoAddress:
            return came("no-address")
        brake = _Brake(self._seconds)
        try:
            status = self._exchange(target, addresses, {"User-Agent": f"OracleWheel/{RELEASE}", **headers}, body, brake)
            return came("ok" if 200 <= status < 300 else "status", status)
        except _NoConnection:
            return came("too-slow" if brake.pulled else "no-connection")
        except (OSError, HTTPError, http.client.HTTPException, ValueError) as error:
            if brake.pulled or isinstance(error, TimeoutError) or "timed out" in str(error):
                return came("too-slow")
            return came("no-security" if _is_about_security(error) else "bad-answer")
        finally:
            brake.release()

    def _exchange(
        self, target: Target, addresses: Sequence[str], headers: Mapping[str, str], body: bytes, brake: _Brake
    ) -> int:
        """Send it and hear the head of the answer; its status."""
        connection: _SecureConnection | _PlainConnection
        if target.secure:
            connection = _SecureConnection(target.host, target.port, timeout=self._seconds, ssl_context=self._trusted)
        else:
            connection = _PlainConnection(target.host, target.port, timeout=self._seconds)
        connection.reach_by = (addresses[:MOST_ADDRESSES], brake)
        try:
            connection.request(
                "POST",
                target.path,
                body,
                {"Host": target.authority, "Accept-Encoding": "identity", "Connection": "close", **headers},
                preload_content=False,
                decode_content=False,
            )
            status = int(connection.getresponse().status)
            brake.left()  # a head that was cut off when its time was up has said nothing
            return status
        finally:
            connection.close()


class _NoConnection(OSError):
    """None of the addresses took the connection."""


class _Brake:
    """Ends a connection when its time is up, whatever it is at: a drop every second would keep any other limit waiting."""

    def __init__(self, seconds: float) -> None:
        self.until = time.monotonic() + seconds
        self.pulled = False
        self._socket: socket.socket | None = None
        self._guard = threading.Lock()
        self._timer = threading.Timer(seconds, self._pull)
        self._timer.daemon = True
        self._timer.start()

    def left(self) -> float:
        """Seconds; raises `TimeoutError` when there are none."""
        left = self.until - time.monotonic()
        if left <= 0 or self.pulled:
            raise TimeoutError
        return left

    def hold(self, connected: socket.socket) -> None:
        """The connection that it is for; a handle of its own, because the connection's is handed on to what encrypts it."""
        with self._guard:
            self._socket = connected.dup()
        if self.pulled:
            self._pull()

    def _pull(self) -> None:
        self.pulled = True
        with self._guard, suppress(OSError):
            if self._socket is not None:
                self._socket.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        """It is over."""
        self._timer.cancel()
        with self._guard:
            if self._socket is not None:
                self._socket.close()
                self._socket = None


class _Reaching:
    """A connection that is made to the addresses it is given, and to no other."""

    reach_by: tuple[Sequence[str], _Brake]
    port: int

    def _new_conn(self) -> socket.socket:
        addresses, brake = self.reach_by
        for address in addresses:
            try:
                connected = socket.create_connection((address, self.port), brake.left())
            except OSError:
                continue
            brake.hold(connected)
            return connected
        raise _NoConnection


class _PlainConnection(_Reaching, HTTPConnection):
    """Over HTTP."""


class _SecureConnection(_Reaching, HTTPSConnection):
    """Over HTTPS: name and certificate are the target's, the address is the one that was looked at."""


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
