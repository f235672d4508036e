"""Measure how long settling takes to recover after workers or the server are killed: `python -m tests.killing`."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import requests

from tests.workers.test_serve import Instance, Player

WHAT = ("settle", "server")


def words_of(pid):
    """The command line of a process; empty if it is gone."""
    try:
        return set(Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0"))
    except OSError:
        return set()


def settle_workers(instance):
    """The worker processes that settle commands."""
    return [pid for pid in instance.children() if works_as(pid, "settle")]


def works_as(pid, name):
    """Whether it is a worker process of that queue; RQ changes its command line when it starts."""
    words = words_of(pid)
    return {"workers", name} <= words or any(word.startswith(f"rq:worker:{name}-") for word in words)


def has_begun(pid):
    """Whether a worker already listens to its queue; RQ has changed its command line then."""
    return any(word.startswith("rq:worker:") for word in words_of(pid))


def server_of(instance):
    """The process of the embedded server, in a list; empty if it is not running."""
    try:
        return [int((instance.folder / "data" / "server.pid").read_text())]
    except (OSError, ValueError):
        return []


def of_role(instance, role):
    """The processes of a role."""
    match role:
        case "valkey":
            return server_of(instance)
        case "api":
            return [pid for pid in instance.children() if any("gunicorn" in word for word in words_of(pid))]
        case _:
            return [pid for pid in instance.children() if works_as(pid, role)]


def victims(instance, what):
    if what == "server":
        return server_of(instance)
    return settle_workers(instance)


def settled(player, url, game):
    """Send commands until one is answered, even with a refusal."""
    while True:
        try:
            sent = {"json": {"type": "end_turn"}, "headers": {"Prefer": "wait=20"}, "timeout": 30}
            if player.session.post(f"{url}/v1/games/{game}/commands", **sent).status_code in (200, 409):
                return
        except requests.RequestException:
            pass
        time.sleep(0.02)


def measure(rounds):
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        instance = Instance(Path(folder) / "one").start()
        try:
            player = Player(instance.url, "Ada")
            game = player.new_game()
            for what in WHAT:
                for _ in range(rounds):
                    settled(player, instance.url, game)
                    time.sleep(8)
                    killed = victims(instance, what)
                    begun = time.monotonic()
                    for pid in killed:
                        os.kill(pid, signal.SIGKILL)
                    settled(player, instance.url, game)
                    lasted, load = time.monotonic() - begun, os.getloadavg()[0]
                    print(f"{what} ({len(killed)}): {lasted:.2f} s, load {load:.1f}", flush=True)
        finally:
            instance.stop()


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
