"""The service as it is started: a webhook is made over HTTP, and words of a game that is played come by themselves."""

from __future__ import annotations

import time

import pytest

from tests.post.receiver import Receiver
from tests.workers.crew import eventually
from tests.workers.test_serve import Instance, Player


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


def test_words_of_a_game_come_while_it_is_played(tmp_path, receiver):
    instance = Instance(
        tmp_path / "one",
        ORACLEWHEEL_WEBHOOK_NETWORKS="127.0.0.0/8",
        ORACLEWHEEL_WEBHOOK_PORTS=str(receiver.port),
        ORACLEWHEEL_PUMPS="1",
    ).start()
    try:
        ash = Player(instance.url, "Ash")
        hook = ash.post("webhooks", url=receiver.url()).json()
        assert 202 == ash.post(f"webhooks/{hook['id']}/test").status_code
        eventually(lambda: receiver.got["/hook"], seconds=30)
        assert "test" == receiver.got["/hook"][0].verified(hook["secret"])["type"]

        game = ash.new_game()
        assert 200 == ash.end_turn(game).status_code
        begun = time.monotonic()
        newest = ash.get(f"games/{game}")["seq"]

        def told():
            return [got.json["data"]["seq"] for got in receiver.got["/hook"][1:]]

        eventually(lambda: newest in told(), seconds=30)
        assert time.monotonic() - begun < 20
        assert sorted(set(told())) == list(dict.fromkeys(told()))
        assert hook["secret"] not in instance.told()
        assert receiver.url() not in instance.told(), "an address may hold a secret of its owner's"
        metrics = ash.session.get(f"{instance.url}/metrics", timeout=30).text
        assert "oraclewheel_outbox " in metrics
    finally:
        assert 0 == instance.stop()
