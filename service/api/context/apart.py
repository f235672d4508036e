"""A process apart for work that nothing else stops for certain, which is killed when its time is up.

A thread shares the interpreter's lock with gevent's loop and cannot be stopped within one long call into C; a signal reaches
the main thread only, which is the loop.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from typing import Any, ClassVar

import orjson

from service.api.context.messages import receive, send
from service.api.context.offload import in_gevent, too_much_work
from service.api.limits.fair import Line

STARTED_WITHIN = 60.0
"""Seconds that the process has to come up, on however busy a machine."""


class OutOfBounds(Exception):
    """A question took longer to answer than it may."""


class ProcessApart:
    """Asks a process of its own under gevent; elsewhere whoever has one works by themselves."""

    module: ClassVar[str]
    """What the process runs: it calls `messages.answer_until_gone`."""

    def __init__(self, seconds: int, *, apart: bool | None = None) -> None:
        self._seconds = seconds
        self._apart = in_gevent() if apart is None else apart
        self._line = Line(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None

    def close(self) -> None:
        """Let the process go; the next question starts another."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        if process is not None:
            process.kill()
            process.wait()

    def _ask(self, question: dict[str, Any], who: str) -> bytes:
        """The answer to a question; raises `OutOfBounds`, and the problem `too-much-work` after too long in the line."""
        with self._line.place(who, 2 * self._seconds) as free:
            if not free:
                raise too_much_work()
            return self._exchange(orjson.dumps({**question, "seconds": self._seconds}))

    def _exchange(self, question: bytes) -> bytes:
        for _ in range(2):
            connection = self._open()
            try:
                connection.settimeout(self._seconds)
                send(connection, question)
                return receive(connection)
            except TimeoutError as error:
                self.close()
                raise OutOfBounds from error
            except (EOFError, OSError):  # it died, perhaps long before and of something else
                self.close()
            except BaseException:  # whoever asked has gone: the answer must not be taken for another question's
                self.close()
                raise
        raise OutOfBounds

    def _open(self) -> socket.socket:
        """The connection to the process, which is started if it does not run."""
        if self._process is not None and self._process.poll() is None and self._connection is not None:
            return self._connection
        self.close()
        ours, theirs = socket.socketpair()
        self._connection = ours
        with contextlib.closing(theirs):
            self._process = subprocess.Popen(  # noqa: S603 - a module of ours
                [sys.executable, "-m", self.module],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
            )
        ours.settimeout(STARTED_WITHIN)
        try:
            receive(ours)
        except (EOFError, OSError) as error:
            self.close()
            raise too_much_work() from error
        return ours
