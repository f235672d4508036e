"""A minimal HTTP client with little overhead, so that the server is measured."""

from __future__ import annotations

import socket

import orjson


class Connection:
    """One keep-alive connection; requests are prepared bytes."""

    def __init__(self, host: str, port: int) -> None:
        self._address = (host, port)
        self._connect()

    def _connect(self) -> None:
        self.line = socket.create_connection(self._address, timeout=60)
        self.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""

    def send(self, request: bytes) -> tuple[int, bytes, bytes]:
        """Send a request; returns status, header block and body of the response."""
        self.say(request)
        while (answer := self.heard()) is None:
            pass
        return answer

    def say(self, request: bytes) -> None:
        """Send without waiting."""
        self.line.sendall(request)

    def heard(self) -> tuple[int, bytes, bytes] | None:
        """The response, if the data available now completes it, else None."""
        answer = self._whole()
        if answer is None:
            self._more()
            answer = self._whole()
        return answer

    def _whole(self) -> tuple[int, bytes, bytes] | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = self._buffer[:end]
        length = _length(head)
        if len(self._buffer) < end + 4 + length:
            return None
        body, self._buffer = self._buffer[end + 4 : end + 4 + length], self._buffer[end + 4 + length :]
        if b"connection: close" in head.lower():
            self.line.close()
            self._connect()
        return int(head[9:12]), head, body

    def fileno(self) -> int:
        """For selectors."""
        return self.line.fileno()

    def _more(self) -> None:
        data = self.line.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        self._buffer += data

    def close(self) -> None:
        self.line.close()


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
    """Send a request and read JSON; raises on anything but success."""
    status, _, answer = connection.send(request(method, path, token, body, **headers))
    if status >= 300:
        raise RuntimeError(f"{method} {path}: {status} {answer[:300]!r}")
    return orjson.loads(answer) if answer else None
