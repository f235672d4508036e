"""A lock per game: it blocks others who need the same game, and no other games."""

import threading

from service.api.context.game_locks import Turns


def test_a_lock_blocks_the_same_game_and_no_other_games():
    turns, others = Turns(), []
    inside, waiting = threading.Event(), threading.Thread(target=lambda: held(turns, inside))
    with turns.of("g1"):
        waiting.start()
        for number in range(500):
            with turns.of(f"other{number}"):
                others.append(number)
        assert not inside.wait(0.1)
    waiting.join(5)

    assert inside.is_set()
    assert 500 == len(others)


def held(turns, inside):
    with turns.of("g1"):
        inside.set()


def test_an_unused_lock_is_removed_even_after_an_error():
    turns = Turns()
    try:
        with turns.of("g1"):
            raise ValueError
    except ValueError:
        pass

    assert {} == turns._locks
