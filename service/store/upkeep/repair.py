"""Rebuilds indexes: lists, players' sets of games, wakes, deadlines.

All of them follow from the games themselves. Safe to run during normal operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from redis.exceptions import ResponseError

from domain.kernel.terms import GameId, PlayerId
from service.store.chain import BrokenLog
from service.store.ports.lobbies import Lobby, is_bot
from service.store.redis import keys
from service.store.redis.conditional import Command, execute_if
from service.store.redis.store import Store

_STATUSES = (None, "lobby", "running", "over", "vacant")
_FIELDS = ("status", "visibility", "due", "stalled", "seating")
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
    for lobby in lobbies:
        with suppress(ResponseError):  # checking that game alone shows what is wrong with it
            _repair_game(store, lobby, found, write)
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


def _repair_game(store: Store, lobby: Lobby, found: Counter[str], write: bool) -> None:
    """Repair the lists of the game, its wake and its deadlines: each only if nothing that says so has changed."""
    names, shared = store.keys.game(lobby.id), store.keys.partition(lobby.id)
    state = ("HMGET", names.meta, *_FIELDS)
    lists = {
        (status, kind): store.keys.listing(shared, kind, status) for status in _STATUSES for kind in (lobby.kind, None)
    }
    lists |= {(None, f"#{tag}"): store.keys.tagged(shared, tag) for tag in lobby.tags}
    waits = [("XLEN", names.commands), ("ZSCORE", shared.ready, lobby.id), ("ZSCORE", shared.leases, lobby.id)]
    stalled = ("SISMEMBER", shared.stalled, lobby.id)
    fields, is_stalled, length, ready, lease, *scores = store.wire.all(
        [state, stalled, *waits, *(("ZSCORE", name, lobby.id) for name in lists.values())]
    )
    status, visibility, due, stuck, seating = ((value or b"").decode() for value in fields)

    def change(kind: str, read: Command, reply: Any, wanted: Command) -> None:
        found[kind] += 1
        if write:
            execute_if(store.wire, {state: fields, read: reply}, [wanted])

    has_offers = status == "running" and "\nvacant " in seating
    for ((list_, _), name), score in zip(lists.items(), scores, strict=True):
        is_in = visibility == "public" and (list_ in (None, status) or (list_ == "vacant" and has_offers))
        if is_in and (score is None or float(score) != lobby.made_at):
            change("lists", ("ZSCORE", name, lobby.id), score, ("ZADD", name, lobby.made_at, lobby.id))
        elif score is not None and not is_in:
            change("lists", ("ZSCORE", name, lobby.id), score, ("ZREM", name, lobby.id))
    if bool(is_stalled) != (stuck == "1"):
        change("lists", stalled, is_stalled, ("SADD" if stuck == "1" else "SREM", shared.stalled, lobby.id))
    if length and ready is None and lease is None:
        change("wakes", waits[1], None, ("ZADD", shared.ready, "NX", store.schedule.now(), lobby.id))
    for letter, question, instant in _deadlines(due if status == "running" else ""):
        # A deadline that was put off or submitted is in the ids, not in the set.
        settled = ("HMGET", names.ids, letter + question, f"o{question}@{instant}")
        place = ("ZSCORE", shared.due, f"{lobby.id} {letter} {question}")
        if store.wire.all([settled, place]) == [[None, None], None]:
            change("deadlines", settled, [None, None], ("ZADD", shared.due, instant, place[2]))


def _deadlines(due: str) -> Iterator[tuple[str, str, str]]:
    """Letter, question and instant of each deadline in the field."""
    words = due.split()
    return zip(words[::3], words[1::3], words[2::3], strict=False)


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
