"""How long it takes until commands are settled again after pumps or the server were killed: `python -m tests.killing`."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import requests

from tests.workers.test_serve import Instance, Player

WHAT = ("pumps", "pumps and spare", "server")


def pumps(instance):
    """The worker processes of the queue pump, and the one that stands by."""
    found = []
    for pid in instance.children():
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        if {"workers", "pump"} <= set(words):
            found.append((pid, Path(f"/proc/{pid}/fd/0").readlink().name.startswith("pipe:")))
    return found


def victims(instance, what):
    if what == "server":
        return [int((instance.folder / "data" / "server.pid").read_text())]
    found = pumps(instance)
    return [pid for pid, spare in found if what == "pumps and spare" or not spare]


def settled(player, url, game):
    """Send commands until one is answered, be it with a refusal."""
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
