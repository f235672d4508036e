"""Complete games in which every seat plays by plans are the same with killed workers and servers, and pass the audit."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress

import pytest

from domain.registry import GAMES
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.core.queue import Queue
from service.ops.instance.embedded import EmbeddedServer
from service.store.ports.errors import StoreDown
from service.store.redis.store import open_store
from service.store.shared.lists import place_id
from tests.stores import new_store
from tests.workers.almanac import SOFIA, Almanac, instant, plan
from tests.workers.crew import Crew
from tests.workers.planners import Planners, opened
from tests.workers.test_advance import settle
from workers.advance import Advance

PUMPS, DAY = 2, 30
HOLDERS = {"battalia": ("ada", "bob", "cyd"), "fronela": ("ada", "bob", "cyd", "dan")}


def told(store, game):
    """Everything that must be equal: actors, commands and results."""
    return [
        {name: body.get(name) for name in ("played", "events", "refusal", "drawn", "actor")}
        | {name: body["submission"][name] for name in ("id", "command", "expected")}
        for body, _ in plan(store, game)
    ]


def through(store, game, commits):
    """The first `commits` commits."""
    return told(store, game)[:commits]


def quiet(kind, commits, *, ahead=True):
    """The game without failures."""
    store = new_store()
    advance = Advance.in_process(store, ahead=ahead)
    game = opened(store, kind, *HOLDERS[kind])
    settle(store, advance)
    planners = Planners(store, game)
    while store.lobbies.get(game).status == "running" and store.log.head(game)[0] < commits:
        assert planners.act()
        settle(store, advance)
    return told(store, game), planners


def by(bodies):
    """The number of commits by kind of actor."""
    choices = [body["actor"]["by"] for body in bodies]
    return {each: choices.count(each) for each in set(choices)}


@pytest.mark.soak
@pytest.mark.parametrize("kind", HOLDERS)
def test_games_by_plans_are_equal_whether_commits_are_joined_or_not(kind):
    one, planners = quiet(kind, 150)
    other, _ = quiet(kind, 150, ahead=False)

    assert one[:150] == other[:150]
    assert by(one)["plan"] > by(one)["player"] > 0
    assert {None} < {None if body["refusal"] is None else body["refusal"]["code"] for body in one}
    assert len(planners.laid) > 10


def storm(kind, commits, tmp_path, seed, *, pace=None, patience=300, **options):
    """The same game on a real server, while workers, and sometimes the server, are killed."""
    chance = random.Random(seed)
    server = EmbeddedServer(tmp_path / "data", fsync="always")
    url = server.start()
    crew, store = Crew(url, tmp_path, PUMPS), open_store(url)
    kills, until, calm = 0, time.monotonic() + patience, time.monotonic() + 2 * DAY if pace else 0.0
    try:
        for _ in range(PUMPS):
            crew.start()
        if pace is not None:
            time.sleep(
                2 * DAY - time.time() % DAY
            )  # all processes run before the first day begins, so that it is complete
        game = opened(store, kind, *HOLDERS[kind], pace=pace, **options)
        planners = None
        while True:
            assert time.monotonic() < until, "it has come to a stand"
            try:
                planners = planners or Planners(store, game, Queue(crew.queue_url).wake)
                planners.act()
                if store.lobbies.get(game).status == "over" or (store.log.head(game)[0] >= commits and kills >= 3):
                    break
            except StoreDown:
                pass
            if time.monotonic() > calm:
                # The first kills follow quickly: on an idle machine a week of Battalia takes only seconds.
                calm = time.monotonic() + chance.uniform(0.5, 2.5) * (2 if pace else 1 if kills > 3 else 0.2)
                kills += 1
                if chance.random() < 0.2 and server.pid is not None:
                    with suppress(ProcessLookupError):  # it has just died of the last kill
                        os.kill(server.pid, signal.SIGKILL)
                else:
                    crew.kill(chance.choice(crew.processes))
                crew.revive()
                while len(crew.processes) < PUMPS:
                    crew.start()
            time.sleep(0.01)
        crew.end()  # otherwise the game would continue while it is read
        found = told(store, game)
        data = b"".join(export_lines(store, store.lobbies.get(game)))
    finally:
        crew.end()
        store.close()
        server.stop()
    return found, data, kills, planners


@pytest.mark.soak
@pytest.mark.parametrize("kind", HOLDERS)
def test_kills_of_workers_and_servers_change_nothing_in_games_by_plans(kind, tmp_path):
    compare(kind, 120, tmp_path, 5)


def compare(kind, commits, tmp_path, seed):
    expected, _ = quiet(kind, commits)
    found, data, kills, _ = storm(kind, commits, tmp_path, seed)
    shared = min(len(expected), len(found))

    assert shared >= commits or expected[-1]["events"][-1]["type"] == "game_ended"
    for seq in range(shared):
        assert expected[seq] == found[seq], f"commit {seq + 1}"
    assert kills >= 3
    assert audit(data, games=GAMES).is_ok or found[-1]["events"][-1]["type"] != "game_ended"


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", HOLDERS)
def test_complete_games_by_plans_are_equal_with_and_without_kills(kind, tmp_path):
    compare(kind, 100_000, tmp_path, 11)


def quiet_calendar(monkeypatch, pace, weeks):
    """A game with calendar pace on a clock that is advanced; without a plan, the default move is played."""
    with monkeypatch.context() as patched:
        almanac = Almanac(patched, new_store(), instant("2026-03-20 10:00"))
        game = opened(almanac.store, "battalia", *HOLDERS["battalia"], pace=pace, max_weeks=weeks)
        almanac.work()
        planners = Planners(almanac.store, game, by_hand=False)
        while almanac.store.lobbies.get(game).status != "over":
            while planners.act():
                almanac.work()
            almanac.next()
        data = b"".join(export_lines(almanac.store, almanac.store.lobbies.get(game)))
        return told(almanac.store, game), data


@pytest.mark.soak
def test_week_with_calendar_pace_played_by_plans_passes_the_audit(monkeypatch):
    found, data = quiet_calendar(monkeypatch, SOFIA, 1)

    assert "game_ended" == found[-1]["events"][-1]["type"]
    assert by(found)["plan"] > by(found)["policy"] > 0
    assert "player" not in by(found)
    assert audit(data, games=GAMES).is_ok


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_killed_workers_play_each_plan_once_with_calendar_pace(tmp_path):
    """With days of half a minute: a seat that is too slow gets the default move, and its plan is played the next time."""
    pace = {**SOFIA, "day": f"PT{DAY}S"}
    found, data, kills, planners = storm("battalia", 100_000, tmp_path, 3, pace=pace, patience=900, max_weeks=1)

    played = [body["id"] for body in found if body["actor"]["by"] == "plan"]
    assert len(played) == len(set(played))
    for id_ in planners.laid:
        own = [each for each in played if each.startswith(f"{id_}.")]
        assert [place_id(id_, place) for place in range(len(own))] == own
    assert {id_.rpartition(".")[0] for id_ in played} <= set(planners.laid)
    assert len({id_.rpartition(".")[0] for id_ in played}) > len(planners.laid) - 2 * len(HOLDERS["battalia"])
    assert "game_ended" == found[-1]["events"][-1]["type"]
    assert audit(data, games=GAMES).is_ok
    assert kills > 20
