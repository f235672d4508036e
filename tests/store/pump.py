"""A minimal worker for tests of the store: settles commands of pennies into any store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import count

import orjson

from domain import RELEASE
from domain.kernel.dice import dice_key
from domain.kernel.record import Chance, Position
from domain.kernel.terms import SYSTEM, Seat
from domain.table.folding import replay as fold_all
from domain.table.settle import no_clock, settle
from service.core.followers.game_lists import GameLists
from service.core.followers.runner import Followers
from service.core.positions.cache import Positions
from service.features.notifications.follower import Notifications
from service.store.codec import canonical, decode_commit, decode_submission, pack_position
from service.store.founding import origin
from service.store.ports.commits import Append, Rows, Stored
from service.store.ports.errors import StaleWrite
from service.store.ports.lobbies import Chair, Lobby
from service.store.ports.waiting import Due
from service.store.seal import Signer, commitment, seal
from tests.pennies import PENNIES

SIGNER = Signer(b"\x07" * 32)
_NUMBERS = count(1)


def lobby(*holders: str | None, **told) -> Lobby:
    """A lobby of pennies with these players in its chairs, created by the first of them."""
    number = next(_NUMBERS)
    fields = {
        "id": f"g{number}",
        "kind": "pennies",
        "creator": holders[0] or "nobody",
        "chairs": tuple(Chair(holder, "") for holder in holders),
        "ruleset": "pennies_v1",
        "options": {"points": 3},
        "modules": (),
        "pace": {"mode": "free"},
        "visibility": "public",
        "commitment": commitment(seed(number)),
        "made_at": 1_700_000_000_000 + number,
    }
    return Lobby(**{**fields, **told})


def seed(number: int) -> bytes:
    return hashlib.sha256(str(number).encode()).digest()


def opened(store, *holders: str | None, **told) -> Lobby:
    """Create the lobby in the store."""
    made = lobby(*holders, **told)
    store.lobbies.create(made, seed(int("".join(c for c in made.id if c.isdigit()))))
    return made


def started(store, *holders: str, **told) -> str:
    """Start a game and settle its `begin`; returns the game's id."""
    made = opened(store, *(holders or ("ann", "bob")), **told)
    store.lobbies.start(made.id, made.creator, f"begin:{made.id}")
    pump(store, made.id)
    return made.id


def of_bots(store, seats: int, commits: int) -> str:
    """Let bots play a game for about so many commits, far from its end; returns the game's id."""
    made = opened(store, *["bot:greedy"] * seats, creator="ann", options={"points": 100_000})
    store.lobbies.start(made.id, "ann", f"begin:{made.id}")
    pump(store, made.id, until=commits)
    return made.id


def command(id_: str, seat: int, type_: str = "hide", expected: int | None = None, **parameters):
    return {
        "id": id_,
        "seat": seat,
        "command": {"type": type_, **parameters},
        "expected": expected,
        "credential": "cred",
    }


def claim_games(store, partitions, limit: int, lease: int) -> list[str]:
    """The ids of the games that are claimed."""
    chosen = store.claims.longest_waiting(partitions)[:limit]
    return [work.game_id for work in store.claims.claim(chosen, limit, lease)]


def submit(store, game: str, document, **told):
    """Submit a document with the digest of its command."""
    return store.log.submit(game, document, hashlib.sha256(canonical(document["command"])).hexdigest(), **told)


def position_of(store, game: str) -> Position:
    """The position after every commit in the log."""
    commits = (decode_commit(PENNIES, s.seq, s.at, s.release, orjson.loads(s.body)) for s in store.log.commits(game))
    position = fold_all(PENNIES, commits)
    return _with_head(position, store.log.head(game)[1] or origin(store.lobbies.get(game).setup))


def _with_head(position: Position, head: str) -> Position:
    from dataclasses import replace

    return replace(position, head=head)


def follow(store, game: str) -> None:
    """Run the followers that need no rules, as workers do after each commit."""
    Followers(store, Positions(store), [GameLists(store), Notifications(store)]).follow([store.keys.number(game)])


class Worker:
    """Settles the pending commands of one game, as the workers do. Keeps its position between calls."""

    def __init__(self, store, game: str, clock=no_clock) -> None:
        self.store, self.game, self.clock = store, game, clock
        self.seed = store.lobbies.seed(game)
        found = store.lobbies.get(game)
        entropy = [(n, chair.entropy) for n, chair in enumerate(found.chairs, 1)]
        self.chance = Chance(dice_key(self.seed, game, entropy))
        self.position = position_of(store, game)

    def appends(self, limit: int = 32) -> list[Append]:
        """The appends that the pending commands result in."""
        (work,) = self.store.claims.work([self.game], limit)
        return [self.append_of(entry, document) for entry, document in work.pending]

    def append_of(self, entry: str, document) -> Append:
        before = self.position
        submission = decode_submission(PENNIES, document)
        commit, after = settle(PENNIES, before, submission, self.store.schedule.now(), self.chance, self.clock)
        sealed = seal(self.game, commit, before.head, self.seed, last=after.over and not before.over)
        self.position = _with_head(after, sealed.head)
        return Append(
            self.game,
            before.seq,
            sealed,
            entry,
            submission,
            commit.refusal is not None,
            rows_of(self.position, sealed.head, commit.refusal is not None),
            tuple(dues(self.position)),
            over=self.position.over,
            stalled=submission.seat == SYSTEM
            and commit.refusal is not None
            and commit.refusal.code not in ("already-answered", "game-over"),
            snapshot=pack_position(self.position) if commit.seq % 256 == 0 else None,
        )

    def step(self, limit: int = 32) -> int:
        """Append all pending commands; returns the number of commits."""
        batch = self.appends(limit)
        outcomes = self.store.log.append(batch)
        assert not any(outcomes), outcomes
        follow(self.store, self.game)
        return len(batch)


def pump(store, game: str, clock=no_clock, until: int = 1_000_000) -> Worker:
    """Settle until nothing is pending or the log has `until` commits; returns the worker.

    Does not claim the game: a claim would also take every other game of the partition.
    """
    worker = Worker(store, game, clock)
    while worker.position.seq < until and worker.step():
        pass
    return worker


def dues(position: Position) -> Iterable[Due]:
    for asked in position.asked:
        seat = asked.question.seat
        if seat and position.table.controller(seat) != "player":
            yield Due(position.at, asked.id, "act")
        elif asked.due is not None:
            yield Due(asked.due, asked.id, "expire")


def rows_of(position: Position, head: str, refused: bool) -> Rows:
    signature = SIGNER.sign(head)
    state = position.state
    seats = [Seat(n) for n in range(1, len(position.table.controllers) + 1)]
    asked = [
        {"id": a.id, "seat": a.question.seat, "kind": a.question.kind, "rule": a.question.clause, "about": {},
         "since": a.since, "due": a.due}
        for a in position.asked
    ]  # fmt: skip
    return Rows(
        position.seq,
        head,
        RELEASE,
        b"" if refused else canonical(PENNIES.knowledge.view(state)),
        {} if refused else {seat: canonical(PENNIES.knowledge.private(state, seat)) for seat in seats},
        position.seen,
        canonical(asked),
        "over" if position.over else "running",
        signature,
        SIGNER.key_id,
    )


def is_stale(outcome) -> bool:
    return isinstance(outcome, StaleWrite)


def outcome(store, game: str, submission: str) -> int | str | None:
    """The seq of the commit that settled a submission, or its status."""
    came = store.log.outcome(game, submission)
    return came.seq if isinstance(came, Stored) else came
