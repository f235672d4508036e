"""Queues deliveries that a request asks for."""

from __future__ import annotations

from domain.kernel.terms import GameId
from service.core.http.context.app import current_context


def queue_delivery(game_id: GameId, subscription: str, subject: str) -> None:
    """Put an entry into the outbox, and wake a worker. `NO_GAME` is the game of entries about no game."""
    context = current_context()
    context.store.outbox.put(game_id, subscription, subject)
    if context.queue is not None:
        context.queue.post([context.store.schedule.partition(game_id)])
