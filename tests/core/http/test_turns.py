"""A lock per game: it blocks others who need the same game, and no other games."""

import threading

from service.core.http.context.game_locks import GameLocks


def test_a_lock_blocks_the_same_game_and_no_other_games():
    locks, others = GameLocks(), []
    inside, waiting = threading.Event(), threading.Thread(target=lambda: held(locks, inside))
    with locks.lock("g1"):
        waiting.start()
        for number in range(500):
            with locks.lock(f"other{number}"):
                others.append(number)
        assert not inside.wait(0.1)
    waiting.join(5)

    assert inside.is_set()
    assert 500 == len(others)


def held(locks, inside):
    with locks.lock("g1"):
        inside.set()


def test_an_unused_lock_is_removed_even_after_an_error():
    locks = GameLocks()
    try:
        with locks.lock("g1"):
            raise ValueError
    except ValueError:
        pass

    assert {} == locks._locks
