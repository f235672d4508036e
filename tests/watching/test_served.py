"""Metrics of a real service include all its processes on all hosts, also those that were killed."""

from __future__ import annotations

import os
import signal
import time

import pytest
import requests

from tests.killing import of_role, settle_workers
from tests.watching.figures import scraped, value
from tests.watching.promql import Scrapes
from tests.watching.test_alerts import ALERTS
from tests.workers.crew import eventually
from tests.workers.test_serve import Instance, Player, free_port


@pytest.mark.soak
def test_each_host_exports_its_own_metrics_and_keeps_counts_of_killed_processes(tmp_path, redis_url):
    api = Instance(tmp_path / "api", ORACLEWHEEL_REDIS_URL=redis_url, ORACLEWHEEL_API_WORKERS="2")
    port = free_port()
    worker = Instance(
        *(tmp_path / "worker",),
        ORACLEWHEEL_REDIS_URL=redis_url,
        ORACLEWHEEL_METRICS_PORT=str(port),
        ORACLEWHEEL_SETTLE_WORKERS="1",
    )
    worker.ready = lambda: True
    of_api, of_worker = f"{api.url}/metrics", f"http://127.0.0.1:{port}/metrics"
    try:
        api.start("--only", "api")
        worker.start("--only", "worker")
        ada = Player(api.url, "Ada")
        game = ada.new_game()
        assert 200 == ada.end_turn(game).status_code

        eventually(
            lambda: value(scraped(of_worker), "oraclewheel_command_duration_seconds_count", sender="player") >= 1, 120
        )
        eventually(
            lambda: value(scraped(of_api), "oraclewheel_store_script_duration_seconds_count", script="submit") >= 1, 120
        )
        here, there = scraped(of_api), scraped(of_worker)
        assert value(there, "oraclewheel_store_script_duration_seconds_count", script="append") >= 2
        assert value(there, "oraclewheel_decide_duration_seconds_count", kind="battalia", result="accepted") >= 2
        assert value(there, "oraclewheel_settle_worker_seconds_total", activity="settling") > 0
        assert 0 == value(here, "oraclewheel_command_duration_seconds_count"), "no settle worker runs there"
        assert 1 == value(here, "oraclewheel_store_up")
        assert not any(name == "oraclewheel_store_up" for name, _ in there), "it is told once"
        commands = {"method": "POST", "route": "/v1/games/<game>/commands"}
        assert 1 == value(here, "oraclewheel_http_requests_total", status="200", **commands)

        first, (victim,) = there, settle_workers(worker)
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: victim not in worker.children())
        assert 200 == ada.end_turn(game).status_code
        name = "oraclewheel_command_duration_seconds_count"
        eventually(lambda: value(scraped(of_worker), name) > value(first, name), 120)
        again = scraped(of_worker)
        kept = ("_total", "_count", "_bucket", "_sum")
        assert [] == [key for key, before in first.items() if key[0].endswith(kept) and again[key] < before]
    finally:
        for each in (worker, api):
            if each.process is not None:
                assert 0 == each.stop()


@pytest.mark.soak
def test_alerts_fire_while_all_workers_of_a_service_are_stopped(tmp_path):
    instance = Instance(tmp_path / "one", ORACLEWHEEL_SETTLE_WORKERS="1").start()
    url, scrapes, begun = f"{instance.url}/metrics", Scrapes(), time.monotonic()
    texts = {name: each["expr"] for name, each in ALERTS.items()}

    def firing():
        """Scrape now and return the alerts whose expressions hold."""
        scrapes.take(time.monotonic() - begun, scraped(url))
        return {name for name, text in texts.items() if scrapes.fires(text)}

    stopped = []
    try:
        ada = Player(instance.url, "Ada")
        game = ada.new_game()
        assert 200 == ada.end_turn(game).status_code
        eventually(lambda: not firing(), 60, 1)

        eventually(lambda: any(asked["seat"] == 1 for asked in ada.get(f"games/{game}")["pending_questions"]))
        stopped += [*settle_workers(instance), *of_role(instance, "cron")]
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        assert 202 == ada.post(f"games/{game}/commands", type="end_turn").status_code
        eventually(lambda: {"NoSweeps", "CommandsWait", "SettleWorkersMissing"} <= firing(), 180, 2)
        assert 503 == requests.get(f"{instance.url}/readyz", timeout=30).status_code

        while stopped:
            os.kill(stopped.pop(), signal.SIGCONT)
        eventually(lambda: not {"NoSweeps", "CommandsWait", "SettleWorkersMissing"} & firing(), 120, 2)
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        instance.process.send_signal(signal.SIGTERM)
        assert 0 == instance.process.wait(200)
        instance.out.close()
