"""The minutely job: adds finished games to the rating lists, and publishes the lists once a day."""

from __future__ import annotations

from collections import defaultdict

from domain.kernel.terms import GameId, Seat
from service.audit.export import export_lines
from service.audit.parser import parse_outline
from service.core.jobs import worker_context
from service.features.ratings import storage
from service.features.ratings.computation import RatedGame
from service.features.ratings.publication import log_published, publish_day
from service.features.ratings.results import NotFinished, read_result
from service.ops.logging import logger
from service.store.chain import BrokenLog
from service.store.ports.errors import ArchiveDown, LobbyRefusal
from service.store.ports.lobbies import Lobby
from service.store.redis.store import Store
from service.store.shared import archive_object

AT_ONCE = 100
"""Games that are added together."""
LOCK = 30_000
"""Milliseconds after which another process may take over."""

log = logger("ratings")


def update_ratings() -> int:
    """The job: add finished games to their lists, and publish what is due; returns how many games were added."""
    context = worker_context()
    store = context.store
    if not store.schedule.lock("ratings", LOCK):
        return 0
    count = add_pending(store)
    publish_day(store)
    if context.settings.log_seconds:
        log_published(store, context.signer, context.settings.public_url)
    return count


def add_pending(store: Store) -> int:
    """Add all finished games to their lists; returns how many. Safe to interrupt and run again."""
    count, failed = 0, set[GameId]()
    while games := [each for each in storage.pending(store, AT_ONCE + len(failed)) if each not in failed]:
        lists: defaultdict[str, list[RatedGame]] = defaultdict(list)
        for game_id in games:
            rated = _read(store, game_id)
            if rated is None:
                failed.add(game_id)
            else:
                lists[rated.list_key].append(rated)
        for name, added in lists.items():
            if not storage.add_games(store, name, added):
                return count  # another process is at it
            count += len(added)
    return count


def _read(store: Store, game_id: GameId) -> RatedGame | None:
    """The game with its result. None if it cannot be read now; it is tried again by the next job."""
    lobby = store.lobbies.get(game_id)
    if lobby is None:
        storage.forget_pending(store, game_id)
        return None
    try:
        result = read_result(parse_outline(_export(store, lobby)))
    except (NotFinished, LobbyRefusal, BrokenLog, ArchiveDown, LookupError, ValueError) as error:
        log.warning("game_not_rated", game=game_id, reason=str(error))
        return None
    seats = map(Seat, range(1, len(lobby.chairs) + 1))
    return RatedGame(result, tuple(lobby.seating.player_at(lobby.chairs, seat, 1) for seat in seats))


def _export(store: Store, lobby: Lobby) -> bytes:
    content = store.archive.content(lobby.id)
    return b"".join(export_lines(store, lobby)) if content is None else archive_object.export_in(content)
