"""A complete service, as `oraclewheel serve` starts it, on a free port and in a temporary folder."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

from bench.load.raw import Connection, call


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Instance:
    """A running service, for the duration of the ``with`` block."""

    def __init__(self, data: Path | None = None, **settings: str) -> None:
        """``data``: a data folder that is copied for this service; without one it starts empty."""
        self.folder = Path(tempfile.mkdtemp(prefix="ow-bench-"))
        if data is not None:
            shutil.copytree(data, self.folder / "data", ignore=shutil.ignore_patterns("*.sock", "*.pid", "lock"))
        self.address = ("127.0.0.1", free_port())
        self.url = f"unix://{self.folder}/data/redis.sock"
        self.queue_url = f"unix://{self.folder}/data/queue.sock"
        environ = {
            **os.environ,
            "ORACLEWHEEL_DATA": str(self.folder / "data"),
            "ORACLEWHEEL_PORT": str(self.address[1]),
            "ORACLEWHEEL_RATE_REQUESTS": "0",
            "ORACLEWHEEL_STREAMS_ACCOUNT": "0",
            "ORACLEWHEEL_LOBBIES": "0",
            "ORACLEWHEEL_RUNNING_GAMES": "0",
            "ORACLEWHEEL_RUNNING_BOT_GAMES": "0",
            "ORACLEWHEEL_SANDBOXES": "0",
            "ORACLEWHEEL_UNREQUESTED_BURST": "0",
            "ORACLEWHEEL_STREAMS_ADDRESS": "0",
            "ORACLEWHEEL_CONNECTIONS_ADDRESS": "0",
            "ORACLEWHEEL_RATE_REGISTRATIONS": "0",
            "ORACLEWHEEL_LOG_LEVEL": "warning",
            **settings,
        }
        with (self.folder / "log").open("wb") as log:
            command = [sys.executable, "-c", "from service.cli import main; main()", "serve"]
            self._process = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
        self._await()

    def _await(self) -> None:
        for _ in range(600):
            try:
                connection = Connection(*self.address)
                call(connection, "GET", "/readyz")
            except (OSError, RuntimeError):
                if self._process.poll() is not None:
                    break
                time.sleep(0.05)
            else:
                connection.close()
                return
        raise RuntimeError((self.folder / "log").read_text()[-2000:])

    @property
    def process(self) -> int:
        """Process id of the root process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def stop(self) -> None:
        """Stop it; its folder stays until the end of the ``with`` block."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
