"""Worker processes on a real server, which tests can kill."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

from service.ops.keys.signing import signer
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.redis.store import open_store

ROOT = Path(__file__).parents[2]


class Crew:
    """Worker processes that are started, killed and counted by name."""

    def __init__(self, url, folder, pumps=2, **environ):
        self.queue_url = f"{url}?db=1"
        self.environ = {
            **os.environ,
            "ORACLEWHEEL_REDIS_URL": url,
            "ORACLEWHEEL_QUEUE_URL": self.queue_url,
            "ORACLEWHEEL_SIGNING_KEY": str(folder / "signing.key"),
            "ORACLEWHEEL_SETTLE_WORKERS": str(pumps),
            "ORACLEWHEEL_LOG_LEVEL": "warning",
            **environ,
        }
        self.log = folder / "workers.log"
        self.pumps = pumps
        self.processes = []
        self.numbers = {}
        """Numbers of the settle workers; each listens to its own queue."""
        self.cron = None
        """The process that sweeps; not part of `processes`."""

    def start(self, kind="settle"):
        """Start a worker process. The first settle worker also starts the process that sweeps."""
        if kind != "settle":
            process = self._started(kind)
        else:
            if self.cron is None:
                self.cron = self._started("cron")
            number = next(each for each in range(self.pumps + len(self.processes)) if each not in self.numbers.values())
            process = self._started(kind, str(number))
            self.numbers[process] = number
        self.processes.append(process)
        return process

    def _accept_key(self):
        """Register the workers' key in the store, in case a test that settles in its own process has registered
        another."""
        with suppress(StoreDown, StoreUnusable), closing(open_store(self.environ["ORACLEWHEEL_REDIS_URL"])) as store:
            signer(Path(self.environ["ORACLEWHEEL_SIGNING_KEY"]), store.log, accept_new=True)

    def _started(self, *arguments):
        self._accept_key()
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "tests.workers.with_pennies", *arguments],
                cwd=ROOT,
                env=self.environ,
                stdout=log,
                stderr=log,
                process_group=0,
            )

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.forget(process)

    def kill_cron(self):
        """Kill the process that sweeps and start another."""
        self.cron.kill()
        self.cron.wait()
        self.cron = self._started("cron")

    def forget(self, process):
        self.processes.remove(process)
        self.numbers.pop(process, None)

    def revive(self):
        """Replace every dead process, as `serve` does, including the one that sweeps; returns how many of the others
        had died."""
        if self.cron is not None and self.cron.poll() is not None:
            self.cron = self._started("cron")
        dead = [process for process in self.processes if process.poll() is not None]
        for process in dead:
            self.forget(process)
            self.start()
        return len(dead)

    def stop(self, patience=15):
        """Ask all processes to stop and return their exit codes. Waits until a new process handles the signal before
        sending it."""
        eventually(
            lambda: all(process.poll() is not None or _hears(process, signal.SIGTERM) for process in self.processes)
        )
        for process in self.processes:
            process.terminate()
        ended = [process.wait(patience) for process in self.processes]
        self.processes.clear()
        self.numbers.clear()
        self._end_cron()
        return ended

    def end(self):
        for process in list(self.processes):
            self.kill(process)
        self._end_cron()

    def _end_cron(self):
        if self.cron is not None:
            self.cron.kill()
            self.cron.wait()
            self.cron = None


def _hears(process, number):
    """Whether a process has its own handler for a signal."""
    caught = re.search(r"^SigCgt:\s*(\S+)", Path(f"/proc/{process.pid}/status").read_text(), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def eventually(true, seconds=60, every=0.02):
    """Wait until the condition is true."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return
        time.sleep(every)
    raise AssertionError(f"not within {seconds} seconds")
