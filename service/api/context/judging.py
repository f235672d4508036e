"""Positions from outside are looked at in a process apart, which is killed when its time is up.

Nothing less stops pure Python for certain: a thread shares the interpreter's lock with the loop and cannot be stopped within
one long call into C; a signal reaches the main thread only, which is gevent's loop.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from typing import Any

import orjson

from domain.game import AnyGame, Setup
from service.api.context.judge_process import receive, send
from service.api.context.offload import in_gevent, too_much_work
from service.api.limits.fair import Line
from service.projections.fitness import Verdict, general_bound, verdict

STARTED_WITHIN = 60.0
"""Seconds that the process has to come up, on however busy a machine."""


class OutOfBounds(Exception):
    """A position took longer to look at than it may."""


class PositionJudge:
    """Judges positions: under gevent in a process of its own, else here."""

    def __init__(self, seconds: int, *, apart: bool | None = None) -> None:
        self._seconds = seconds
        self._apart = in_gevent() if apart is None else apart
        self._line = Line(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None

    def verdict(self, game: AnyGame, setup: Setup, position: Any, who: str) -> Verdict:
        """The verdict on a position; raises `OutOfBounds` where it takes too long, and the problem `too-much-work`."""
        if not self._apart:
            return verdict(game, setup, position)
        bound = general_bound(position)
        if bound:
            return Verdict(bound)
        given = {"seats": setup.seats, "ruleset": setup.ruleset, "options": setup.options, "modules": setup.modules}
        question = {"kind": game.key, "setup": given, "position": position, "seconds": self._seconds}
        with self._line.place(who, 2 * self._seconds) as free:
            if not free:
                raise too_much_work()
            found = orjson.loads(self._exchange(orjson.dumps(question)))
        return verdict(game, setup, position) if found is None else Verdict(**found)

    def close(self) -> None:
        """Let the process go; the next question starts another."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        if process is not None:
            process.kill()
            process.wait()

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
            self._process = subprocess.Popen(
                [sys.executable, "-m", "service.api.context.judge_process"],
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
