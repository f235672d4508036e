"""References: a stock RQ worker's no-op jobs, and a bare Flask application under the same server."""

from __future__ import annotations

import signal
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import redis
from rq import Queue, SimpleWorker


def nothing() -> None:
    """The no-op job."""


def _connection(url: str) -> redis.Redis:
    return redis.from_url(url)


def noop_jobs_per_second(url: str, jobs: int = 300) -> float:
    """No-op jobs per second of one stock SimpleWorker."""
    queue = Queue("bench", connection=_connection(url))
    queue.empty()
    for _ in range(jobs):
        queue.enqueue(nothing, result_ttl=60)
    worker = SimpleWorker([queue], connection=_connection(url))
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    begun = time.perf_counter()
    worker.work(burst=True, logging_level="ERROR")
    taken = time.perf_counter() - begun
    for number, handler in handlers.items():
        signal.signal(number, handler)  # the worker has replaced them
    return jobs / taken


def noop_latency(url: str, jobs: int = 60) -> float:
    """Median seconds from enqueueing a no-op job to its end, one at a time, by an idle stock SimpleWorker."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "bench.load.stock", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        queue = Queue("bench-latency", connection=_connection(url))
        queue.enqueue(nothing, result_ttl=60)
        _until_empty(queue)
        times = []
        for _ in range(jobs):
            begun = time.perf_counter()
            job = queue.enqueue(nothing, result_ttl=60)
            while not queue.connection.hget(job.key, "ended_at"):
                pass
            times.append(time.perf_counter() - begun)
        return statistics.median(times)
    finally:
        worker.terminate()
        worker.wait()


def _until_empty(queue: Queue) -> None:
    end = time.time() + 20
    while queue.count and time.time() < end:
        time.sleep(0.05)
    time.sleep(0.5)


HELLO = """
from flask import Flask, Response
app = Flask(__name__)
@app.get("/hello")
def hello():
    return Response(b'{"hello":"world"}', content_type="application/json")
"""


class Hello:
    """A bare Flask hello under gunicorn's gevent workers, as the API has them."""

    def __init__(self, folder: str, port: int, workers: int) -> None:
        (Path(folder) / "hello_app.py").write_text(HELLO)
        self.address = ("127.0.0.1", port)
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "-k", "gevent", "-w", str(workers), "-b", f"127.0.0.1:{port}"),
                *("--keep-alive", "30", "--log-level", "error", "--no-control-socket", "hello_app:app"),
            ],
            cwd=folder,
        )
        until_listening(self.address)

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def until_listening(address: tuple[str, int]) -> None:
    for _ in range(200):
        try:
            socket.create_connection(address, timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the server did not come up")


if __name__ == "__main__":
    connection = _connection(sys.argv[1])
    SimpleWorker([Queue("bench-latency", connection=connection)], connection=connection).work(logging_level="ERROR")
