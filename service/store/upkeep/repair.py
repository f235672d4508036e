"""Rebuilds indexes: lists, players' sets of games, wakes, deadlines.

All of them follow from the games themselves. Safe to run during normal operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from redis.exceptions import ResponseError

from domain.kernel.terms import GameId, PlayerId
from service.store.chain import BrokenLog
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis import keys
from service.store.redis.client import Script
from service.store.redis.store import Store

REPAIR = Script("repair")
_STATUSES = (None, "lobby", "running", "over", "vacant")
_BATCH = 200


def repair(store: Store, *, write: bool, broken: Collection[str] = ()) -> Mapping[str, int]:
    """Number of errors of each kind (``games``, ``lists``, ``players``, ``wakes``, ``deadlines``).

    Repaired if ``write``.

    ``games`` is the number of games, without the ``broken`` ones, whose data is not trusted. Never removes a game, a
    wake or a deadline that is added in the meantime.
    """
    found: Counter[str] = Counter(games=0, lists=0, players=0, wakes=0, deadlines=0)
    for games in _batches(game_id for game_id in games_of(store) if game_id not in broken):
        found["games"] += len(games)
        _repair_games(store, games, found, write)
    for games in _batches(game_id for game_id, _ in store.archive.index()):
        _repair_archived(store, games, found, write)
    for name in _scan(store, "{p*}games:*"):
        _repair_list(store, name, found, write)
    for name in _scan(store, "player:*:games"):
        _repair_player(store, name, found, write)
    return dict(found)


def games_of(store: Store) -> Iterator[GameId]:
    """Every game in the store, in no order, without archived ones; may miss a game that is being created."""
    for games in _batches(GameId(name.split(":")[1]) for name in _scan(store, "{p*}g:*:meta")):
        # Leave out temporary copies, which belong to the archive and expire.
        copies = store.wire.many([("HGET", store.keys.game(game_id).meta, "archived") for game_id in games])
        yield from (game for game, copy in zip(games, copies, strict=True) if not isinstance(copy, bytes))


def _repair_games(store: Store, games: Sequence[GameId], found: Counter[str], write: bool) -> None:
    lobbies = [lobby for game_id in games if (lobby := _lobby(store, game_id)) is not None]
    calls = [_call(store, lobby, write) for lobby in lobbies]
    for counts in store.wire.tried(REPAIR, calls):
        if not isinstance(counts, ResponseError):  # checking that game alone shows what is wrong with it
            found.update(dict(zip(("lists", "wakes", "deadlines"), counts, strict=True)))
    wanted = [(lobby, player_id) for lobby in lobbies for player_id in _people(lobby)]
    there = store.wire.all([("ZSCORE", keys.player_games(player_id), lobby.id) for lobby, player_id in wanted])
    missing = [pair for pair, score in zip(wanted, there, strict=True) if score is None]
    found["players"] += len(missing)
    if write:
        store.wire.all(
            [("ZADD", keys.player_games(player_id), lobby.made_at, lobby.id) for lobby, player_id in missing]
        )


def _repair_archived(store: Store, games: Sequence[GameId], found: Counter[str], write: bool) -> None:
    """Add archived games to the lists and sets they belong to; skips games that cannot be read from the archive."""
    lobbies = [lobby for lobby in store.lobbies.read_all(games) if lobby is not None]
    wanted = [(name, "lists", lobby) for lobby in lobbies for name in store.lobbies.lists_of(lobby)]
    wanted += [(keys.player_games(each), "players", lobby) for lobby in lobbies for each in sorted(_people(lobby))]
    there = store.wire.all([("ZSCORE", name, lobby.id) for name, _, lobby in wanted])
    missing = [each for each, score in zip(wanted, there, strict=True) if score is None]
    found.update(word for _, word, _ in missing)
    if write:
        store.wire.all([("ZADD", name, lobby.made_at, lobby.id) for name, _, lobby in missing])


def _call(store: Store, lobby: Lobby, write: bool) -> tuple[Sequence[str], Sequence[str | int]]:
    names, shared = store.keys.game(lobby.id), store.keys.partition(lobby.id)
    where = [names.meta, names.commands, names.ids, shared.ready, shared.leases, shared.due, shared.stalled]
    lists = [store.keys.listing(shared, kind, status) for status in _STATUSES for kind in (lobby.kind, None)]
    return [*where, *lists], [lobby.id, lobby.made_at, int(write)]


def _people(lobby: Lobby) -> set[PlayerId]:
    holders = {PlayerId(chair.holder) for chair in lobby.chairs if chair.holder and not is_bot(chair.holder)}
    others = {each.player for each in lobby.seating.sitters} | {each.player for each in lobby.seating.was}
    return holders | {lobby.creator} | others


def _repair_list(store: Store, name: str, found: Counter[str], write: bool) -> None:
    for games in _batches(GameId(name.decode()) for name in store.wire.one("ZRANGE", name, 0, -1)):
        there = store.wire.all([("EXISTS", store.keys.game(game_id).meta) for game_id in games])
        lies = store.wire.all([("HEXISTS", store.keys.partition(game_id).archive, game_id) for game_id in games])
        there = [here or archived for here, archived in zip(there, lies, strict=True)]
        ghosts = [game_id for game_id, exists in zip(games, there, strict=True) if not exists]
        found["lists"] += len(ghosts)
        if write and ghosts:
            store.wire.one("ZREM", name, *ghosts)


def _repair_player(store: Store, name: str, found: Counter[str], write: bool) -> None:
    player_id = PlayerId(name.removeprefix("player:{").removesuffix("}:games"))
    for games in _batches(store.accounts.games_of(player_id)):
        strange = [game_id for game_id in games if _is_strange(store, game_id, player_id)]
        found["players"] += len(strange)
        if write and strange:
            store.wire.one("ZREM", name, *strange)


def _is_strange(store: Store, game_id: GameId, player_id: PlayerId) -> bool:
    """Whether a game is not the player's; False if its lobby cannot be read, or it is in the archive."""
    if store.wire.one("HEXISTS", store.keys.partition(game_id).archive, game_id):
        return False
    try:
        lobby = store.lobbies.get(game_id)
    except BrokenLog:
        return False
    if lobby is None:
        return True
    # A former holder or sitter may be recorded only in their own list; keeping the game there reveals nothing.
    return player_id not in _people(lobby) and not lobby.seating.revision


def _lobby(store: Store, game_id: GameId) -> Lobby | None:
    try:
        return store.lobbies.get(game_id)
    except BrokenLog:
        return None


def _scan(store: Store, pattern: str) -> Iterator[str]:
    seen = set()
    for name in store.wire.scan(pattern):
        # A scan may return a key twice.
        if name not in seen:
            seen.add(name)
            yield name.decode()


def _batches(games: Iterable[GameId]) -> Iterator[list[GameId]]:
    batch: list[GameId] = []
    for game_id in games:
        batch.append(game_id)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
