"""A server and a cluster give the same answers to random histories of lobbies, commands, workers and sweeps."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from domain.kernel.terms import Seat
from service.store.ports.errors import LobbyRefusal
from service.store.redis.store import open_store
from tests import stores
from tests.cluster.cluster import Cluster
from tests.store.pump import Worker, claim_games, command, lobby, outcome, submit
from tests.store.test_due import clock_of

PEOPLE = ("ann", "bob", "cid")
GAMES = st.integers(0, 2)
SEATS = st.sampled_from([None, 1, 2, 3, 9])
CLOCK = clock_of(600_000)


class TwoStores(RuleBasedStateMachine):
    """Every rule calls both stores and compares their answers."""

    cluster: Cluster

    def __init__(self) -> None:
        super().__init__()
        self.cluster.empty()
        self.stores = (stores.new_store(), open_store(self.cluster.url))
        self.games: list[str] = []
        self.workers: dict[str, tuple[Worker, ...]] = {}
        self.number = 0

    def teardown(self) -> None:
        self.stores[1].close()

    def both(self, call):
        """The answer of both stores, which must be equal."""
        answers = []
        for place, store in enumerate(self.stores):
            try:
                answers.append(call(store, place))
            except LobbyRefusal as refusal:
                answers.append(refusal.code)
        assert answers[0] == answers[1]
        return answers[0]

    def game(self, number):
        return self.games[number % len(self.games)]

    @initialize(points=st.integers(1, 3), bot=st.booleans())
    def begin(self, points, bot):
        """One game has started from the beginning."""
        made = lobby("ann", "bot:greedy" if bot else "bob", id="g0", options={"points": points})
        self.games.append(made.id)
        self.both(lambda store, _: store.lobbies.create(made, b"7" * 32))
        self.both(lambda store, _: told_of(store.lobbies.start(made.id, "ann", "begin")))
        self.settle(0, 1, False)

    @rule(
        seats=st.integers(2, 3),
        visibility=st.sampled_from(["public", "private"]),
        sandbox=st.sampled_from([None, {"position": None, "dice": None, "forked": None}]),
    )
    @precondition(lambda self: len(self.games) < 3)
    def create(self, seats, visibility, sandbox):
        self.number += 1
        made = lobby(
            "ann",
            *[None] * (seats - 1),
            id=f"g{len(self.games)}",
            visibility=visibility,
            invitation_digest="yes",
            sandbox=sandbox,
            made_at=1000 + self.number % 2,
        )
        self.games.append(made.id)
        self.both(lambda store, _: store.lobbies.create(made, bytes([self.number]) * 32))

    @rule(number=GAMES, who=st.sampled_from(PEOPLE), seat=SEATS, proof=st.sampled_from([None, "yes", "no"]))
    @precondition(lambda self: self.games)
    def join(self, number, who, seat, proof):
        self.both(lambda store, _: store.lobbies.join(self.game(number), who, "ab", proof, seat))

    @rule(number=GAMES, who=st.sampled_from(PEOPLE), seat=SEATS)
    @precondition(lambda self: self.games)
    def seat_bot(self, number, who, seat):
        self.both(lambda store, _: store.lobbies.seat_bot(self.game(number), who, "greedy", seat))

    @rule(number=GAMES, who=st.sampled_from(PEOPLE), seat=st.integers(1, 4), leave=st.booleans())
    @precondition(lambda self: self.games)
    def change_seat(self, number, who, seat, leave):
        game = self.game(number)
        if leave:
            self.both(lambda store, _: store.lobbies.leave(game, who, Seat(seat)))
        else:
            self.both(lambda store, _: store.lobbies.add_entropy(game, who, Seat(seat), "cd"))

    @rule(number=GAMES, who=st.sampled_from(("ann", "ann", "ann", "bob")), fill=st.booleans())
    @precondition(lambda self: self.games)
    def start(self, number, who, fill):
        game = self.game(number)
        for _ in range(3 * fill):
            self.both(lambda store, _: store.lobbies.seat_bot(game, "ann", "greedy"))
        self.both(lambda store, _: told_of(store.lobbies.start(game, who, "begin")))

    @rule(
        number=GAMES,
        id_=st.integers(0, 20),
        seat=st.integers(1, 2),
        pennies=st.integers(0, 7),
        expected=st.sampled_from([None, None, None, 0, "now"]),
        refusals=st.sampled_from([60, 60, 2]),
    )
    @precondition(lambda self: self.games)
    def submit(self, number, id_, seat, pennies, expected, refusals):
        game = self.game(number)

        def call(store, _):
            rows = store.views.rows(game)
            etag = rows.seen[seat] if expected == "now" and rows and seat < len(rows.seen) else expected
            document = command(f"s{id_}", seat, pennies=pennies, expected=None if etag == "now" else etag)
            receipt = submit(store, game, document, refusals=refusals)
            return receipt.status, receipt.seq, receipt.wake, receipt.retry_after > 0

        self.both(call)

    @rule(number=GAMES, lease=st.sampled_from([0, 600_000]))
    @precondition(lambda self: self.games)
    def claim(self, number, lease):
        partition = self.stores[0].schedule.partition(self.game(number))
        self.both(lambda store, _: sorted(claim_games(store, [partition], 10, lease)))

    @rule(number=GAMES, later=st.sampled_from([0, 600_000]))
    @precondition(lambda self: self.games)
    def release(self, number, later):
        game = self.game(number)
        if later and self.stores[0].lobbies.get(game).status == "lobby":
            return  # a worker never holds a game that has not started, so it never releases one with a delay
        self.both(lambda store, _: store.claims.release(self.game(number), later))

    @rule(number=GAMES, limit=st.integers(1, 4), stale=st.booleans())
    @precondition(lambda self: self.games)
    def settle(self, number, limit, stale):
        game = self.game(number)
        if game not in self.workers or self.stores[0].log.head(game)[0] == 0:
            self.workers[game] = tuple(Worker(store, game, CLOCK) for store in self.stores)
        workers = self.workers[game]

        def call(store, place):
            batch = workers[place].appends(limit)
            outcomes = store.log.append(batch)
            if stale and batch:
                outcomes = [*outcomes, *store.log.append(batch)]
            return [type(outcome).__name__ for outcome in outcomes]

        self.both(call)

    @rule(number=GAMES, pennies=st.integers(0, 3), rounds=st.integers(1, 4))
    @precondition(lambda self: self.games)
    def play(self, number, pennies, rounds):
        for _ in range(rounds):
            for seat in (1, 2):
                self.number += 1
                document = command(f"r{self.number}", seat, pennies=pennies)
                self.both(lambda store, _, document=document: submit(store, self.game(number), document).status)
            self.settle(number, 4, False)

    @rule(number=GAMES)
    @precondition(lambda self: self.games)
    def sweep(self, number):
        for store in self.stores:
            store.schedule.sweep(store.schedule.partition(self.game(number)))

    @rule(limit=st.integers(1, 3), status=st.sampled_from([None, "lobby", "running", "over"]), mine=st.booleans())
    def list(self, limit, status, mine):
        def call(store, _):
            told, cursor = [], None
            while True:
                page, cursor = store.lobbies.page(
                    status=status, player_id="bob" if mine else None, cursor=cursor, limit=limit
                )
                told += [game.id for game in page]
                if cursor is None:
                    return told

        self.both(call)

    @invariant()
    def alike(self):
        self.both(lambda store, _: [told_of(store.lobbies.get(game)) for game in self.games])
        self.both(lambda store, _: [shown(store, game) for game in self.games])
        self.both(lambda store, _: [waiting(store, game) for game in self.games])
        self.both(lambda store, _: dict(store.schedule.census()))
        self.both(lambda store, _: [list(store.accounts.games_of(who)) for who in PEOPLE])


def told_of(found):
    """A lobby without the time at which it started."""
    from dataclasses import replace

    return replace(found, started_at=None, setup=b"")


def shown(store, game):
    """The answers to readers, except heads and times."""
    rows = store.views.rows(game, [1, 2])
    if rows is None:
        return None
    outcomes = [outcome(store, game, f"s{number}") for number in range(21)]
    return rows.seq, rows.public, rows.private, rows.seen, rows.status, rows.release, outcomes


def waiting(store, game):
    (work,) = store.claims.work([game])
    return [document["id"] for _, document in work.pending], work.claims


def run(cluster, examples, steps):
    machine = type("TwoStoresHere", (TwoStores,), {"cluster": cluster})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.soak
def test_server_and_cluster_give_the_same_answers(cluster):
    run(cluster, examples=10, steps=40)


@pytest.mark.soak
def test_server_and_cluster_give_the_same_answers_in_long_runs(cluster):
    run(cluster, examples=600, steps=80)
