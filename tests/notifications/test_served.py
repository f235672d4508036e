"""The served application: a webhook is created over HTTP, and events of a game arrive during play."""

from __future__ import annotations

import json
import time

import pytest
from click.testing import CliRunner

from service.cli import main
from tests.notifications.receiver import Receiver
from tests.watching.figures import scraped, value
from tests.workers.crew import eventually
from tests.workers.test_serve import Instance, Player


@pytest.fixture
def receiver():
    made = Receiver()
    yield made
    made.close()


def has_its_lines(log, game, request):
    """Check that one search for a request id finds the lines of the API, the worker and the webhook delivery."""
    found = [json.loads(line) for line in log.splitlines() if f'"{request}"' in line]
    came = {(line["component"], line["event"], line.get("game")) for line in found}
    about = {("advance", "command_decided", game), ("deliveries", "delivery_succeeded", game)}
    return {("api", "request_answered", None), *about} <= came


@pytest.mark.soak
def test_webhook_events_arrive_while_a_game_is_played(tmp_path, receiver):
    instance = Instance(
        tmp_path / "one",
        ORACLEWHEEL_WEBHOOK_NETWORKS="127.0.0.0/8",
        ORACLEWHEEL_WEBHOOK_PORTS=str(receiver.port),
        ORACLEWHEEL_SETTLE_WORKERS="1",
        ORACLEWHEEL_LOG_LEVEL="debug",
    ).start()
    try:
        ash = Player(instance.url, "Ash")
        hook = ash.post("webhooks", url=receiver.url()).json()
        assert 202 == ash.post(f"webhooks/{hook['id']}/test").status_code
        eventually(lambda: receiver.got["/hook"], seconds=30)
        assert "test" == receiver.got["/hook"][0].verified(hook["secret"])["type"]

        game = ash.new_game()
        ash.session.headers["X-Request-Id"] = "the-turn"
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
        eventually(lambda: has_its_lines(instance.told(), game, "the-turn"), seconds=60)
        # The metrics of all processes, each of which saves its counts a second later.
        seen = (
            ("delivery", {"kind": "webhook"}),
            ("command", {"sender": "player"}),
            ("store_script", {"script": "submit"}),
        )
        for name, labels in seen:
            count = f"oraclewheel_{name}_duration_seconds_count"
            eventually(
                lambda count=count, labels=labels: value(scraped(f"{instance.url}/metrics"), count, **labels), 60, 1
            )
        assert value(scraped(f"{instance.url}/metrics"), "oraclewheel_store_up")
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
def test_invalid_webhook_setting_is_reported_before_anything_starts(monkeypatch, tmp_path, name, value):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv(f"ORACLEWHEEL_WEBHOOK_{name}", value)

    told = CliRunner().invoke(main, ["serve"])

    assert (1, True) == (told.exit_code, f"ORACLEWHEEL_WEBHOOK_{name} must be" in told.output)
    assert not list(tmp_path.glob("data/*.rdb")) and not list(tmp_path.glob("data/appendonlydir"))
