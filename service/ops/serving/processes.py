"""The child processes of one `serve`, and their replacement while the service answers."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping

from service.ops.instance import folder
from service.ops.logging import logger
from service.ops.processes.child_process import LISTENER
from service.ops.processes.supervisor import Family, program
from service.ops.settings import BadSetting, Settings

API, WORKERS = "api", "workers"
"""Names of the child processes."""

SERVER = (sys.executable, "-m", "gunicorn", "-c", "python:service.ops.server.config", "service.ops.server.app:app()")
"""The command that serves the API."""

METRICS = "PROMETHEUS_MULTIPROC_DIR"
"""The variable of prometheus-client that names the folder of metrics."""

log = logger("serve")


class Processes:
    """The process of the API and the parent process of the workers.

    Both import everything at `start`, and begin to work at `begin`.
    """

    def __init__(
        self, settings: Settings, roles: tuple[str, ...], listener: socket.socket | None, metrics: str
    ) -> None:
        """``listener`` is the socket of the API. ``metrics`` is the folder of the metrics of all processes."""
        self.roles, self.metrics = roles, metrics
        self._listener = listener
        self.redis_url = settings.redis_url or f"unix://{folder.socket_path(settings.data)}"
        self._queue_url = settings.queue_url
        if not (settings.redis_url or settings.queue_url):
            self._queue_url = f"unix://{folder.queue_socket(settings.data)}"
        self._current = self._family(settings)
        self._next: Family | None = None

    @property
    def environ(self) -> Mapping[str, str]:
        return self._current.environ

    def start(self) -> None:
        """Start all processes. Returns at once."""
        self._current.start()

    def begin(self) -> None:
        """Let the processes work. Call it when the store can be used."""
        self._current.begin()

    def reload(self) -> None:
        """Start new processes with the current settings and the installed code.

        `look_after` replaces the old ones with them.
        """
        if self._next is not None:
            return
        try:
            self._next = self._family(Settings.load())
        except BadSetting as error:
            log.warning("reload_failed", reason=str(error))
            return
        self._next.start()

    def look_after(self) -> None:
        """Restart processes that have ended. Call it every few milliseconds. Raises `Hopeless`."""
        self._current.look_after()
        if self._next is None:
            return
        if self._next.has_failed():
            log.warning("reload_failed", reason="A new process ended. See its error message above.")
            self._next.stop()
            self._next = None
        elif self._next.is_ready():
            self._replace(self._next)
            self._next = None

    def _replace(self, new: Family) -> None:
        """Replace the workers while the old API answers, then the API. New connections wait in the socket in the meantime."""
        old, self._current = self._current, new
        old.stop(WORKERS)
        old.terminate(API)
        new.begin()
        old.stop()
        log.info("reloaded")

    def stop(self) -> None:
        """Stop all processes, the API first."""
        if self._next is not None:
            self._next.stop()
        self._current.terminate(API)
        if self._listener is not None:
            self._listener.close()  # otherwise new clients would wait until the end
        self._current.stop(API)
        self._current.stop()

    def _family(self, settings: Settings) -> Family:
        environ = {
            **os.environ,
            **settings.environ(),
            "ORACLEWHEEL_REDIS_URL": self.redis_url,
            "ORACLEWHEEL_QUEUE_URL": self._queue_url,
        }
        if API in self.roles or settings.metrics_port:  # otherwise nothing reads the metrics or deletes old ones
            environ[METRICS] = self.metrics
        # The parent of the workers gets more time than each worker, because it stops them.
        family = Family(environ, grace=25)
        if self._listener is not None:
            number = self._listener.fileno()
            environ[LISTENER] = str(number)
            family.add(API, program(*SERVER, files=[number]))
        if workers := self._workers(settings):
            family.add(WORKERS, program(sys.executable, "-m", "workers.parent", *workers))
        return family

    def _workers(self, settings: Settings) -> list[str]:
        """The arguments of `workers.parent`."""
        workers = []
        if "schedule" in self.roles or "worker" in self.roles:
            workers.append("cron")
        if "worker" in self.roles:
            workers += ["side"] * settings.side_workers
            workers += [f"settle {number}" for number in range(settings.settle_workers)]
        if "worker" in self.roles or "compute" in self.roles:
            workers += ["compute"] * settings.search_workers
        return workers
