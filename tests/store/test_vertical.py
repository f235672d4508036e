"""From the lobby to the end of a game, in each store."""

from __future__ import annotations

import orjson

from service.store.founding import origin
from service.store.seal import digest, head_of, salt, verify
from tests.store.pump import SIGNER, Worker, claim_games, command, opened, outcome, position_of, pump, started, submit


def test_game_goes_from_its_lobby_to_rows(store):
    game = opened(store, "ann", None, made_at=store.schedule.now())

    assert store.lobbies.join(game.id, "bob", "ab12", None) == 2
    assert store.lobbies.start(game.id, "ann", "begin").status == "running"
    assert claim_games(store, [store.schedule.partition(game.id)], 32, 5000) == [game.id]
    assert Worker(store, game.id).step() == 1
    assert store.claims.release(game.id) is False

    rows = store.views.rows(game.id, [1, 2])
    assert rows.seq == 1
    assert orjson.loads(rows.public) == {"round": 1, "points": {"1": 0, "2": 0}, "goal": 3}
    assert set(rows.private) == {1, 2}
    assert rows.seen == (1, 1, 1)
    assert outcome(store, game.id, "begin") == 1


def test_complete_game_is_played_with_a_valid_hash_chain(store):
    game = started(store, "ann", "bot:greedy")
    turn = 0
    while store.lobbies.get(game).status == "running":
        turn += 1
        assert turn < 300
        receipt = submit(store, game, command(f"{game}-{turn}", 1, pennies=1))
        assert receipt.status == "accepted"
        pump(store, game)

    stored = list(store.log.commits(game, headers=True))
    seed = store.lobbies.seed(game)
    previous = origin(store.lobbies.get(game).setup)
    for seq, commit in enumerate(stored, 1):
        header = orjson.loads(commit.header)
        assert (header["seq"], header["previous"], header["game"]) == (seq, previous, game)
        assert header["digest"] == digest(salt(seed, seq), commit.body)
        assert head_of(commit.header) == commit.head
        previous = commit.head
    assert store.log.head(game) == (len(stored), previous)
    assert orjson.loads(stored[-1].body)["seed"] == seed.hex()
    head, signature, key = store.log.signature(game)
    assert (head, key) == (previous, SIGNER.key_id)
    assert verify(SIGNER.public, head, signature)
    assert position_of(store, game).over
    assert store.views.rows(game).status == "over"
