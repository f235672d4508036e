"""Seats that change hands: their players and what is on offer, which are not in the log.

The log only says that a seat is taken. Who takes it is recorded before the command is submitted (`seek`).
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import orjson

from domain.kernel.lifecycle import SeatLeft, SeatResigned
from domain.kernel.terms import GameId, PlayerId, Seat
from domain.table.seats import SeatTaken, SeatVacated
from domain.table.vacations import VacationEnded, announced_until
from domain.table.votes.newcomers import SubstituteAccepted, SubstituteProposed, SubstituteRejected
from service.core.followers.follower import ChangedGame, CommitStep
from service.store.ports.commits import Stored
from service.store.ports.lobbies import Chair, Lobby, SeatChange, Seating
from service.store.ports.news import seats_changed
from service.store.redis import keys
from service.store.redis.conditional import set_fields
from service.store.redis.lobbies.record import chair_lines, read_chairs, read_seating, seating_lines
from service.store.redis.store import Store

_CHANGING = frozenset(
    {
        SeatVacated,
        SeatResigned,
        SeatTaken,
        SeatLeft,
        SubstituteProposed,
        SubstituteAccepted,
        SubstituteRejected,
        VacationEnded,
    }
)
"""The events that change seats."""

CURSOR = "seated"
"""The field with the last commit that was read, if no later one changed seats."""

_FIELDS = ("chairs", "seating", "seeks", "status", "lobby")

UNSENT = 30.0
"""Seconds after which a submission counts as never sent."""


class SeatFollower:
    name: ClassVar[str] = "seats"
    fields: ClassVar[Sequence[str]] = (*_FIELDS, CURSOR)
    cursor: ClassVar[str] = CURSOR
    is_late: ClassVar[bool] = False

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        for game in games:
            found: Mapping[str, bytes | None] = {name: game.fields[name] for name in _FIELDS}
            cursor = max(_seating(found).applied, game.number(CURSOR))
            _, steps = game.steps_after(cursor)
            changing = [step for step in steps if not _CHANGING.isdisjoint(map(type, step.commit.events))]
            while changing and not self._apply(game.game_id, found, changing):
                found = self._read(game.game_id)
            if not changing and steps and game.is_far_from(cursor):
                key = self._store.keys.game(game.game_id).meta
                self._store.wire.one("HSET", key, CURSOR, steps[-1].commit.seq)

    def _apply(self, game_id: GameId, found: Mapping[str, bytes | None], steps: Sequence[CommitStep]) -> bool:
        """Write what these commits change; False if the fields were changed in the meantime."""
        seating, chairs = _seating(found), read_chairs(found["chairs"] or b"")
        players = {each.submission: each.player for each in seeks_in(found["seeks"])}
        after = seating
        for step in steps:
            if step.commit.seq <= seating.applied:
                continue
            for change in _changes(step, players):
                chairs, after = changed(chairs, after, change)
            after = replace(after, applied=step.commit.seq)
        if after == seating:
            return True
        self._list(game_id, found, offers=bool(after.vacant))
        written = {"chairs": chair_lines(chairs), "seating": seating_lines(after)}
        messages = [(keys.REVOKED, seats_changed(game_id, after.revision)), (keys.NEWS, game_id)]
        key = self._store.keys.game(game_id).meta
        return set_fields(
            self._store.wire, key, {name: found[name] for name in ("chairs", "seating")}, written, messages
        )

    def _list(self, game_id: GameId, found: Mapping[str, bytes | None], *, offers: bool) -> None:
        """Put a public game into the lists of games with seats on offer, or take it out.

        Before its seats are written: a process that is killed in between does both again.
        """
        lobby = orjson.loads(found["lobby"] or b"")
        if lobby["visibility"] != "public":
            return
        is_in = offers and found["status"] == b"running"
        self._store.wire.all(
            [
                ("ZADD", name, lobby["made_at"], game_id) if is_in else ("ZREM", name, game_id)
                for name in self._store.keys.listings(game_id, lobby["kind"], "vacant")
            ]
        )

    def _read(self, game_id: GameId) -> Mapping[str, bytes | None]:
        values = self._store.wire.one("HMGET", self._store.keys.game(game_id).meta, *_FIELDS)
        return dict(zip(_FIELDS, values, strict=True))


def _seating(found: Mapping[str, bytes | None]) -> Seating:
    return read_seating((found["seating"] or b"").decode())


def _changes(step: CommitStep, players: Mapping[str, PlayerId]) -> Iterator[SeatChange]:
    """The changes of a commit; ``players`` says for which player a submission was sent."""
    commit, player = step.commit, players.get(step.commit.submission.id, "")
    for event in commit.events:
        match event:
            case SubstituteProposed(seat):
                yield SeatChange("asked", seat, commit.seq, player)
            case SubstituteAccepted(seat):
                yield SeatChange("given", seat, commit.seq)
            case SubstituteRejected(seat, why):
                yield SeatChange("refused" if why == "voted" else "withdrawn", seat, commit.seq)
            case SeatVacated(seat) | SeatResigned(seat):
                yield SeatChange("vacant", seat, commit.seq)
            case SeatTaken(seat) if SubstituteAccepted(seat) not in commit.events:
                yield SeatChange("taken", seat, commit.seq, player)
            case VacationEnded(seat):
                if until := announced_until(step.before.table, event):
                    yield SeatChange("back", seat, commit.seq, str(until))
            case SeatLeft(seat):
                yield SeatChange("left", seat, commit.seq)


def changed(chairs: tuple[Chair, ...], seating: Seating, change: SeatChange) -> tuple[tuple[Chair, ...], Seating]:
    """The players and the seating after a change."""
    if change.how == "given":
        asking = next((player for seat, player in seating.wishes if seat == change.seat), "")
        change = replace(change, how="taken", holder=asking)
    if change.how != "taken":
        return chairs, seating.changed(change)
    chair = chairs[change.seat - 1]
    holder = change.holder or chair.holder or ""
    after = seating.changed(replace(change, holder=holder))
    if chair.holder and holder != chair.holder:
        after = after.with_former(change.seat, PlayerId(chair.holder), change.seq)
    others = chairs[: change.seat - 1], chairs[change.seat :]
    return (*others[0], replace(chair, holder=holder), *others[1]), after


# -- who takes a seat -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seek:
    """A submission that takes or requests a seat for a player."""

    submission: str
    seat: Seat
    player: PlayerId
    at: int = 0
    """When it was recorded, seconds of Unix time."""


def seek(store: Store, lobby: Lobby, wanted: Seek) -> bool:
    """Record for which player a submission takes or requests a seat, before it is submitted.

    Whether they have another seat, or may yet get one by another submission: two requests sent at once would not see
    each other otherwise.
    """
    key = store.keys.game(lobby.id).meta
    while True:
        chairs, lines = store.wire.one("HMGET", key, "chairs", "seeks")
        seeks = seeks_in(lines)
        seated = any(
            chair.holder == wanted.player and seat != wanted.seat
            for seat, chair in enumerate(read_chairs(chairs or b""), 1)
        )
        others = [each for each in seeks if each.player == wanted.player and each.seat != wanted.seat]
        has_another = seated or any(_may_succeed(store, lobby.id, each) for each in others)
        line = f"{wanted.submission} {wanted.seat} {wanted.player} {int(time.time())}\n".encode()
        is_known = any(each.submission == wanted.submission for each in seeks)
        if is_known or set_fields(
            store.wire, key, {"chairs": chairs, "seeks": lines}, {"seeks": (lines or b"") + line}
        ):
            return has_another and lobby.sandbox is None


def seeks_in(lines: bytes | None) -> list[Seek]:
    """The seeks of a game, the oldest first, from the field ``seeks`` of its meta hash."""
    found = [line.split(" ") for line in (lines or b"").decode().splitlines()]
    return [Seek(submission, Seat(int(seat)), PlayerId(player), int(at)) for submission, seat, player, at in found]


def _may_succeed(store: Store, game_id: GameId, seek: Seek) -> bool:
    """Whether a submission may still give its player a seat that they do not have yet."""
    result = store.log.outcome(game_id, seek.submission)
    if result is None:
        return time.time() - seek.at < UNSENT
    if not isinstance(result, Stored):
        return result == "pending"
    return "refusal" not in orjson.loads(result.body) and not is_applied(store, game_id, result.seq)


def is_applied(store: Store, game_id: GameId, seq: int) -> bool:
    """Whether the seats are those after this commit, which changes them."""
    found = store.wire.one("HGET", store.keys.game(game_id).meta, "seating")
    return read_seating((found or b"").decode()).applied >= seq
