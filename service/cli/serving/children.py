"""The processes that `serve` starts: kept alive, and stopped in good order."""

from __future__ import annotations

import os
import secrets
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from service.process.child_process import PARENT, PROCESS, UNUSABLE
from service.process.logs import logger

LONGEST_PAUSE = 5.0
"""Seconds between the attempts to start a child that dies at once."""

AT_ONCE = 3.0
"""Seconds: a child that has lived so long did not die of its start."""

GRACE = 20.0
"""Seconds that a child has for stopping."""

HOPELESS = (UNUSABLE, 4)
"""Exit statuses after which another start would be no use: ours, and gunicorn's for an application that cannot load."""

log = logger("serve")


class Hopeless(RuntimeError):
    """A child that cannot start has said why; it would say so again for ever."""


@dataclass(slots=True)
class Child:
    """One process of a role, and when it may be started again."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = 0.1
    due: float = 0.0

    def start(self, environ: Mapping[str, str]) -> None:
        """Start it, in a process group of its own so that a Ctrl-C reaches only its parent."""
        self.started = time.monotonic()
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            self.command,
            env={**environ, PROCESS: f"{self.name}-{secrets.token_hex(6)}", PARENT: str(os.getpid())},
            process_group=0,
        )

    def gone(self) -> bool:
        """Whether it has ended; the next start waits the longer the sooner it did. Raises `Hopeless`."""
        if self.process is None or self.process.poll() is None:
            return False
        if self.process.returncode in HOPELESS:
            raise Hopeless(f"The process {self.name!r} cannot start; its own words stand above.")
        lasted = time.monotonic() - self.started
        self.pause = 0.1 if lasted > AT_ONCE else min(2 * self.pause, LONGEST_PAUSE)
        self.due = time.monotonic() + self.pause
        log.warning("a process died; starting it again", name=self.name, status=self.process.returncode, lasted=lasted)
        self.process = None
        return True

    def end(self, until: float) -> None:
        """Wait for its end, and force it when the time is up."""
        assert self.process is not None
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            log.warning("a process does not stop; ending it by force", name=self.name)
            self.process.kill()
            self.process.wait()


@dataclass(slots=True)
class Family:
    """All children of one parent."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    children: list[Child] = field(default_factory=list)

    def add(self, name: str, command: Sequence[str], count: int = 1) -> None:
        """So many processes of a kind."""
        self.children += [Child(name, command) for _ in range(count)]

    def watch(self, stopped: Callable[[float], bool]) -> None:
        """Keep all of them alive until ``stopped``, which is given how many seconds it may wait. Raises `Hopeless`."""
        while True:
            for child in self.children:
                self._look_after(child)
            if stopped(0.05):
                return

    def _look_after(self, child: Child) -> None:
        child.gone()
        if child.process is None and time.monotonic() >= child.due:
            child.start(self.environ)

    def stop(self, first: str) -> None:
        """Ask all to come to an end, those of one kind before the others, and end by force whoever does not."""
        for wave in (True, False):
            some = [child for child in self.children if (child.name == first) is wave and child.process is not None]
            for child in some:
                assert child.process is not None
                child.process.terminate()
            until = time.monotonic() + GRACE
            for child in some:
                child.end(until)
