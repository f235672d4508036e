"""The processes that `serve` starts: kept alive, replaced at once where one stands by, and stopped in good order."""

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

NO_HURRY = 3.0
"""Seconds before another process is started to stand by: those that work come first."""

GRACE = 20.0
"""Seconds that a child has for stopping."""

GO = b"go\n"
"""What a process that stands by waits for on its standard input."""

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
    spare: bool = False
    """It stands by: everything is loaded, and it begins when it is told to."""
    process: subprocess.Popen[bytes] | None = None
    known_as: str = ""
    """The name that the process has in the store and the queue, another one at each start."""
    started: float = 0.0
    pause: float = 0.1
    due: float = 0.0

    def start(self, environ: Mapping[str, str]) -> None:
        """Start it, in a process group of its own so that a Ctrl-C reaches only its parent."""
        self.started = time.monotonic()
        self.known_as = f"{self.name}-{secrets.token_hex(6)}"
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            [*self.command, "--spare"] if self.spare else self.command,
            env={**environ, PROCESS: self.known_as, PARENT: str(os.getpid())},
            process_group=0,
            stdin=subprocess.PIPE if self.spare else None,
        )

    def take(self, spare: Child) -> bool:
        """Let the process that stands by take our place; False if there is none that lives."""
        if spare.process is None or spare.process.poll() is not None:
            return False
        assert spare.process.stdin is not None
        try:
            spare.process.stdin.write(GO)
            spare.process.stdin.close()
        except OSError:
            return False
        self.process, self.known_as, self.started = spare.process, spare.known_as, time.monotonic()
        spare.process, spare.due = None, self.started + NO_HURRY
        return True

    def gone(self) -> bool:
        """Whether it has ended; the next start waits the longer the sooner it did. Raises `Hopeless`."""
        if self.process is None or self.process.poll() is None:
            return False
        if self.process.returncode in HOPELESS:
            raise Hopeless(f"The process {self.name!r} cannot start; its own words stand above.")
        lasted = time.monotonic() - self.started
        self.pause = 0.1 if lasted > AT_ONCE else min(2 * self.pause, LONGEST_PAUSE)
        self.due = time.monotonic() + (NO_HURRY if self.spare else self.pause)
        log.warning("a process died; starting it again", name=self.name, status=self.process.returncode, lasted=lasted)
        if self.process.stdin is not None:
            self.process.stdin.close()
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


def nobody(_: str) -> None:
    """Whoever need not know."""


@dataclass(slots=True)
class Family:
    """All children of one parent, who tells ``died`` the name of each that has ended."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    died: Callable[[str], None] = nobody
    children: list[Child] = field(default_factory=list)

    def add(self, name: str, command: Sequence[str], count: int = 1, spares: int = 0) -> None:
        """So many processes of a kind, and so many that stand by in case one of them dies."""
        self.children += [Child(name, command) for _ in range(count)]
        self.children += [Child(name, command, spare=True) for _ in range(spares)]

    def watch(self, stopped: Callable[[float], bool]) -> None:
        """Keep all of them alive until ``stopped``, which is given how many seconds it may wait. Raises `Hopeless`."""
        while True:
            for child in self.children:
                self._look_after(child)
            if stopped(0.05):
                return

    def _look_after(self, child: Child) -> None:
        known_as = child.known_as
        if child.gone() and not child.spare:
            self.died(known_as)
            spares = [each for each in self.children if each.spare and each.name == child.name]
            if any(child.take(spare) for spare in spares):
                return
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
