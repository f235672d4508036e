"""Analyses over REST: permissions, workers that are killed, and equality with the offline result."""

import time
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from domain.kernel.dice import Dice
from service.core.http.context.app import EXTENSION
from service.core.queue import Queue
from service.core.queue.compute import COMPUTE, ComputeQueue
from service.features.analysis import jobs
from service.features.analysis.jobs import analysis_job
from service.features.analysis.storage import StoredAnalysis
from tests.core.http.conftest import World
from tests.driver import play_out
from tests.workers.crew import Crew, eventually
from workers.process import listener

URL, CHART = "/v1/games/{}/analysis", "/v1/games/{}/analysis.svg"


@pytest.fixture
def crew(redis_url, tmp_path):
    crew = Crew(redis_url, tmp_path, PIECE_SECONDS="0.05", MINUTE="2")
    yield crew
    crew.end()


@pytest.fixture
def world(redis_store, crew):
    """The API on a real server, with a queue of search workers."""
    world = World(redis_store, data=str(crew.log.parent))
    context = world.app.extensions[EXTENSION]
    world.app.extensions[EXTENSION] = replace(context, queue=Queue(crew.queue_url))
    return world


def over(world, points=2, **told):
    """A finished game of Pennies and its players."""
    game, ash, birk = world.table("Ash", "Birk", options={"points": points}, **told)
    play_out([ash, birk], game, Dice(b"a" * 32))
    return game, ash, birk


def awaited(player, game, level=1):
    """The finished analysis. Fails after a minute without progress, which a busy machine does not cause."""

    def told():
        return player.get(URL.format(game), want=200, level=level).json

    while (seen := told())["status"] == "under-way":
        eventually(lambda seen=seen: told() != seen, seconds=60, every=0.2)
    return told()


def offline(world, game, level):
    """The same analysis, made in this process at once."""
    kept = StoredAnalysis(world.store.notes, world.store.schedule.now, game, level)
    kept.request(world.store.log.head(game)[0])
    piece = jobs._Piece(world.store, game, level)
    while piece.look_on(60) is not None:
        pass
    return kept


@pytest.mark.soak
def test_analysis_is_made_once_and_can_be_read_with_its_chart(world, crew):
    game, ash, birk = over(world)
    ash.get(URL.format(game), want=404)
    crew.start("compute")
    eventually(lambda: ash.post(URL.format(game), {}).status == 202, every=0.2)
    problem = ash.get(CHART.format(game), want=404).json
    assert ("no-analysis", "The analysis is still in progress. Try again later.") == (
        problem["code"],
        problem["detail"],
    )

    told = awaited(birk, game)

    assert ("done", 1, game) == (told["status"], told["level"], told["analysis"]["game"])
    assert told["done"] == told["total"] == world.store.log.head(game)[0], "no command was refused"
    assert "Ash" not in str(told)
    again = ash.post(URL.format(game), {"level": 1}, want=200).json
    assert told == again
    assert "Chance of winning" in ash.get(CHART.format(game), want=200).text
    assert {"Ash", "Birk"} <= {
        name for name in ("Ash", "Birk") if name in ash.get(CHART.format(game), want=200).body.decode()
    }


@pytest.mark.soak
def test_killed_worker_neither_loses_nor_duplicates_positions(world, crew):
    game, ash, _ = over(world, points=4)
    expected = offline(world, game, 1).load_document()
    StoredAnalysis(world.store.notes, world.store.schedule.now, game, 1)._drop(f"{game} 1")
    first = crew.start("compute")
    eventually(lambda: ash.post(URL.format(game), {"level": 1}).status == 202, every=0.2)
    eventually(lambda: ash.get(URL.format(game), want=200, level=1).json["done"] > 0)
    crew.kill(first)
    told = ash.get(URL.format(game), want=200, level=1).json
    assert "under-way" == told["status"]
    assert told["done"] < told["total"], "it was killed half way"

    crew.start("compute")
    found = awaited(ash, game, 1)

    assert expected == found["analysis"]


def test_analysis_of_a_dead_worker_is_resumed_but_not_of_a_living_one(world, crew):
    queue = ComputeQueue(Queue(crew.queue_url).connection)
    game, *_ = over(world)
    expected = offline(world, game, 1).load_document()
    kept = StoredAnalysis(world.store.notes, world.store.schedule.now, game, 1)
    kept._drop(kept.name)
    kept.request(world.store.log.head(game)[0])
    reached = jobs._Piece(world.store, game, 1).look_on(0)
    jobs.pick_up(world.store, queue)
    job = analysis_job(game, 1, reached).id
    assert {job} == queue.active()
    worker = listener(COMPUTE, Queue(crew.queue_url).connection)
    worker.register_birth()
    worker.set_current_job_id(job)
    worker.connection.delete("rq:queue:compute:analyses")
    assert 0 == jobs.pick_up(world.store, queue)

    worker.register_death()

    assert (1, 1) == (jobs.pick_up(world.store, queue), queue.waiting())
    assert (reached, 1) == (kept.get_progress().done, reached)
    assert expected == offline(world, game, 1).load_document()


@pytest.mark.soak
def test_schedule_resumes_the_analysis_of_a_killed_worker(world, crew):
    game, ash, _ = over(world, points=4)
    expected = offline(world, game, 1).load_document()
    kept = StoredAnalysis(world.store.notes, world.store.schedule.now, game, 1)
    kept._drop(kept.name)
    first = crew.start("compute")
    eventually(lambda: ash.post(URL.format(game), {"level": 1}).status == 202, every=0.2)
    eventually(lambda: kept.get_progress().done > 0)
    crew.kill(first)
    whole = Queue(crew.queue_url)
    whole.connection.flushdb()  # the killed worker would count as running for a while
    queue = ComputeQueue(whole.connection)
    assert ("under-way", 0) == (kept.get_progress().status, queue.waiting())

    crew.start("side")
    crew.start("cron")
    eventually(lambda: queue.waiting() == 1, seconds=180, every=0.2)

    assert expected == offline(world, game, 1).load_document(), "from there on, in one piece"


def test_analysis_that_always_kills_its_worker_fails(world, crew, monkeypatch):
    queue = ComputeQueue(Queue(crew.queue_url).connection)
    game, *_ = over(world)
    kept = StoredAnalysis(world.store.notes, world.store.schedule.now, game, 1)
    kept.request(world.store.log.head(game)[0])
    assert 1 == jobs.pick_up(world.store, queue)
    for _ in range(4):
        assert 0 == jobs.pick_up(world.store, queue), "it waits for somebody"
    monkeypatch.setattr(jobs, "TIMES", 3)

    for _ in range(4):
        Queue(crew.queue_url).connection.flushdb()  # the worker with the job is gone
        jobs.pick_up(world.store, queue)

    assert ("failed", "The worker stopped before the analysis was finished.") == (
        kept.get_progress().status,
        kept.get_progress().reason,
    )
    assert 0 == queue.waiting() == jobs.pick_up(world.store, queue)


def test_analysis_of_a_missing_game_fails_and_is_not_resumed(world, crew):
    queue = ComputeQueue(Queue(crew.queue_url).connection)
    kept = StoredAnalysis(world.store.notes, world.store.schedule.now, "g-gone", 1)
    kept.request(9)
    assert 1 == jobs.pick_up(world.store, queue)

    assert jobs._Piece(world.store, "g-gone", 1).look_on(60) is None

    assert ("failed", "the game does not exist or has not started") == (
        kept.get_progress().status,
        kept.get_progress().reason,
    )
    Queue(crew.queue_url).connection.flushdb()
    assert 0 == jobs.pick_up(world.store, queue)


def test_request_without_a_search_worker_is_refused(world):
    game, ash, _ = over(world)

    assert ash.post(URL.format(game), {}, want=503).json["code"] == "no-search-worker"
    assert ash.get(URL.format(game), want=404).json["code"] == "no-analysis"


def test_progress_is_readable_without_the_queue_but_requests_are_refused(world, crew):
    (game, ash, _), (other, *_) = over(world), over(world)
    kept = StoredAnalysis(world.store.notes, world.store.schedule.now, game, 1)
    kept.request(world.store.log.head(game)[0])
    context = world.app.extensions[EXTENSION]
    world.app.extensions[EXTENSION] = replace(context, queue=Queue("redis://127.0.0.1:1"))

    assert "under-way" == ash.get(URL.format(game), want=200).json["status"]
    assert ["no-search-worker"] * 2 == [ash.post(URL.format(each), {}, want=503).json["code"] for each in (game, other)]


def test_analysis_of_a_private_game_is_hidden_and_requests_need_an_account(world):
    game, *_ = over(world, visibility="private")
    cyd = world.player("Cyd")

    for answer in (cyd.post(URL.format(game), {}), cyd.get(URL.format(game)), cyd.get(CHART.format(game))):
        assert "unknown-game" == answer.json["code"]
    public, *_ = over(world, visibility="public")
    assert 401 == world.public.post(URL.format(public), {}).status


def test_account_can_have_two_analyses_in_progress(world, crew, monkeypatch):
    monkeypatch.setattr("service.features.analysis.api.search_workers", lambda _connection: 1)
    games = [over(world)[0] for _ in range(3)]
    dora = world.player("Dora")
    for game in games[:2]:
        dora.post(URL.format(game), {}, want=202)
        dora.post(URL.format(game), {}, want=202)

    refused = dora.post(URL.format(games[2]), {}, want=429)

    assert "too-many-analyses" == refused.json["code"]
    assert 1 <= int(refused.headers["Retry-After"]) <= 60, "no longer than it may take"
    dora.get(URL.format(games[2]), want=404)
    offline(world, games[0], 1)
    dora.post(URL.format(games[2]), {}, want=202)


@pytest.mark.parametrize("body", [{"level": 0}, {"level": 4}, {"level": "1"}, {"depth": 1}])
def test_invalid_level_is_refused(world, body):
    game, ash, _ = over(world)

    assert "invalid" == ash.post(URL.format(game), body, want=422).json["code"]


def test_failing_rules_make_the_analysis_fail_with_a_reason(world, monkeypatch):
    game, ash, _ = over(world)

    def fails(*_given):
        raise ZeroDivisionError

    monkeypatch.setattr(jobs, "evaluate_moment", fails)
    kept = offline(world, game, 1)

    assert ("failed", "The rules failed during the analysis.") == (
        kept.get_progress().status,
        kept.get_progress().reason,
    )
    assert "failed" == ash.post(URL.format(game), {}, want=200).json["status"]


def test_chart_has_a_light_and_a_dark_version(world):
    game, ash, _ = over(world)
    offline(world, game, 1)

    light, dark = (ash.get(CHART.format(game), want=200, scheme=scheme).text for scheme in ("light", "dark"))

    assert light != dark
    assert ET.fromstring(light).tag.endswith("svg")


def test_rules_that_never_end_make_the_analysis_fail(world, monkeypatch):
    game, ash, _ = over(world)

    def never_ends(*_given):
        until = time.monotonic() + 30
        while time.monotonic() < until:
            pass
        pytest.fail("nobody has ended it")

    monkeypatch.setattr(jobs, "evaluate_moment", never_ends)
    monkeypatch.setattr(jobs, "MOST", 0.1)
    monkeypatch.setattr(jobs, "LOOK", 0.02)
    kept = offline(world, game, 1)

    told = ash.get(URL.format(game), want=200).json
    assert ("failed", "The analysis of one moment took too long.") == (told["status"], told["reason"])
    assert told["done"] == 0 == len(kept.load_results())
