"""Replaces the search workers: it has a heartbeat, and the test decides when it analyzes how much."""

from __future__ import annotations

import threading
from contextlib import suppress

from redis.exceptions import RedisError

from service.core.queue import Queue
from service.core.queue.compute import COMPUTE
from service.features.analysis import jobs
from service.features.analysis.storage import StoredAnalysis
from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.queue_server import QueueServer
from service.store.redis.store import open_store
from workers.process import listener


class Thinker:
    """A search worker that the queue sees while it is `awake`. It writes its analyses into the service's store."""

    def __init__(self, data) -> None:
        self._store = open_store(EmbeddedServer(data).url)
        self._worker = listener(COMPUTE, Queue(QueueServer(data).url).connection)
        self._over = threading.Event()
        self._living: threading.Thread | None = None

    def awake(self) -> None:
        """Start the heartbeat."""
        self._worker.register_birth()
        self._living = threading.Thread(target=self._live, daemon=True)
        self._living.start()

    def kept(self, game, level=1) -> StoredAnalysis:
        """The analysis as it is stored."""
        return StoredAnalysis(self._store.notes, self._store.schedule.now, game, level)

    def looks(self, game, level=1) -> None:
        """Analyze one position of a requested analysis."""
        jobs._Piece(self._store, game, level).look_on(0)

    def makes(self, game, level=1) -> dict:
        """Analyze the game up to now, requested or not, and return the result."""
        kept = self.kept(game, level)
        kept.request(self._store.log.head(game)[0])
        piece = jobs._Piece(self._store, game, level)
        while piece.look_on(60) is not None:
            pass
        return kept.load_document()

    def forgets(self, game) -> None:
        """Delete all analyses of the game."""
        for level in (1, 2, 3):
            kept = self.kept(game, level)
            kept._drop(kept.name)

    def close(self) -> None:
        self._over.set()
        if self._living is not None:
            self._living.join()
        self._worker.register_death()
        self._store.close()

    def _live(self) -> None:
        while not self._over.wait(1):
            with suppress(RedisError):  # a busy machine: the previous heartbeat is valid for a while
                self._worker.heartbeat()
