"""The minimum that a Flask service with a worker and an append-only file does for a command.

Flask under gunicorn's gevent worker adds the command to a stream. A worker reads it, adds a commit to another stream
and publishes the result, for which the request waits. There are no games, accounts or limits, and nothing is validated.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Self

import orjson
import redis
from flask import Flask, Response, request

from bench.load.closed_loop import Asking
from bench.load.instance import free_port
from bench.load.raw import Connection
from bench.load.raw import request as request_bytes
from bench.load.stock import until_listening
from service.ops.instance.server_binary import find_binary
from tools.load.cores import core_seconds

COMMANDS, COMMITS, URL = "floor:commands", "floor:commits", "FLOOR_URL"


def create_app() -> Flask:
    """The application, for gunicorn."""
    app, channel = Flask("floor"), f"floor:{secrets.token_hex(8)}"
    client = redis.Redis(connection_pool=redis.BlockingConnectionPool.from_url(os.environ[URL], max_connections=64))
    waiting: dict[bytes, tuple[threading.Event, list[bytes]]] = {}

    def listen(subscribed: threading.Event) -> None:
        messages = client.pubsub(ignore_subscribe_messages=True)
        messages.subscribe(channel)
        subscribed.set()
        for message in messages.listen():
            name, _, result = message["data"].partition(b" ")
            event, results = waiting.pop(name)
            results.append(result)
            event.set()

    subscribed = threading.Event()
    threading.Thread(target=listen, args=(subscribed,), daemon=True).start()
    subscribed.wait()

    @app.post("/commands")
    def send() -> Response:
        document: Any = request.get_json()
        name, event, results = secrets.token_hex(8), threading.Event(), list[bytes]()
        waiting[name.encode()] = event, results
        client.xadd(COMMANDS, {"name": name, "channel": channel, "document": orjson.dumps(document)})
        event.wait(10)
        return Response(results[0], content_type="application/json")

    return app


def work(url: str) -> None:
    client, last = redis.from_url(url), b"0"
    while True:
        for _, entries in client.xread({COMMANDS: last}, count=32, block=1000):
            pipeline = client.pipeline(transaction=False)
            for _, fields in entries:
                result = orjson.dumps({"status": "settled", "command": orjson.loads(fields[b"document"])})
                pipeline.xadd(COMMITS, {"c": result})
                pipeline.publish(fields[b"channel"], fields[b"name"] + b" " + result)
            pipeline.execute()
            last = entries[-1][0]


class Floor:
    """Server, API and worker, for the duration of the ``with`` block."""

    def __init__(self, workers: int = 2) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ow-floor-")
        socket = Path(self._folder.name) / "redis.sock"
        environ = {**os.environ, URL: f"unix://{socket}"}
        self.address = ("127.0.0.1", free_port())
        flags = ["--port", "0", "--unixsocket", str(socket), "--dir", self._folder.name, "--save", ""]
        self._processes = [
            subprocess.Popen(
                [find_binary(), *flags, "--appendonly", "yes", "--appendfsync", "always"], stdout=subprocess.DEVNULL
            )
        ]
        _until(socket.exists)
        where = ["-w", str(workers), "-b", f"127.0.0.1:{self.address[1]}", "--log-level", "error"]
        gunicorn = [sys.executable, "-m", "gunicorn", "-k", "gevent", *where, "--keep-alive", "30"]
        self._processes += [
            subprocess.Popen([*gunicorn, "--no-control-socket", "bench.load.floor:create_app()"], env=environ),
            subprocess.Popen([sys.executable, "-m", "bench.load.floor", environ[URL]]),
        ]
        until_listening(self.address)

    def core_seconds(self) -> float:
        """CPU seconds of all its processes so far."""
        return sum(core_seconds(process.pid for process in self._processes).values())

    def client(self) -> Asking:
        """A client that sends one command after the other."""
        return Asking(Connection(*self.address), request_bytes("POST", "/commands", body={"type": "end_turn"}), 200)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            process.terminate()
            process.wait()
        self._folder.cleanup()


def _until(condition: Any) -> None:
    for _ in range(400):
        if condition():
            return
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


if __name__ == "__main__":
    work(sys.argv[1])
