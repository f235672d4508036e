"""Plans in workers: which may be due after a commit, which end with it, and whether one is still valid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.record import PLAN, Position
from domain.kernel.terms import Seat
from domain.table import features
from domain.table.plans import is_news, kinds_waited_for
from service.core.positions.game_config import GameConfig
from service.store.ports.commits import Append, Pause
from service.store.reading.bodies import read_commit
from service.store.redis.log.log import Log
from service.store.shared import lists


def asked_of(position: Position) -> tuple[tuple[Seat, str], ...]:
    """The players' seats with a pending question of the game, each with its kind."""
    seated = position.table
    if seated is None:
        return ()
    return tuple(
        [
            (asked.question.seat, asked.question.kind)
            for asked in position.asked
            if seated.is_played(asked.question.seat) and not features.is_asking(asked.question)
        ]
    )


def pause_of(game: AnyGame, document: Mapping[str, Any], before: Position, after: Position) -> Pause | None:
    """The rest of a plan after this command, if it waits for others to decide; None if it continues at once."""
    following = lists.next_of(document, after.etag(Seat(document["seat"]))) if PLAN in document else None
    if following is None:
        return None
    kinds = kinds_waited_for(game, Seat(document["seat"]), following["command"], before, after)
    return Pause(kinds, lists.paused(following)) if kinds else None


def vacated(before: Position, after: Position) -> tuple[Seat, ...]:
    """The seats with another controller than before."""
    if before.table is None or after.table is None or before.table.controllers is after.table.controllers:
        return ()
    pairs = zip(before.table.controllers, after.table.controllers, strict=True)
    return tuple(Seat(number) for number, (was, now) in enumerate(pairs, 1) if was != now)


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
