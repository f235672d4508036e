"""Checks of one game for the doctor: its log first, then the data derived from it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import orjson
from redis.exceptions import ResponseError

from domain import RELEASE
from domain.kernel.record import Position
from domain.kernel.terms import GameId, Seat, Seq
from service.core.positions.cache import replay
from service.core.positions.game_config import GameConfig, load_game_config
from service.core.positions.rows import build_rows
from service.store import packing
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent, encode_position
from service.store.ports.commits import Rows, Stored
from service.store.ports.errors import LobbyRefusal
from service.store.ports.lobbies import Lobby
from service.store.redis.log.newest import read_newest
from service.store.redis.store import Store
from service.store.upkeep.queues import stuck
from service.store.upkeep.verify import Damaged, End, end_of, verified

WAY_OUT = (
    "restore the data folder from a backup, or import an export of the game into another store; doctor repairs nothing of"
    " a game whose log does not verify"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem, as a sentence."""

    message: str
    settled: bool = False
    """Whether it was repaired."""
    broken: str = ""
    """The id of the game, if its log does not verify."""


def examined(store: Store, game_id: GameId, *, write: bool) -> Iterator[Finding]:
    """The findings about a game. Nothing is written for a game whose log does not verify."""
    try:
        lobby = store.lobbies.get(game_id)
        if lobby is None:
            return
        end = end_of(store, game_id)
        store.log.must_be_whole(game_id)
        wrong = list(_read(store, lobby, end, write=write))
    except UnknownEvent as error:
        yield Finding(f"{game_id} needs a newer release: {error}")
        return
    except Damaged as damage:
        yield Finding(f"{game_id} is damaged: {damage}. Possible actions: {WAY_OUT}.", broken=game_id)
        return
    except (BrokenLog, LobbyRefusal, ResponseError, ValueError, LookupError, TypeError, AttributeError) as error:
        remark = f"{type(error).__name__}: {error}"
        yield Finding(f"{game_id} cannot be read ({remark}). Possible actions: {WAY_OUT}.", broken=game_id)
        return
    yield from wrong
    try:
        for words in stuck(store, game_id, write=write):
            yield Finding(f"{game_id}: {words}", settled=write)
    except ResponseError as error:
        yield Finding(f"{game_id}: its queue cannot be read ({error}). Possible actions: {WAY_OUT}.", broken=game_id)


def _read(store: Store, lobby: Lobby, end: End, *, write: bool) -> Iterator[Finding]:
    """Read the complete log, and compare the stored views and snapshots with it. Raises `Damaged`."""
    facts = load_game_config(store, lobby.id)
    commits = verified(store, lobby, end)
    if facts is None:
        if end.seq:
            raise Damaged(f"it has {end.seq} commits and has not started")
        return
    saved = _snapshots(store, lobby.id)
    store.wire.one("HLEN", store.keys.game(lobby.id).ids)  # raises if it has the wrong type
    position, wrong = _folded(facts, commits, saved)
    newest = store.log.head(lobby.id)[0]
    for seq in [*wrong, *(seq for seq in saved if seq > newest)]:
        if write:
            store.wire.one("HDEL", store.keys.game(lobby.id).snapshots, seq)
        yield Finding(
            f"{lobby.id}: the snapshot {seq} differs from the replayed game{'; deleted' if write else ''}",
            settled=write,
        )
    rows = wrong_rows(store, facts, position)
    if rows is not None:
        done = write and store.views.rewrite(lobby.id, rows)
        remark = "; rewritten" if done else "; not rewritten, because the game is being played" if write else ""
        yield Finding(f"{lobby.id}: its stored views do not match its log{remark}", settled=done)


def _folded(facts: GameConfig, commits: Iterator[Stored], saved: dict[int, object]) -> tuple[Position, list[Seq]]:
    """The position after all commits, and the snapshots that differ."""
    position, wrong = facts.initial_position(), []
    for stored, _, after in replay(facts.game, position, commits):
        position = after
        if stored.seq in saved and saved.pop(stored.seq) != orjson.loads(orjson.dumps(encode_position(position))):
            wrong.append(stored.seq)
    return position, wrong


def _snapshots(store: Store, game_id: GameId) -> dict[int, object]:
    """The snapshots of this release, by seq; None for unreadable ones."""
    found: dict[int, object] = {}
    name = store.keys.game(game_id).snapshots
    if store.wire.one("TYPE", name) != b"hash":
        return found  # there are no snapshots, or the next commit removes them
    for seq in [int(seq) for seq in store.wire.one("HKEYS", name) if seq.isdigit()]:
        packed = store.wire.one("HGET", name, seq)
        if packed is None or not packed.startswith(RELEASE.encode() + b"\n"):
            continue  # the service does not read snapshots of another release
        found[seq] = _document(packed)
    return found


def _document(packed: bytes) -> object:
    """The position in a snapshot, without its cover; None if it cannot be read."""
    try:
        return orjson.loads(packing.unpack_snapshot(packed).rpartition(b"\n")[2])
    except (ValueError, zlib.error):
        return None


def wrong_rows(store: Store, facts: GameConfig, position: Position) -> Rows | None:
    """The correct rows of a game, from its complete log, if the stored ones differ; None otherwise.

    Missing rows and those of another release are not errors, because they are rebuilt when they are read.
    """
    stand = store.views.rows(facts.id, views=False)
    if stand is None or stand.seq != position.seq:
        return None
    if stand.release != RELEASE:
        written = store.wire.one("HGET", store.keys.game(facts.id).meta, "newest")
        return build_rows(facts.game, position) if written and read_newest(written) is None else None
    true = build_rows(facts.game, position, (stand.signature, stand.key_id))
    seats = [Seat(number) for number in range(1, facts.seats + 1)]
    kept = store.views.kept_views(facts.id, seats)
    views: dict[int, bytes] = {0: true.public, **dict(true.private.items())}
    bare = replace(true, public=b"null", private={})
    right = bare == stand and all(views.get(place) == part for place, part in kept.items())
    return None if right or store.log.head(facts.id)[0] != stand.seq else true
