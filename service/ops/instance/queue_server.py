"""The embedded server of the queue. It persists nothing: the sweeper finds the work of lost jobs."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from pathlib import Path

import structlog

from service.ops import private_files
from service.ops.instance import folder
from service.ops.instance.embedded import answers
from service.ops.instance.server_binary import ServerUnusable, find_binary
from service.ops.processes.child_process import end_with_parent

PAUSE = 0.05
"""Seconds before a server that died is started again."""

_log = structlog.get_logger()


class QueueServer:
    """A server on a unix socket next to that of the games. It is restarted when it dies."""

    def __init__(self, data: Path, binary: Path | None = None) -> None:
        self._data, self._binary = data.resolve(), binary
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self._launching = threading.Lock()
        self._watcher: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"unix://{folder.queue_socket(self._data)}"

    def start(self, patience: float = 30.0) -> str:
        """Start it and wait until it answers. Returns its URL. Raises `ServerUnusable`."""
        binary = self._binary or find_binary()
        folder.make_sockets_place(self._data)
        # The kernel ends the server when the thread that launched it ends, so the supervising thread must launch it.
        self._watcher = threading.Thread(target=self._watch, args=(binary,), name="queue-server", daemon=True)
        self._watcher.start()
        until = time.monotonic() + patience
        while not answers(folder.queue_socket(self._data)):
            if time.monotonic() > until:
                self.stop()
                raise ServerUnusable(f"The server of the queue did not answer within {patience:.0f} seconds.")
            time.sleep(0.01)
        return self.url

    def stop(self) -> None:
        """Stop it. No data is kept.

        If it was never started, the socket may belong to another service in this folder and stays.
        """
        with self._launching:
            self._stopping.set()
            process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()
        if self._watcher is None:
            return
        self._watcher.join()
        folder.queue_socket(self._data).unlink(missing_ok=True)

    def _watch(self, binary: Path) -> None:
        while True:
            with self._launching:
                if self._stopping.is_set():
                    return
                process = self._process = self._launched(binary)
            status = process.wait()
            if not self._stopping.wait(PAUSE):
                _log.warning("queue_server_restarted", status=status)

    def _launched(self, binary: Path) -> subprocess.Popen[bytes]:
        flags = {
            "port": "0",
            "unixsocket": str(folder.queue_socket(self._data)),
            "unixsocketperm": "700",
            "dir": str(self._data),
            "pidfile": str(self._data / "queue.pid"),
            "daemonize": "no",
            "save": "",
            "appendonly": "no",
            "maxmemory-policy": "noeviction",
        }
        return subprocess.Popen(  # noqa: S603 - a program of this service
            [binary, *(part for name, value in flags.items() for part in (f"--{name}", value))],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            process_group=0,
            umask=private_files.OTHERS,
            preexec_fn=end_with_parent,  # noqa: PLW1509 - it makes one system call
        )
