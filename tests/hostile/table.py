"""A service to attack: the world of the API's tests, and what an operator could do to it behind its back."""

from __future__ import annotations

import threading

import orjson

from service.api.access.streaming import following, watches
from service.api.context.app import EXTENSION
from tests.api.conftest import World

HIDE = {"type": "hide", "pennies": 1}
SECRET = "pennies_hidden"


def hurried(monkeypatch):
    """Streams look up often, so that a test need not wait."""
    monkeypatch.setattr(watches, "TICK", 0.05)
    for module in (watches, following):
        monkeypatch.setattr(module, "REREAD", 0.2)


def second(world, store=None):
    """Another process of the API at the same table, with caches of its own."""
    other = World(store or world.store)
    other.worker, other.wake = world.worker, world.wake
    return other


def house(world):
    """What the API has at hand."""
    return world.app.extensions[EXTENSION]


def make_private(store, game, visibility="private"):
    """What no route does: the game is nobody else's any more."""
    meta, wire = store.lobbies._keys.game(game).meta, store.lobbies._wire
    lobby = orjson.loads(wire.one("HGET", meta, "lobby"))
    wire.one("HSET", meta, "lobby", orjson.dumps({**lobby, "visibility": visibility}), "visibility", visibility)


def give_away(store, game, seat, holder):
    """What no route does once a game has started: somebody else has the seat."""
    meta, wire = store.lobbies._keys.game(game).meta, store.lobbies._wire
    lines = wire.one("HGET", meta, "chairs").decode().splitlines()
    lines[seat - 1] = f"{holder} {lines[seat - 1].partition(' ')[2]}"
    wire.one("HSET", meta, "chairs", "".join(f"{line}\n" for line in lines))


def erase(store, player):
    """What no route does: the account is gone, its tokens with it."""
    store.accounts._wire.one("DEL", f"player:{{{player}}}")


def types(messages):
    """What a stream has told."""
    return [line["type"] for message in messages if message.data for line in message.data["lines"]]


class Listener:
    """Somebody who reads a stream to its end, in a thread."""

    def __init__(self, messages):
        self.told = []
        self._thread = threading.Thread(target=lambda: self.told.extend(messages), daemon=True)
        self._thread.start()

    def ended(self, seconds=30):
        """Whether the stream has ended by itself."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
