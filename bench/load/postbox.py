"""A mail server in its own process, which accepts every email and passes it to the reader here."""

from __future__ import annotations

import multiprocessing
import re
import signal
from typing import Self

from bench.load.instance import free_port
from bench.load.raw import Connection


class Postbox:
    """Runs for the duration of the ``with`` block. Raises `ImportError` if aiosmtpd is not installed."""

    def __init__(self) -> None:
        import aiosmtpd.controller  # noqa: F401

        self.port = free_port()
        self._came: multiprocessing.Queue[bytes] = multiprocessing.Queue()
        self._process = multiprocessing.Process(target=_take, args=(self.port, self._came), daemon=True)

    def __enter__(self) -> Self:
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()

    @property
    def settings(self) -> dict[str, str]:
        """Settings for a service that sends its email here."""
        return {
            "ORACLEWHEEL_SMTP_URL": f"smtp://127.0.0.1:{self.port}",
            "ORACLEWHEEL_MAIL_FROM": "Oracle Wheel <post@games.example.org>",
            "ORACLEWHEEL_PUBLIC_URL": "https://games.example.org",
        }

    def next(self) -> bytes:
        """The next email; raises `queue.Empty` if none arrives."""
        return self._came.get(timeout=30)

    def waiting(self) -> int:
        return self._came.qsize()

    def confirm(self, connection: Connection) -> None:
        """Follow the link of the email that confirms an address."""
        found = re.search(rb"https://games\.example\.org(/letters/confirm/[\w-]+)", self.next().replace(b"=\r\n", b""))
        if found is None:
            raise RuntimeError("a letter has no link")
        head = b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" % found[1]
        status, _, body = connection.send(head)
        if status != 200:
            raise RuntimeError(f"{status} {body[:300]!r}")


def _take(port: int, came: multiprocessing.Queue[bytes]) -> None:
    from aiosmtpd.controller import Controller

    class Handler:
        async def handle_DATA(self, _server: object, _session: object, envelope: object) -> str:  # noqa: N802
            came.put(envelope.content)  # type: ignore[attr-defined]
            return "250 OK"

    Controller(Handler(), hostname="127.0.0.1", port=port).start()
    signal.pause()
