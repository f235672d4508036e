"""The documentation lists exactly the exported metrics."""

from __future__ import annotations

import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from domain.kernel.terms import PlayerId
from service.store.ports.outbox import NO_GAME, Subscription
from tests.core.http.conftest import World
from tests.watching.figures import read, value
from tests.workers.crew import ROOT

PAGE = ROOT / "docs" / "watching.md"


def families(store):
    """Metrics of a service on a real store: names as in the documentation, each with its label names."""
    world = World(store, archive="")
    store.schedule.beat("pump")
    store.schedule.beat("heads")
    world.public.get("/v1/kinds", want=200)
    told = world.public.get("/metrics", want=200).text
    return {
        family.name + "_total" * (family.type == "counter"): {
            label for sample in family.samples for label in sample.labels
        }
        for family in text_string_to_metric_families(told)
    }


def test_docs_list_exactly_the_exported_metrics(redis_store):
    told = {name for name in families(redis_store) if not name.endswith("_created")}
    of_queue = {
        f"oraclewheel_{name}"
        for name in ("jobs_failed", "jobs_waiting", "settle_workers", "settle_workers_configured", "search_workers")
    }

    assert told | of_queue == set(re.findall(r"`(oraclewheel_\w+)`", PAGE.read_text(encoding="utf-8")))


def test_no_metric_has_a_label_per_game_or_player(redis_store):
    labels = {label for names in families(redis_store).values() for label in names}

    assert labels <= {
        *(
            "method",
            "route",
            "status",
            "sender",
            "kind",
            "result",
            "script",
            "activity",
            "bot",
            "state",
            "server",
            "le",
        ),
    }


@pytest.mark.soak
def test_every_primary_of_a_cluster_has_its_own_metrics(cluster_store):
    told = read(World(cluster_store).public.get("/metrics", want=200).text)
    servers = {dict(labels)["server"] for name, labels in told if name == "oraclewheel_redis_disk_ok"}

    assert set(cluster_store.wire.servers()) == servers
    assert 3 == len(servers)
    assert 3 == value(told, "oraclewheel_redis_replicas"), "each has one"


def test_wanted_replicas_is_the_larger_of_server_and_service_setting(redis_store):
    wire = redis_store.wire
    assert [0] == [server.wanted for server in redis_store.servers()]
    wire.wanted_replicas = 2
    assert [2] == [server.wanted for server in redis_store.servers()]
    wire.one("CONFIG", "SET", "min-replicas-to-write", "3")
    try:
        assert [3] == [server.wanted for server in redis_store.servers()]
    finally:
        wire.one("CONFIG", "SET", "min-replicas-to-write", "0")


def test_waiting_deliveries_are_counted_by_kind(redis_store):
    for id_, kind, count in (("w1", "webhook", 3), ("s1", "letters", 1)):
        redis_store.subscriptions.add(Subscription(id_, kind, PlayerId("ann"), None, 1, {}), 0)
        for number in range(count):
            redis_store.outbox.put(NO_GAME, id_, f"test:{number}")
    redis_store.outbox.put(NO_GAME, "nobody", "test:1")
    told = World(redis_store).public.get("/metrics", want=200).text

    found = dict(re.findall(r'^oraclewheel_due_deliveries\{kind="(.+)"\} (.+)$', told, re.MULTILINE))
    assert {"webhook": "3.0", "email": "1.0", "push": "0.0", "unknown": "1.0"} == found
