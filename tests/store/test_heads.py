"""The log of heads in a store: each new head is logged once, and a killed process does no harm."""

from __future__ import annotations

import threading

import pytest

from service.features.transparency import heads
from service.features.transparency.heads import publish
from service.store.ports.commits import BROUGHT_IN
from service.store.redis.side_data.transparency_log import FOLLOWER
from service.store.seal import Signer
from service.store.transparency.leaves import Leaf, name_of, unpacked
from service.store.transparency.notes import Key, checkpoint_in, is_signed, note_in
from service.store.transparency.tiles import TiledTree
from service.store.transparency.tree import folded, root
from service.store.upkeep.log_growth import grow, name_for
from tests.store.pump import SIGNER, command, opened, pump, started, submit

NAME = "games.example.org/v1/log"


def logged(store):
    """Every leaf of the log, after checking its checkpoint."""
    size, written = store.ledger.checkpoint()
    note = note_in(written)
    assert is_signed(note, Key(NAME, SIGNER.public))
    checkpoint = checkpoint_in(note)
    leaves = [leaf for place in range(-(-size // 256)) for leaf in unpacked(store.ledger.leaves(place))]
    hashes = [leaf.hash for leaf in leaves]
    assert (NAME, size, len(leaves)) == (checkpoint.origin, checkpoint.size, size)
    assert checkpoint.root == root(size, lambda level, at: folded(hashes[at << level : (at + 1) << level]))
    assert checkpoint.root == root(size, TiledTree(size, store.ledger.read_tile).node)
    return leaves


def move(store, game, number):
    submit(store, game, command(f"s{number}", 1 + number % 2, pennies=1))
    pump(store, game)


def test_newest_head_of_every_changed_game_is_logged_once(store):
    games = [started(store) for _ in range(3)]

    assert 3 == publish(store, SIGNER, NAME)
    assert 0 == publish(store, SIGNER, "another name"), "nothing has moved since"
    move(store, games[1], 0)
    move(store, games[1], 1)
    assert 1 == publish(store, SIGNER, NAME)

    leaves = logged(store)
    assert {(name_of(game), 1) for game in games} == {(leaf.name, leaf.seq) for leaf in leaves[:3]}
    assert Leaf(name_of(games[1]), *store.log.head(games[1])) == leaves[3]
    assert [(at, leaf.seq) for at, leaf in enumerate(leaves) if leaf.name == name_of(games[1])] == list(
        store.ledger.of(name_of(games[1]))
    )
    assert [] == list(store.ledger.of(name_of("nobody's")))


def test_leaf_does_not_reveal_the_id_of_its_game(store):
    game = started(store, visibility="private")
    publish(store, SIGNER, NAME)

    assert game.encode() not in logged(store)[0].entry


def test_log_grown_in_steps_keeps_its_leaves_and_a_checkpoint_of_each_day(store):
    leaves = [Leaf(name_of(f"g{n}"), 1 + n % 7, name_of(f"h{n}")) for n in range(700)]
    store.ledger.named(NAME)
    for first, last in [(0, 1), (1, 255), (255, 257), (257, 600), (600, 700)]:
        assert grow(store.ledger, SIGNER, NAME, leaves[first:last], 1_700_000_000_000 + first * 86_400_000)
    assert leaves == logged(store)
    assert {"2023-11-14", "2023-11-15", "2024-07-26", "2024-07-28", "2025-07-06"} == store.ledger.days().keys()
    assert [1, 255, 257, 600, 700] == sorted(checkpoint_in(note_in(note)).size for note in store.ledger.days().values())


def test_concurrent_writers_give_no_size_two_roots(store):
    store.ledger.named(NAME)
    start, written = threading.Barrier(4, timeout=60), []

    def race(number):
        start.wait()
        written.append(grow(store.ledger, SIGNER, NAME, [Leaf(name_of(f"g{number}"), 1, name_of("h"))], 0))

    for _ in range(10):
        size, _ = store.ledger.checkpoint()
        threads = [threading.Thread(target=race, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # A writer that comes a moment later finds the larger log and continues there.
        assert store.ledger.checkpoint()[0] == size + sum(written)
        written.clear()
    logged(store)


@pytest.mark.parametrize(
    ("part", "line"), [("changes", "read"), ("ledger", "newest"), ("ledger", "grow"), ("changes", "acknowledge")]
)
def test_next_publisher_completes_the_work_of_a_killed_one(store, monkeypatch, part, line):
    """Killed before and after the call: what was written stays, and every head is logged exactly once."""
    games = [started(store) for _ in range(3)]
    kind = type(getattr(store, part))
    whole = getattr(kind, line)
    for before in (True, False):

        def killed(self, *told, before=before, **named):
            if not before:
                whole(self, *told, **named)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(kind, line, killed)
            with pytest.raises(KeyboardInterrupt):
                publish(store, SIGNER, NAME)
        if line == "grow" and not before:
            logged(store)
    publish(store, SIGNER, NAME)

    assert sorted(map(name_of, games)) == sorted(leaf.name for leaf in logged(store))


def test_head_that_changes_while_it_is_logged_is_logged_next_time(store, monkeypatch):
    game = started(store)
    grow_ = type(store.ledger).grow

    def meanwhile(self, grown):
        move(store, game, 0)
        return grow_(self, grown)

    with monkeypatch.context() as patch:
        patch.setattr(type(store.ledger), "grow", meanwhile)
        publish(store, SIGNER, NAME)
    publish(store, SIGNER, NAME)

    assert [1, 2] == [leaf.seq for leaf in logged(store)]


@pytest.mark.soak
def test_game_that_changes_after_a_kill_is_logged_with_those_already_begun(store, monkeypatch):
    games = [started(store)]
    partition = store.schedule.partition(games[0])
    begun = store.changes.read(FOLLOWER, [partition], 10).changes
    assert games == [change.game_id for change in begun], "and killed"
    while len(games) < 2:
        other = started(store)
        games += [other] if store.schedule.partition(other) == partition else []
    assert set(games) <= store.changes.unseen(FOLLOWER)

    publish(store, SIGNER, NAME)
    assert {name_of(game) for game in games} <= {leaf.name for leaf in logged(store)}
    assert set() == store.changes.unseen(FOLLOWER)


def test_imported_commits_are_not_logged_as_heads(store):
    from dataclasses import replace

    from tests.store.pump import Worker

    made = opened(store, "ann", "bob")
    store.lobbies.start(made.id, made.creator, f"begin:{made.id}")
    (append,) = Worker(store, made.id).appends()
    assert [None] == list(store.log.append([replace(append, entry=BROUGHT_IN)]))

    assert 0 == publish(store, SIGNER, NAME)
    assert (0, b"") == store.ledger.checkpoint()


def test_process_without_the_lock_logs_nothing(store, monkeypatch):
    started(store)
    monkeypatch.setattr(type(store.schedule), "lock", lambda *_: False)

    assert 0 == publish(store, SIGNER, NAME)


def test_many_heads_are_logged_under_several_checkpoints(store, monkeypatch):
    monkeypatch.setattr(heads, "AT_ONCE", 2)
    for _ in range(5):
        started(store)
    assert 5 == publish(store, SIGNER, NAME)
    assert 5 == len(logged(store))


def test_another_key_continues_the_log(store):
    started(store)
    publish(store, SIGNER, NAME)
    started(store)
    other = Signer(b"\x09" * 32)
    publish(store, other, "another name")

    note = note_in(store.ledger.checkpoint()[1])
    assert (NAME, 2) == (checkpoint_in(note).origin, checkpoint_in(note).size)
    assert is_signed(note, Key(NAME, other.public))


def test_log_is_named_after_its_address_or_a_random_name():
    assert NAME == name_for("https://games.example.org")
    assert name_for("") != name_for("")


def test_unknown_games_have_no_heads(store):
    assert {name_of("x"): 0} == store.ledger.newest([name_of("x")])
    assert {} == store.ledger.newest([])
    assert set() == store.changes.unseen(FOLLOWER)
