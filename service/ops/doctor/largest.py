"""The largest games and accounts of a store, for the doctor."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from domain.kernel.terms import GameId, PlayerId
from service.store.redis.store import Store

SHOWN = 3
AT_A_TIME = 500
MIB = 1 << 20


def largest(store: Store, games: Iterable[GameId], least: int = MIB) -> Iterator[str]:
    """The largest games, and the accounts whose games need most memory, as sentences. Omits sizes below ``least`` bytes."""
    sizes: list[tuple[int, GameId]] = []
    accounts: Counter[PlayerId] = Counter()
    rest = iter(games)
    while batch := list(islice(rest, AT_A_TIME)):
        for game_id, creator, size in _sizes(store, batch):
            accounts[creator] += size
            sizes.append((size, game_id))
        sizes = heapq.nlargest(SHOWN, sizes)
    told = [f"{game_id} {_mib(size)}" for size, game_id in sizes if size >= least]
    if told:
        yield f"Largest games: {', '.join(told)}."
    told = [f"{creator} {_mib(size)}" for creator, size in accounts.most_common(SHOWN) if size >= least]
    if told:
        yield f"Accounts whose games take most: {', '.join(told)}."


def _sizes(store: Store, games: Sequence[GameId]) -> Iterator[tuple[GameId, PlayerId, int]]:
    asked: list[tuple[str, ...]] = []
    for game_id in games:
        own = store.keys.game(game_id)
        asked.append(("HGET", own.meta, "creator"))
        # A game's record has few fields, and one may be large, so all are measured. Elsewhere samples are enough.
        asked.append(("MEMORY", "USAGE", own.meta, "SAMPLES", "0"))
        asked += [("MEMORY", "USAGE", key) for key in (own.commits, own.ids, own.views, own.snapshots)]
    replies = store.wire.many(asked)
    for place, game_id in enumerate(games):
        creator, *used = replies[6 * place : 6 * place + 6]
        if isinstance(creator, bytes):
            yield game_id, PlayerId(creator.decode()), sum(each for each in used if isinstance(each, int))


def _mib(size: int) -> str:
    return f"{size / MIB:.1f} MiB"
