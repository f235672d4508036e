"""Who makes something of a game holds up whoever wants the same, and nobody of another game."""

import threading

from service.api.context.game_locks import Turns


def test_one_is_at_a_game_at_a_time_and_hundreds_of_other_games_go_on():
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


def test_nothing_is_kept_of_games_that_nobody_is_at_even_after_an_error():
    turns = Turns()
    try:
        with turns.of("g1"):
            raise ValueError
    except ValueError:
        pass

    assert {} == turns._locks
