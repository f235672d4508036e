"""The child processes of `serve`: restarted when they die, and stopped in order."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import forkserver
from typing import Protocol

from setproctitle import setproctitle

from service.process.child_process import PARENT, PROCESS, UNUSABLE, end_with_parent
from service.process.logs import logger

LONGEST_PAUSE = 5.0
"""Maximum seconds between attempts to start a child that dies at once."""

AT_ONCE = 3.0
"""Seconds: a child that ran for longer did not die at its start."""

GRACE = 20.0
"""Seconds that a child has to stop."""

HOPELESS = (UNUSABLE, 4)
"""Exit statuses after which a restart is useless: ours, and gunicorn's for an application that cannot be loaded."""

log = logger("serve")

_FORKS = multiprocessing.get_context("forkserver")


class Process(Protocol):
    """A running process: the part of `subprocess.Popen` that is used here."""

    @property
    def pid(self) -> int:
        """Its process id."""

    def poll(self) -> int | None:
        """Its exit status, or None while it runs; negative if a signal ended it."""

    def wait(self, timeout: float) -> int:
        """Wait for its end; its exit status. Raises `subprocess.TimeoutExpired`."""

    def terminate(self) -> None:
        """Send SIGTERM."""

    def kill(self) -> None:
        """Send SIGKILL."""


Start = Callable[[Mapping[str, str]], Process]
"""Starts a process with an environment."""


def program(*words: str) -> Start:
    """A program in its own process group, so that Ctrl-C reaches only its parent."""
    return lambda environ: subprocess.Popen(words, env=environ, process_group=0)  # noqa: S603 - our own program


def preload(module: str) -> None:
    """Import the module in a separate process. `fork` then starts processes from it that share its memory.

    Returns at once; `fork` waits for the import.
    """
    _FORKS.set_forkserver_preload([module])
    forkserver.ensure_running()


def fork(module: str, *words: str) -> Start:
    """The function `main` of a module, called with these arguments in a process that has all preloaded modules."""

    def start(environ: Mapping[str, str]) -> Process:
        process = _FORKS.Process(target=_run, args=(module, words, dict(environ)))
        process.start()
        return _Forked(process)

    return start


def _run(module: str, words: Sequence[str], environ: Mapping[str, str]) -> None:
    os.setpgid(0, 0)  # Ctrl-C reaches only the parent
    for name in set(os.environ) - set(environ):
        del os.environ[name]
    os.environ.update({name: value for name, value in environ.items() if os.environ.get(name) != value})
    setproctitle(" ".join(["oraclewheel", *words]))
    end_with_parent()  # of the process that imported everything
    threading.Thread(target=_end_with_serve, name="parent", daemon=True).start()
    importlib.import_module(module).main(words)


def _end_with_serve() -> None:
    """End this process when `serve` has ended. The process in between lives as long as its children."""
    serve = multiprocessing.parent_process()
    assert serve is not None
    serve.join()
    os.kill(os.getpid(), signal.SIGTERM)


class _Forked:
    """A process of `multiprocessing` with the methods of `subprocess.Popen`."""

    def __init__(self, process: multiprocessing.process.BaseProcess) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout)
        return self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


@dataclass(slots=True)
class Child:
    """One process of a role, and when it may be restarted."""

    name: str
    run: Start
    process: Process | None = None
    started: float = 0.0
    pause: float = 0.1
    due: float = 0.0

    def start(self, environ: Mapping[str, str]) -> None:
        self.started = time.monotonic()
        self.process = self.run({**environ, PROCESS: f"{self.name}-{secrets.token_hex(6)}", PARENT: str(os.getpid())})

    def gone(self) -> bool:
        """Whether it has ended. The pause before a restart grows if it ended early. Raises `Hopeless`."""
        status = None if self.process is None else self.process.poll()
        if status is None:
            return False
        if status in HOPELESS:
            raise Hopeless(f"The process {self.name!r} cannot start. See its error message above.")
        lasted = time.monotonic() - self.started
        self.pause = 0.1 if lasted > AT_ONCE else min(2 * self.pause, LONGEST_PAUSE)
        self.due = time.monotonic() + self.pause
        log.warning("a process died; restarting it", name=self.name, status=status, lasted=lasted)
        self.process = None
        return True

    def end(self, until: float) -> None:
        """Wait for its end, and kill it at the deadline."""
        assert self.process is not None
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            log.warning("a process does not stop; killing it", name=self.name)
            self.process.kill()
            self.process.wait(GRACE)


class Hopeless(RuntimeError):
    """A child cannot start and has printed why. Restarting it would not help."""


@dataclass(slots=True)
class Family:
    """All child processes of `serve`."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    children: list[Child] = field(default_factory=list)

    def add(self, name: str, run: Start, count: int = 1) -> None:
        """Add ``count`` processes of a kind."""
        self.children += [Child(name, run) for _ in range(count)]

    def watch(self, stopped: Callable[[float], bool]) -> None:
        """Restart children until ``stopped`` returns true. It is called with the seconds that it may wait. Raises `Hopeless`."""
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
        """Stop all children, those named ``first`` before the others, and kill those that do not stop."""
        for wave in (True, False):
            some = [child for child in self.children if (child.name == first) is wave and child.process is not None]
            for child in some:
                assert child.process is not None
                child.process.terminate()
            until = time.monotonic() + GRACE
            for child in some:
                child.end(until)
