"""The processes that `serve` starts: kept alive, and stopped in good order."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from service.logs import logger

LONGEST_PAUSE = 5.0
"""Seconds between the attempts to start a child that dies at once."""

GRACE = 20.0
"""Seconds that a child has for stopping."""

log = logger("serve")


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
        self.process = subprocess.Popen(self.command, env=dict(environ), process_group=0)  # noqa: S603 - our own program

    def gone(self) -> bool:
        """Whether it has ended; the next start waits the longer the sooner it did."""
        if self.process is None or self.process.poll() is None:
            return False
        lasted = time.monotonic() - self.started
        self.pause = 0.1 if lasted > 10 else min(2 * self.pause, LONGEST_PAUSE)
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
        """Keep all of them alive until ``stopped``, which is given how many seconds it may wait."""
        while True:
            for child in self.children:
                child.gone()
                if child.process is None and time.monotonic() >= child.due:
                    child.start(self.environ)
            if stopped(0.1):
                return

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
