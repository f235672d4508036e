"""Worker processes on a real server, to be killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

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
            "ORACLEWHEEL_PUMPS": str(pumps),
            "ORACLEWHEEL_LOG_LEVEL": "warning",
            **environ,
        }
        self.log = folder / "workers.log"
        self.processes = []

    def start(self, kind="pump"):
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.workers.with_pennies", kind],
                cwd=ROOT,
                env=self.environ,
                stdout=log,
                stderr=log,
                process_group=0,
            )
        self.processes.append(process)
        return process

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.processes.remove(process)

    def revive(self):
        """Start another for each that has died, as `serve` does; how many had."""
        dead = [process for process in self.processes if process.poll() is not None]
        for process in dead:
            self.processes.remove(process)
            self.start()
        return len(dead)

    def stop(self, patience=15):
        """Ask all to stop; how they ended. One that has only just been started is not asked before it can hear it."""
        eventually(
            lambda: all(process.poll() is not None or _hears(process, signal.SIGTERM) for process in self.processes)
        )
        for process in self.processes:
            process.terminate()
        ended = [process.wait(patience) for process in self.processes]
        self.processes.clear()
        return ended

    def end(self):
        for process in list(self.processes):
            self.kill(process)


def _hears(process, number):
    """Whether a process has a handler of its own for a signal."""
    caught = re.search(r"^SigCgt:\s*(\S+)", Path(f"/proc/{process.pid}/status").read_text(), re.MULTILINE)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def eventually(true, seconds=60, every=0.02):
    """Wait until it is so."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if true():
            return
        time.sleep(every)
    raise AssertionError(f"not within {seconds} seconds")
