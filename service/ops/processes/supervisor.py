"""Child processes of `serve` and of the workers' parent: restarted when they die, and stopped in order."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from setproctitle import setproctitle

from service.ops.logging import logger
from service.ops.processes.child_process import PARENT, PROCESS, START, UNUSABLE, end_with_parent

LONGEST_PAUSE = 5.0
"""Maximum seconds between attempts to start a child that dies at once."""

AT_ONCE = 3.0
"""Seconds: a child that ran for longer did not die at its start."""

GRACE = 20.0
"""Seconds that a child has to stop."""

_HANDLED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}

HOPELESS = (UNUSABLE, 4)
"""Exit statuses after which a restart is useless: ours, and gunicorn's for an application that cannot be loaded."""

log = logger("serve")

_FORKS = multiprocessing.get_context("fork")


class Process(Protocol):
    """A running process: the part of `subprocess.Popen` that is used here."""

    @property
    def pid(self) -> int:
        """Its process id."""

    def poll(self) -> int | None:
        """Its exit status, or None while it runs; negative if a signal ended it."""

    def wait(self, timeout: float) -> int:
        """Wait for its end; returns its exit status. Raises `subprocess.TimeoutExpired`."""

    def terminate(self) -> None:
        """Send SIGTERM."""

    def kill(self) -> None:
        """Send SIGKILL."""

    def is_ready(self) -> bool:
        """Whether it has imported everything and waits for `begin`."""

    def begin(self) -> None:
        """Let it start its work as soon as it is ready."""


Start = Callable[[Mapping[str, str]], Process]
"""Starts a process with an environment."""


class Program(subprocess.Popen[bytes]):
    """A program in its own process group, so that Ctrl-C reaches only its parent.

    It calls `await_start` when it has imported everything.
    """

    def __init__(self, words: Sequence[str], environ: Mapping[str, str], files: Sequence[int] = ()) -> None:
        """``files`` are descriptors that it inherits."""
        self._channel, theirs = socket.socketpair()
        self._ready = False
        with theirs:
            environ = {**environ, START: str(theirs.fileno())}
            super().__init__(words, env=environ, process_group=0, pass_fds=(theirs.fileno(), *files))

    def is_ready(self) -> bool:
        if not self._ready:
            try:
                self._ready = bool(self._channel.recv(1, socket.MSG_DONTWAIT))
            except (BlockingIOError, ConnectionResetError):
                return False
        return self._ready

    def begin(self) -> None:
        try:
            self._channel.send(b"1")
        except BrokenPipeError:
            return  # it has ended


def program(*words: str, files: Sequence[int] = ()) -> Start:
    """Returns the start of a program that calls `await_start`."""
    return lambda environ: Program(words, environ, files)


def fork(module: str, *words: str) -> Start:
    """Returns the start of a forked process that calls `main` of a module. The caller must have only one thread."""

    def start(environ: Mapping[str, str]) -> Process:
        process = _FORKS.Process(target=_run, args=(module, words, environ, os.getpid()))
        masked = signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, masked)
        return Forked(process)

    return start


def _run(module: str, words: Sequence[str], environ: Mapping[str, str], parent: int) -> None:
    for number in _HANDLED:  # until now the handlers were the parent's
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
    end_with_parent(str(parent))
    os.setpgid(0, 0)  # Ctrl-C reaches only the parent
    setproctitle(" ".join(["oraclewheel", *words]))  # first, because it needs the original environment
    os.environ.update(environ)
    importlib.import_module(module).main(words)


class Forked:
    """A process of `multiprocessing` with the methods of `subprocess.Popen`. It starts its work at once."""

    def __init__(self, process: Any) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        pid: int = self._process.pid
        return pid

    def poll(self) -> int | None:
        status: int | None = self._process.exitcode
        return status

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        status = self.poll()
        if status is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout)
        return status

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()

    def is_ready(self) -> bool:
        return True

    def begin(self) -> None:
        """Does nothing, because it runs already."""


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
        log.warning("process_restarted", name=self.name, status=status, lasted=lasted)
        self.process = None
        return True

    def end(self, until: float) -> None:
        """Wait for its end, and kill it at the deadline."""
        assert self.process is not None
        try:
            self.process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            log.warning("process_killed", name=self.name)
            self.process.kill()
            self.process.wait(GRACE)
        self.process = None


class Hopeless(RuntimeError):
    """A child cannot start and has printed why. Restarting it would not help."""


@dataclass(slots=True)
class Family:
    """All child processes of a process: starts them, lets them begin, and restarts them when they end."""

    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    grace: float = GRACE
    children: list[Child] = field(default_factory=list)
    begun: bool = False

    def add(self, name: str, run: Start) -> None:
        self.children.append(Child(name, run))

    def start(self) -> None:
        """Start all. They import what they need, and wait for `begin`."""
        for child in self.children:
            child.start(self.environ)

    def is_ready(self) -> bool:
        """Whether all have imported what they need."""
        return all(child.process is not None and child.process.is_ready() for child in self.children)

    def has_failed(self) -> bool:
        return any(child.process is None or child.process.poll() is not None for child in self.children)

    def begin(self) -> None:
        """Let all start their work."""
        self.begun = True
        for child in self.children:
            if child.process is not None:
                child.process.begin()

    def look_after(self) -> None:
        """Restart those that have ended. Call it every few milliseconds. Raises `Hopeless`."""
        for child in self.children:
            child.gone()
            if child.process is None and time.monotonic() >= child.due:
                child.start(self.environ)
                if self.begun and child.process is not None:
                    child.process.begin()

    def terminate(self, name: str = "") -> None:
        """Ask those of this name to stop, or all."""
        for child in self._named(name):
            if child.process is not None:
                child.process.terminate()

    def stop(self, name: str = "") -> None:
        """Stop those of this name, or all, and kill those that do not stop."""
        self.terminate(name)
        until = time.monotonic() + self.grace
        for child in self._named(name):
            if child.process is not None:
                child.end(until)

    def _named(self, name: str) -> list[Child]:
        return [child for child in self.children if name in ("", child.name)]
