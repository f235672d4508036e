"""Plans in workers: which may be due after a commit, which end with it, and whether one is still valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.record import PLAN, Position
from domain.kernel.terms import Seat
from domain.table.plans import is_news, kinds_waited_for
from service.core.positions.game_config import GameConfig
from service.store.ports.commits import Append
from service.store.reading.bodies import read_commit
from service.store.redis.log.log import Log
from service.store.shared import lists


def pauses(game: AnyGame, document: Mapping[str, Any], before: Position, after: Position) -> bool:
    """Whether the rest of a plan waits for others to decide after this command; `service.features.plans.follower` goes on."""
    following = lists.next_of(document, after.etag(Seat(document["seat"]))) if PLAN in document else None
    if following is None:
        return False
    return bool(kinds_waited_for(game, Seat(document["seat"]), following["command"], before, after))


def upheld(
    log: Log, facts: GameConfig, position: Position, document: Mapping[str, Any], settled: Sequence[Append]
) -> Mapping[str, Any]:
    """Renew the ETag of a plan's first command if nothing that its seat sees has changed since the plan was stored.

    Otherwise returns the document unchanged; then a plan's command is refused as stale. ``settled`` are the commits of
    this pass that are not yet appended.
    """
    seen = document["expected"]
    if PLAN not in document or seen is None or document[lists.LIST]["place"] > 0:
        return document
    seat = Seat(document["seat"])
    first = settled[0].sealed.seq if settled else position.seq + 1
    stored: Iterable[Any] = log.commits(facts.id, seen + 1, first - 1) if seen + 1 < first else ()
    sealed = [append.sealed for append in settled if append.sealed.seq > seen]
    for each in chain(stored, sealed):
        if is_news(facts.game.knowledge, read_commit(facts.game, each.seq, each.at, each.release, each.body), seat):
            return document
    return {**document, "expected": position.etag(seat)}
