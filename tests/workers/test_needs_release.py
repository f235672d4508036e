"""Two releases on one store: the older one leaves games that it cannot read to the newer one, and nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys

from domain import RELEASE
from tests.core.http.conftest import World
from tests.features.vacations.test_vacations import DAY, announced, calendar_table
from tests.workers.crew import ROOT
from tests.workers.test_advance import bodies


def older_works(redis_url):
    """Let a worker of the older release settle; returns the games that it has quarantined."""
    run = [sys.executable, "-m", "tests.workers.older", redis_url]
    done = subprocess.run(run, cwd=ROOT, check=False, capture_output=True, text=True, timeout=280)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_game_that_an_older_release_cannot_read_waits_for_the_newer_one(redis_store, redis_url):
    world = World(redis_store)
    ash, birk = world.player("Ash"), world.player("Birk")
    news = calendar_table(world, ash, birk)
    now = redis_store.schedule.now()
    birk.post("/v1/me/vacations", {"from": now + DAY, "to": now + 2 * DAY, "seat": "default"}, want=201)
    world.work(news)
    assert ["default"] == announced(ash, news)
    head = redis_store.log.head(news)
    third = calendar_table(world, ash, world.player("Cyd"))
    world.asleep = True
    for game in (news, third):
        ash.send(game, {"type": "resign"}, wait=None, want=202)

    aside = older_works(redis_url)
    assert ["needs-release", "0.0.9"] == aside[news]
    assert third not in aside
    assert "0.0.9" == told(redis_store, third)
    assert head == redis_store.log.head(news), "it has appended nothing"

    redis_store.claims.release(news)
    world.work(news)
    assert RELEASE == told(redis_store, news)
    assert {news: "0.0.9"} == {game: mark.release for game, mark in redis_store.schedule.marks().items()}, (
        "it is the other's to say"
    )


def told(store, game):
    """The release that settled the resignation, or None."""
    settled = zip(store.log.commits(game), bodies(store, game), strict=True)
    resigned = [stored.release for stored, body in settled if body["submission"]["command"]["type"] == "resign"]
    return resigned[0] if resigned else None
