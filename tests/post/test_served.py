"""The service as it is started: a webhook is made over HTTP, and words of a game that is played come by themselves."""

from __future__ import annotations

import time

import pytest
from click.testing import CliRunner

from service.cli import main
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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NETWORKS", "10.0.0.1/8"),
        ("NETWORKS", "home"),
        ("PORTS", "https"),
        ("PORTS", "0"),
        ("RETRIES", "5,soon"),
        ("RETRIES", "-1"),
        ("SECONDS", "0"),
    ],
)
def test_a_setting_that_cannot_be_is_said_in_a_sentence_before_anything_starts(monkeypatch, tmp_path, name, value):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv(f"ORACLEWHEEL_WEBHOOK_{name}", value)

    told = CliRunner().invoke(main, ["serve"])

    assert (1, True) == (told.exit_code, f"ORACLEWHEEL_WEBHOOK_{name} must be" in told.output)
    assert not list(tmp_path.glob("data/*.rdb")) and not list(tmp_path.glob("data/appendonlydir"))
