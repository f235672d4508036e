"""GET options under load: computed once per head and seat, and refused at once when too much work waits."""

from __future__ import annotations

import threading

import pytest

from service.core.http.context.offload import MAX_WAITING, ThreadOffload
from service.core.http.problems import Problem
from service.core.http.resources import options

HIDE = {"type": "hide", "pennies": 1}


@pytest.fixture
def computed(monkeypatch):
    """Record each computation of options."""
    calls, real = [], options._options

    def counted(*args, **kwargs):
        calls.append(kwargs)
        return real(*args, **kwargs)

    monkeypatch.setattr(options, "_options", counted)
    return calls


def test_options_are_computed_once_for_each_head_seat_and_form(world, computed):
    game, ash, birk = world.table()
    first = [ash.get(f"/v1/games/{game}/options", want=200).body for _ in range(3)]
    assert 1 == len(computed)
    assert 1 == len(set(first))

    ash.get(f"/v1/games/{game}/options?with=labels", want=200)
    birk.get(f"/v1/games/{game}/options", want=200)
    assert 3 == len(computed)

    ash.send(game, HIDE, want=200)
    after = ash.get(f"/v1/games/{game}/options", want=200)
    assert 4 == len(computed)
    assert first[0] != after.body


def test_cached_options_are_only_for_the_player_of_the_seat(world, computed):
    game, ash, _ = world.table()
    ash.get(f"/v1/games/{game}/options", want=200)

    assert "not-your-seat" == world.player().get(f"/v1/games/{game}/options", want=403).code
    assert "not-your-seat" == ash.get(f"/v1/games/{game}/options?seat=2", want=403).code


def test_work_is_refused_at_once_when_too_much_waits():
    offload = ThreadOffload(None, None, seconds=60)
    offload._open_store = object()
    inside = [offload._queue.join(f"inside{number}") for number in range(2)]
    waiting = [offload._queue.join(f"player{number}") for number in range(MAX_WAITING)]

    codes = []

    def run():
        with pytest.raises(Problem) as caught:
            offload.run(lambda _: 1, "birk")
        codes.append(caught.value.code)

    refused = threading.Thread(target=run, daemon=True)
    refused.start()
    refused.join(5)

    assert ["too-much-work"] == codes
    for waiter in (*waiting, *inside):
        offload._queue.leave(waiter)
