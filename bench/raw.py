"""An HTTP client that costs next to nothing, so that what is measured is the server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial

import orjson


class Connection:
    """One keep-alive connection; requests are bytes made ready beforehand."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._connect()

    def _connect(self) -> None:
        self._socket = socket.create_connection(self._address, timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""

    def send(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Status, header block and body of the answer."""
        self._socket.sendall(request)
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            self._more()
        head, self._buffer = self._buffer[:end], self._buffer[end + 4 :]
        length = _length(head)
        while len(self._buffer) < length:
            self._more()
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        if b"connection: close" in head.lower():
            self._socket.close()
            self._connect()
        return int(head[9:12]), head, body

    def _more(self) -> None:
        data = self._socket.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        self._buffer += data

    def close(self) -> None:
        self._socket.close()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def request(method: str, path: str, token: str | None = None, body: object = None, **headers: str) -> bytes:
    """The bytes of a request; header names with underscores for dashes."""
    data = b"" if body is None else orjson.dumps(body)
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Content-Length: {len(data)}"]
    if token is not None:
        lines.append(f"Authorization: Bearer {token}")
    if body is not None:
        lines.append("Content-Type: application/json")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + data


def call(connection: Connection, method: str, path: str, token: str | None = None, body: object = None, **headers: str):
    """Send and read JSON; raises on anything but success."""
    status, _, answer = connection.send(request(method, path, token, body, **headers))
    if status >= 300:
        raise RuntimeError(f"{method} {path}: {status} {answer[:300]!r}")
    return orjson.loads(answer) if answer else None


def rate(
    address: tuple[str, int], request_bytes: bytes, expect: int, clients: int = 16, duration: float = 2.0
) -> float:
    """Requests a second that the server answers to so many clients, all with the expected status."""
    connections = [Connection(*address) for _ in range(clients)]
    return crowd([partial(_once, connection, request_bytes, expect) for connection in connections], duration)


def _once(connection: Connection, request_bytes: bytes, expect: int) -> None:
    status, _, body = connection.send(request_bytes)
    if status != expect:
        raise RuntimeError(f"{status} instead of {expect}: {body[:300]!r}")


def crowd(acts: Sequence[Callable[[], object]], duration: float) -> float:
    """Every act again and again in a thread of its own for so many seconds; how many were done a second."""
    done, failed = [0] * len(acts), []
    begun = time.perf_counter()
    end = begun + duration

    def loop(place: int) -> None:
        try:
            while time.perf_counter() < end:
                acts[place]()
                done[place] += 1
        except Exception as error:  # noqa: BLE001 - told to the caller below
            failed.append(error)

    threads = [threading.Thread(target=loop, args=(place,)) for place in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(done) / (time.perf_counter() - begun)
