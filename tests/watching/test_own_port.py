"""The metrics port answers only `/metrics`, and only clients that the settings allow."""

from __future__ import annotations

import socket
import threading
from contextlib import nullcontext

import pytest
import requests
from click.testing import CliRunner

from service.cli import main
from service.core.http.context.tokens import digest_of
from service.ops.serving import running
from service.ops.serving.metrics_server import FiguresServer
from service.ops.settings import Settings
from service.store.ports.accounts import Credential, Player
from service.store.ports.errors import StoreDown
from tests.stores import new_store
from tests.workers.test_serve import free_port


@pytest.fixture
def served(tmp_path):
    """Start a server with a value of the setting `metrics` and return its URL."""
    made = []

    def make(metrics, store):
        port = free_port()
        server = FiguresServer(Settings(metrics=metrics, metrics_port=port), store, str(tmp_path))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        made.append(server)
        return f"http://127.0.0.1:{port}"

    yield make
    for server in made:
        server.shutdown()
        server.server_close()


def status(url, token=None):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return requests.get(url, headers=headers, timeout=60).status_code


def test_metrics_port_serves_only_metrics(served):
    url = served("open", new_store())
    answer = requests.get(f"{url}/metrics", timeout=60)

    assert (200, "no-store") == (answer.status_code, answer.headers["Cache-Control"])
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert [404, 404, 404] == [status(f"{url}{path}") for path in ("/", "/healthz", "/metrics/x")]
    assert 501 == requests.post(f"{url}/metrics", timeout=60).status_code


def test_metrics_port_accepts_only_an_operator_token(served):
    store = new_store()
    operator = Credential("c1", "p1", ("read", "play", "admin"), 0)
    store.accounts.create(Player("p1", "Ash", 0), operator, digest_of("owt_operator"))
    store.accounts.add_token(Credential("c2", "p1", ("read", "play"), 0), digest_of("owt_player"))
    store.accounts.add_token(Credential("c3", "p1", ("admin",), 0, game="g1"), digest_of("owt_game"))
    url = served("token", store) + "/metrics"

    assert [401] * 4 == [status(url, each) for each in (None, "owt_player", "owt_nobody", "owt_game")]
    assert 200 == status(url, "owt_operator")


def test_metrics_port_returns_503_if_the_store_cannot_check_the_token(served, monkeypatch):
    store = new_store()

    def away(_):
        raise StoreDown("away")

    monkeypatch.setattr(store.accounts, "by_token", away)
    assert 503 == status(served("token", store) + "/metrics", "owt_operator")


@pytest.mark.parametrize(("metrics", "port"), [("off", 9108), ("open", 0)])
def test_metrics_port_stays_closed_if_metrics_are_off_or_port_is_zero(metrics, port, tmp_path):
    closed = running._scraped(Settings(metrics=metrics, metrics_port=port), new_store(), str(tmp_path))

    assert isinstance(closed, nullcontext)


@pytest.mark.soak
def test_serve_reports_a_port_in_use_before_starting_anything(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for name, value in (("DATA", tmp_path / "data"), ("PORT", free_port()), ("METRICS_PORT", port)):
            monkeypatch.setenv(f"ORACLEWHEEL_{name}", str(value))
        told = CliRunner().invoke(main, ["serve"])

    assert 1 == told.exit_code
    assert f"cannot listen on 127.0.0.1:{port}" in told.output
    assert "set ORACLEWHEEL_METRICS_PORT to a free port." in told.output
    assert not (tmp_path / "data").exists()
