"""The same rights with gunicorn, gevent, a real store, and two API processes with their own caches."""

from __future__ import annotations

import pytest

from tests.core.http.test_served import serving, working
from tests.driver import Player
from tests.hostile.table import Listener, types
from tests.workers.crew import eventually


@pytest.fixture
def two_sites(redis_url, redis_store, tmp_path):
    (tmp_path / "signing.key").write_text("5a" * 32 + "\n")
    with (
        working(redis_store),
        serving(redis_url, tmp_path) as one,
        serving(redis_url, tmp_path) as other,
    ):
        yield one, other


@pytest.mark.soak
def test_stream_ends_if_the_seat_is_given_away_in_another_process(two_sites):
    one, other = two_sites
    ash, birk, cyd = (Player.register(one, name) for name in ("Ash", "Birk", "Cyd"))
    made = ash.make_game("battalia", options={"max_weeks": 1}, visibility="private")
    game = made["id"]
    birk.join(game, made["invitation"])
    there = Player(other, birk.token, birk.id)

    with there.stream(game) as messages:
        listener = Listener(messages)
        birk.call("DELETE", f"/v1/games/{game}/seats/2", want=204)
        cyd.join(game, made["invitation"])
        ash.start(game)
        assert listener.ended(60), "it ends by itself"

    assert [] == types(listener.told)
    assert cyd.view(game)["private"] is not None, "there was something to see"
    assert 404 == there.get(f"/v1/games/{game}/events").status


@pytest.mark.soak
def test_token_revoked_in_one_process_is_void_in_the_other(two_sites):
    one, other = two_sites
    ash = Player.register(one, "Ash")
    made = ash.make_game("battalia")
    ash.seat_bot(made["id"])
    ash.start(made["id"])
    token = ash.post("/v1/me/tokens", {"label": "eyes", "scopes": ["read"]}, want=201).json
    there = Player(other, token["token"], ash.id)
    eventually(lambda: ash.options(made["id"])["options"])  # events before the bot's first commit are not secret
    last = ash.events(made["id"])[-1]["seq"]
    assert there.view(made["id"])["private"] is not None, "and it is remembered there now"

    with there.stream(made["id"], last=last) as messages:
        listener = Listener(messages)
        ash.call("DELETE", f"/v1/me/tokens/{token['id']}", want=204)
        ash.send(made["id"], {"type": "resign"}, want=200)
        assert listener.ended(60)

    assert [] == types(listener.told)
    assert 401 == there.get(f"/v1/games/{made['id']}/view").status
