"""How reliably players play: whether they played their last turns in each game in time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

from domain.kernel.record import SPEAKERS
from domain.kernel.terms import Seat, Seq
from domain.table import features
from domain.table.seats import SEATS, TurnMissed
from service.core.followers.follower import ChangedGame, CommitStep
from service.store.ports.lobbies import MOST_TURNS, is_bot
from service.store.redis.conditional import set_fields
from service.store.redis.lobbies.record import read_chairs, read_seating
from service.store.redis.store import Store


class ReliabilityFollower:
    """Writes a field for each player of a game: when their newest turn ended, and their last turns (`TurnsPlayed`)."""

    name: ClassVar[str] = "reliability"
    fields: ClassVar[Sequence[str]] = ("turned",)
    cursor: ClassVar[str] = "turned"
    is_late: ClassVar[bool] = True

    def __init__(self, store: Store) -> None:
        self._store = store

    def follow(self, games: Collection[ChangedGame]) -> None:
        for game in games:
            cursor = game.number("turned")
            _, steps = game.steps_after(cursor)
            ended = [(step, turns) for step in steps if (turns := turns_ended(step))]
            if steps and (ended or game.is_far_from(cursor)):
                self._write(game, steps[-1].commit.seq, ended)

    def _write(
        self, game: ChangedGame, seq: Seq, ended: Sequence[tuple[CommitStep, Sequence[tuple[Seat, bool]]]]
    ) -> None:
        key = self._store.keys.game(game.game_id).meta
        if not ended:
            set_fields(self._store.wire, key, {"turned": game.fields["turned"]}, {"turned": seq})
            return
        # Read now: the seats may have changed hands with these commits.
        lines, changes = self._store.wire.one("HMGET", key, "chairs", "seating")
        chairs, seating = read_chairs(lines or b""), read_seating((changes or b"").decode())
        added: dict[str, tuple[int, str]] = {}
        for step, turns in ended:
            for seat, in_time in turns:
                player = seating.player_at(chairs, seat, step.commit.seq)
                if player and not is_bot(player):
                    _, known = added.get(player, (0, ""))
                    added[player] = step.commit.at, f"{known}{int(in_time)}"
        names = [f"turns {player}" for player in added]
        before = dict(zip(names, self._store.wire.one("HMGET", key, *names), strict=True)) if names else {}
        after: dict[str, Any] = {"turned": seq}
        for name, (at, new) in zip(names, added.values(), strict=True):
            _, _, known = (before[name] or b"").decode().partition(" ")
            after[name] = f"{at} {(known + new)[-MOST_TURNS:]}"
        # If another process was faster, it has counted these turns.
        set_fields(self._store.wire, key, {"turned": game.fields["turned"]}, after)


def turns_ended(step: CommitStep) -> tuple[tuple[Seat, bool], ...]:
    """The players' timed turns that end with a commit, and whether they were played in time."""
    before, commit, after = step.before, step.commit, step.after
    if commit.refusal is not None or SEATS.memory_at(after.table) is None:
        return ()
    missed = [(event.seat, False) for event in commit.events if isinstance(event, TurnMissed)]
    if commit.by not in SPEAKERS:
        return tuple(missed)
    played = [
        (commit.seat, True)
        for asked in before.asked
        if asked.due is not None
        and asked.question.seat == commit.seat
        and not features.is_asking(asked.question)
        and after.question(asked.id) is None
    ]
    return (*missed, *played)
