"""Helpers for the attacks: streams that poll often, a second API process, and changes made directly in the store."""

from __future__ import annotations

import threading

import orjson

from service.core.http.context.app import EXTENSION
from service.core.http.streaming import following, watches
from tests.core.http.conftest import World

HIDE = {"type": "hide", "pennies": 1}
SECRET = "pennies_hidden"


def hurried(monkeypatch):
    """Make streams poll often, to keep tests short."""
    monkeypatch.setattr(watches, "TICK_SECONDS", 0.05)
    for module in (watches, following):
        monkeypatch.setattr(module, "RECHECK_SECONDS", 0.2)


def second(world, store=None):
    """Create a second API process on the same store, with its own caches."""
    other = World(store or world.store)
    other.worker, other.wake = world.worker, world.wake
    return other


def house(world):
    """Return the context object of the API."""
    return world.app.extensions[EXTENSION]


def make_private(store, game, visibility="private"):
    """Change the visibility of a game in the store. No route can do this."""
    meta, wire = store.lobbies._keys.game(game).meta, store.lobbies._wire
    lobby = orjson.loads(wire.one("HGET", meta, "lobby"))
    wire.one("HSET", meta, "lobby", orjson.dumps({**lobby, "visibility": visibility}), "visibility", visibility)


def give_away(store, game, seat, holder):
    """Give a seat of a started game to another holder in the store. No route can do this."""
    meta, wire = store.lobbies._keys.game(game).meta, store.lobbies._wire
    lines = wire.one("HGET", meta, "chairs").decode().splitlines()
    lines[seat - 1] = f"{holder} {lines[seat - 1].partition(' ')[2]}"
    wire.one("HSET", meta, "chairs", "".join(f"{line}\n" for line in lines))


def erase(store, player):
    """Delete an account and its tokens in the store. No route can do this."""
    store.accounts._wire.one("DEL", f"player:{{{player}}}")


def types(messages):
    """Return the types of the history lines in these messages."""
    return [line["type"] for message in messages if message.data for line in message.data["lines"]]


class Listener:
    """Reads a stream to its end in a thread."""

    def __init__(self, messages):
        self.told = []
        self._thread = threading.Thread(target=lambda: self.told.extend(messages), daemon=True)
        self._thread.start()

    def ended(self, seconds=30):
        """Wait until the stream ends without being closed; False on a timeout."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
