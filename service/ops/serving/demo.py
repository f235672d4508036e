"""A demo game between bots, slow enough to watch."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from domain.kernel.game.rules import Setup
from domain.kernel.terms import GameId, PlayerId
from domain.registry import GAMES
from domain.table.bots import stand_in
from service.core.queue import Queue
from service.ops.settings import Settings
from service.store.ports.lobbies import Chair, Lobby
from service.store.redis.store import open_store
from service.store.seal import commitment

BOT_SECONDS = 2


def start(environ: Mapping[str, str], kind: str = "battalia") -> str:
    """Create and start the game in the store that the environment configures. Returns its id."""
    settings = Settings.load(environ, None)
    store = open_store(settings.redis_url)
    game = GAMES[kind]
    setup = game.rules.check(Setup(min(game.rules.seats), ""))
    bot = f"bot:{stand_in(game)}"
    seed = secrets.token_bytes(32)
    lobby = Lobby(
        id=GameId("demo" + secrets.token_hex(6)),
        kind=kind,
        creator=PlayerId("demo"),
        chairs=tuple(Chair(bot) for _ in range(setup.seats)),
        ruleset=setup.ruleset,
        options=setup.options,
        modules=setup.modules,
        pace={"mode": "free", "bot_seconds": BOT_SECONDS},
        visibility="public",
        commitment=commitment(seed),
        made_at=store.schedule.now(),
    )
    store.lobbies.create(lobby, seed)
    store.lobbies.start(lobby.id, lobby.creator, "begin")
    Queue(settings.queue, settings.settle_workers).wake(store.schedule.partition(lobby.id))
    store.close()
    return lobby.id
