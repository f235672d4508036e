"""Starts the embedded Redis-compatible server, restarts it, and stops it cleanly."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO, Literal, Self

import structlog

from service.ops import private_files
from service.ops.instance import aof, folder
from service.ops.instance.identity import RECORD
from service.ops.instance.server_binary import (
    BINARY_SETTING,
    OLDEST,
    ServerUnusable,
    ServerVersion,
    can_read,
    find_binary,
    identify,
    written_by,
)
from service.ops.processes.child_process import end_with_parent, is_alive
from service.store.ports.errors import StoreUnusable

_AT_ONCE, _LONGEST_PAUSE = 2.0, 1.0
"""Seconds: a server that ran for longer did not fail at its start; and the maximum pause before a restart."""
DISK_FULL = 1 << 20
"""Free bytes below which a disk counts as full."""
_LOOK = 1.0
"""Seconds between two checks of a full disk."""
_NO_PRIMARY = "127.0.0.1 0"
"""An address without a listener. A replica of it is read-only, and does not delete expired keys either."""
LISTPACK_ENTRIES = 1024
"""Number of a game's submission ids up to which they are stored in the compact form."""

_log = structlog.get_logger()


class InUse(ServerUnusable):
    """Another process runs a server on the folder."""


class EmbeddedServer:
    """A server on a unix socket, with its data in one folder.

    It is restarted when it dies. Only one process at a time may launch it on the folder. The folder records which
    server wrote it.
    """

    def __init__(
        self,
        data: Path,
        *,
        fsync: Literal["always", "everysec", "no"] = "always",
        binary: Path | None = None,
        accept_loss: bool = False,
        repair: bool = False,
    ) -> None:
        """With ``repair``, a damaged end of the append-only file is cut off before the start. A copy is kept."""
        self._data = data.resolve()
        self._fsync = fsync
        self._binary = binary
        self._accept_loss = accept_loss
        self._repair = repair
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None
        self._stopping = threading.Event()
        self._launching = threading.Lock()
        self._answered = threading.Event()
        self._watcher: threading.Thread | None = None
        self.failure: ServerUnusable | StoreUnusable | None = None
        """Why it cannot be started again; None if it can."""
        self.restarts = 0

    @property
    def socket(self) -> Path:
        """Path of the socket, the same for every process that uses the folder."""
        return folder.socket_path(self._data)

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def start(self, patience: float = 120.0) -> str:
        """Start it, wait until it answers (at most ``patience`` seconds), and supervise it. Returns its URL.

        Raises `ServerUnusable`: no binary, folder in use, or data of a server that this one cannot read. Raises
        `StoreUnusable`: files of the folder are missing.
        """
        binary = self._binary or find_binary()
        present = identify(binary)
        if present.release < OLDEST:
            raise ServerUnusable(f"{binary} is {present}; version 7.0 or later is needed.")
        folder.make_private(self._data)
        folder.make_sockets_place(self._data)
        self._lock = _locked(self._data)
        try:
            self._check_record(present)
            if self._accept_loss:
                self._set_aside()
            aof.check(self._data)
            if self._repair and (copy := aof.repair(self._data)) is not None:
                _log.warning("append_only_file_truncated", copy=str(copy))
            # The kernel ends the server when the thread that launched it ends, so the supervising thread must launch
            # it.
            self._watcher = threading.Thread(target=self._watch, args=(binary,), name="embedded-server", daemon=True)
            self._watcher.start()
            self._await_answer(patience)
        except BaseException:
            self.stop()
            raise
        private_files.write(self._data / "server.json", json.dumps(asdict(present)) + "\n")
        return self.url

    def stop(self, patience: float = 30.0) -> None:
        """Shut down cleanly. All accepted writes are on disk afterwards."""
        with self._launching:
            self._stopping.set()
            process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(patience)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._watcher is not None and self._watcher is not threading.current_thread():
            self._watcher.join(patience)
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _check_record(self, present: ServerVersion) -> None:
        record = self._data / "server.json"
        if record.exists():
            wrote = written_by(record)
            if not can_read(present, wrote):
                raise ServerUnusable(
                    f"The data in {self._data} was written by {wrote}, which {present} cannot read."
                    f" Start with the server that wrote it ({BINARY_SETTING}) or with another data folder."
                )
        elif not (self._data / "appendonlydir").exists():
            private_files.write(record, json.dumps(asdict(present)) + "\n")

    def _set_aside(self) -> None:
        """Move away files that the server could not load, and keep them. Called if the loss is accepted."""
        try:
            aof.check(self._data)
        except StoreUnusable:
            aside = aof.set_aside(self._data)
            (self._data / RECORD).unlink(missing_ok=True)
            _log.warning("started_without_games", where=str(aside))

    def _launch(self, binary: Path, *, read_only: bool = False) -> None:
        flags = {
            "port": "0",
            "unixsocket": str(folder.make_sockets_place(self._data)),  # something may have cleaned up /tmp
            "unixsocketperm": "700",
            "dir": str(self._data),
            "logfile": str(self._data / "server.log"),
            "pidfile": str(self._data / "server.pid"),
            "daemonize": "no",
            "save": "",
            "appendonly": "yes",
            "appendfsync": self._fsync,
            "no-appendfsync-on-rewrite": "no",
            "aof-use-rdb-preamble": "yes",
            "maxmemory-policy": "noeviction",
            "hash-max-listpack-entries": str(LISTPACK_ENTRIES),
        }
        if read_only:
            flags["replicaof"] = _NO_PRIMARY
        arguments = [part for name, value in flags.items() for part in (f"--{name}", value)]
        assert self._lock is not None
        self._process = subprocess.Popen(  # noqa: S603 - a program of this service
            [binary, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            pass_fds=(self._lock.fileno(),),
            process_group=0,
            umask=private_files.OTHERS,
            preexec_fn=end_with_parent,  # noqa: PLW1509 - it makes one system call
        )

    def _await_answer(self, patience: float) -> None:
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if self._watcher is None or not self._watcher.is_alive():
                if self.failure is not None:
                    raise self.failure
                raise ServerUnusable(self._why_not())
            if answers(self.socket):
                self._answered.set()
                return
            time.sleep(0.01)
        raise ServerUnusable(f"The embedded server did not answer within {patience:.0f} seconds.")

    def launcher(self) -> int | None:
        """The process id of the running launcher of the folder's server. None if no launcher runs."""
        try:
            text = (self._data / "lock").read_text().strip()
        except OSError:
            return None
        return int(text) if text.isdigit() and is_alive(int(text)) else None

    def diagnosis(self) -> str:
        """The reason why the server does not answer, from the disk and its log."""
        if self._is_full():
            return f"The disk of {self._data} is full. Free some space; the service then continues by itself."
        return f"The last lines of {self._data / 'server.log'}: {self._last_words()}"

    def _is_full(self) -> bool:
        return shutil.disk_usage(self._data).free < DISK_FULL

    def _wait_for_room(self, process: subprocess.Popen[bytes]) -> int:
        """Make a read-only server writable when the disk has room. Returns its exit status after it has ended."""
        while True:
            try:
                return process.wait(_LOOK)
            except subprocess.TimeoutExpired:
                if not self._is_full() and _said(self.socket, b"REPLICAOF NO ONE\r\n").startswith(b"+OK"):
                    _log.warning("disk_writable", path=str(self._data))
                    return process.wait()

    def _why_not(self) -> str:
        if (tail := aof.bad_tail(self._data)) is not None:
            return (
                f"The last {tail.size} bytes of {tail.path} are damaged, as happens after a power failure. The "
                f"{tail.intact} bytes before them are intact. Nothing has been changed. Run `oraclewheel serve "
                "--repair-aof` to cut off the damaged end; it keeps a copy of the file."
            )
        return f"The embedded server did not start. Its last log lines: {self._last_words()}"

    def _last_words(self) -> str:
        try:
            lines = (self._data / "server.log").read_text(errors="replace").splitlines()
        except OSError:
            return "none"
        return " / ".join(line.strip() for line in lines[-3:])

    def _watch(self, binary: Path) -> None:
        pause, full = 0.05, False
        while True:
            with self._launching:
                if self._stopping.is_set():
                    return
                try:
                    aof.check(self._data)
                    self._launch(binary, read_only=full)
                except (ServerUnusable, StoreUnusable) as error:
                    if self._answered.is_set():
                        _log.error("embedded_server_restart_failed", reason=str(error))
                    self.failure = error
                    return
                process = self._process
            assert process is not None
            started = time.monotonic()
            status = self._wait_for_room(process) if full else process.wait()
            if self._stopping.is_set() or not self._answered.is_set():
                return
            if time.monotonic() - started > _AT_ONCE:
                pause = 0.05
            full = self._is_full()
            if full:
                _log.error("disk_full", path=str(self._data))
            _log.warning("embedded_server_restarted", status=status, pause=pause, last_words=self._last_words())
            self._stopping.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)
            self.restarts += 1


def answers(path: Path) -> bool:
    """Whether the server on this socket has loaded its data and accepts commands."""
    return _said(path, b"PING\r\n").startswith(b"+PONG")


def is_read_only(path: Path) -> bool:
    """Whether the server on this socket only accepts reads, because its disk is full."""
    return _said(path, b"ROLE\r\n").startswith(b"*5\r\n$5\r\nslave")


def _said(path: Path, command: bytes) -> bytes:
    """The beginning of the reply to a command; empty without a reply."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(path))
            connection.sendall(command)
            return connection.recv(64)
    except OSError:
        return b""


def _locked(data: Path) -> IO[str]:
    """The folder's lock.

    The server inherits it, so the folder stays locked while a server without a launcher still writes.
    """
    lock = os.fdopen(private_files.opened_privately(data / "lock"), "r+")
    for _ in range(200):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            launcher = lock.read().strip()
            if launcher.isdigit() and is_alive(int(launcher)):
                lock.close()
                raise InUse(f"The data folder {data} is in use by process {launcher}.") from None
            _end_orphan(data)
            time.sleep(0.05)
            continue
        lock.seek(0)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        os.set_inheritable(lock.fileno(), True)
        return lock
    lock.close()
    raise ServerUnusable(f"An old server process in the data folder {data} does not stop. End it, then start again.")


def _end_orphan(data: Path) -> None:
    try:
        pid = int((data / "server.pid").read_text())
        os.kill(pid, signal.SIGTERM)
    except (OSError, ValueError):
        return
