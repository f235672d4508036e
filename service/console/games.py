"""What operators see of one game, and the actions for it. Shows no command's content: a bet or a line is a secret."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domain.kernel.terms import GameId, Seq
from service.ops.doctor.games import examined
from service.ops.doctor.resubmit import resubmit
from service.store.chain import BrokenLog
from service.store.ports.outbox import DeliveryCursor
from service.store.ports.waiting import Mark
from service.store.redis.log.schedule import asked_at, due_member, submission_in
from service.store.redis.store import Store
from workers.followers import FOLLOWERS

MOST = 100
"""Pending commands, deadlines and deliveries that are shown."""


@dataclass(frozen=True, slots=True)
class PendingCommand:
    entry: str
    submission: str
    """Its id; empty if the entry is not a command."""
    seat: int
    kind: str
    """The type of the command."""
    sent_at: int
    """Milliseconds of Unix time; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class Deadline:
    question: str
    what: str
    """``d``: the deadline of a question; ``b``: a bot's turn; ``t``: the latest time for a search bot's answer."""
    at: int


@dataclass(frozen=True, slots=True)
class GameDelivery:
    subscription: str
    kind: str
    """Empty if the subscription no longer exists."""
    owner: str
    seq: int
    """The last commit that needs no further delivery."""
    failed_tries: int
    due_at: int | None
    """None if nothing is pending."""


@dataclass(frozen=True, slots=True)
class GameFacts:
    """One game, as its operator sees it. All times are milliseconds of Unix time by the store's clock."""

    id: GameId
    kind: str
    status: str
    creator: str
    seq: Seq
    head: str
    now: int
    commands: Sequence[PendingCommand]
    more_commands: int
    deadlines: Sequence[Deadline]
    ready_since: int | None
    """When it was marked as ready for a worker; None if it is not."""
    lease_ends: int | None
    """None if no worker has it."""
    holder: str
    stalled: bool
    mark: Mark | None
    """Why it is quarantined."""
    cursors: Mapping[str, str]
    """By the name of a follower: what it has stored of its progress in this game; empty if nothing."""
    unread_changes: int
    """Changes of the game's partition that followers have not read."""
    deliveries: Sequence[GameDelivery]


def read_game(store: Store, game_id: GameId) -> GameFacts | None:
    """The status of a game; None if it is not in the store. Parts that cannot be read are left out."""
    names, shared = store.keys.game(game_id), store.keys.partition(game_id)
    if not store.wire.one("EXISTS", names.meta):
        return None
    lobby = _tried(lambda: store.lobbies.get(game_id), None)
    seq, head = _tried(lambda: store.log.head(game_id), (Seq(0), ""))
    entries = store.wire.one("XRANGE", names.commands, "-", "+", "COUNT", MOST)
    count, ready, lease, holder, stalled = store.wire.all(
        [
            ("XLEN", names.commands),
            ("ZSCORE", shared.ready, game_id),
            ("ZSCORE", shared.leases, game_id),
            ("HGET", shared.holders, game_id),
            ("SISMEMBER", shared.stalled, game_id),
        ]
    )
    number = store.keys.number(game_id)
    return GameFacts(
        id=game_id,
        kind=lobby.kind if lobby else "",
        status=lobby.status if lobby else "",
        creator=lobby.creator if lobby else "",
        seq=seq,
        head=head,
        now=store.schedule.now(),
        commands=[_command(entry, fields) for entry, fields in entries],
        more_commands=max(0, count - MOST),
        deadlines=list(_deadlines(store, game_id)),
        ready_since=_milliseconds(ready),
        lease_ends=_milliseconds(lease),
        holder=_text(holder),
        stalled=bool(stalled),
        mark=store.schedule.marked(game_id),
        cursors=_cursors(store, game_id),
        unread_changes=store.changes.behind("followers", [number]).get(number, 0),
        deliveries=_deliveries(store, game_id),
    )


def _tried(read: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return read()
    except BrokenLog:
        return otherwise


def _command(entry: bytes, fields: Sequence[bytes]) -> PendingCommand:
    document = submission_in(fields) or {}
    command = document.get("command")
    kind = command.get("type", "") if isinstance(command, dict) else ""
    return PendingCommand(entry.decode(), str(document.get("id", "")), document.get("seat", 0), kind, asked_at(fields))


def _deadlines(store: Store, game_id: GameId) -> Iterator[Deadline]:
    for member, score in _of_game(store, store.keys.partition(game_id).due, game_id):
        _, what, question = due_member(member)
        yield Deadline(question, what, score)


def _deliveries(store: Store, game_id: GameId) -> list[GameDelivery]:
    told = store.wire.one("HGETALL", store.keys.game(game_id).told)
    cursors = dict(zip(told[::2], told[1::2], strict=True)) if isinstance(told, list) else told
    due = dict(_of_game(store, store.keys.partition(game_id).outbox, game_id))
    pending = {member.decode().split(" ")[1]: at for member, at in due.items()}
    found = []
    for id_ in sorted({*pending, *(each.decode() for each in cursors)})[:MOST]:
        subscription = store.subscriptions.get(id_)
        packed = cursors.get(id_.encode())
        cursor = DeliveryCursor() if packed is None else DeliveryCursor.unpack(packed.decode())
        kind, owner = (subscription.kind, subscription.owner) if subscription else ("", "")
        found.append(GameDelivery(id_, kind, owner, cursor.seq, cursor.tries, pending.get(id_)))
    return found


def _of_game(store: Store, name: str, game_id: GameId) -> Iterator[tuple[bytes, int]]:
    """The members of a sorted set that begin with the game's id, with their scores."""
    cursor, found = b"0", 0
    while found < MOST:
        cursor, flat = store.wire.one("ZSCAN", name, cursor, "MATCH", f"{game_id} *", "COUNT", 1000)
        for member, score in zip(flat[::2], flat[1::2], strict=True):
            found += 1
            yield member, int(float(score))
        if cursor == b"0":
            return


def _cursors(store: Store, game_id: GameId) -> Mapping[str, str]:
    cursors = [follower.cursor for follower in FOLLOWERS]
    held = store.wire.one("HMGET", store.keys.game(game_id).meta, *(name or "-" for name in cursors))
    return {each.name: _text(value) for each, value in zip(FOLLOWERS, held, strict=True)}


def _milliseconds(score: Any) -> int | None:
    return None if score is None else int(float(score))


def _text(value: bytes | None) -> str:
    return "" if value is None else value.decode(errors="replace")


def release_game(store: Store, game_id: GameId) -> list[str]:
    """Remove a game from quarantine, if its log verifies; returns what was done or found, as sentences."""
    wrong = [each for each in examined(store, game_id, write=False) if each.broken]
    if wrong:
        return [each.message for each in wrong]
    store.schedule.mark(game_id, None)
    store.claims.release(game_id)
    return ["The game was released from quarantine. A worker continues it."]


def resubmit_commands(store: Store, game_id: GameId) -> list[str]:
    """Submit SYSTEM's refused commands again."""
    questions = resubmit(store, game_id)
    return [f"Submitted again: {', '.join(questions)}." if questions else "Nothing is due in this game."]


def check_game(store: Store, game_id: GameId, *, write: bool) -> list[str]:
    """Verify the log of a game and the data derived from it, as `oraclewheel doctor` does; repair if ``write``."""
    return [each.message for each in examined(store, game_id, write=write)] or ["No problems found."]
