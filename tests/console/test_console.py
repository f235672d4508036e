"""The operators' pages: who may see them, what they show, and which actions they take."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from rq import Queue as JobQueue
from rq.results import Result
from rq.serializers import JSONSerializer

from service.application import create_app
from service.cli.commands.token import admin
from service.console import pages
from service.core.http.context.app import EXTENSION
from service.core.queue import SIDE
from service.ops.settings import Settings
from service.store.ports.waiting import Mark
from service.store.redis.store import open_store
from tests.core.http.conftest import World
from tests.core.http.test_sessions import Browser
from tests.driver import InProcess, Player
from tests.features.chat.test_chat import report, say
from tests.pennies import PENNIES
from tests.workers.crew import eventually

HIDE = {"type": "hide", "pennies": 1}
CONFIRMED = {"confirm": "yes", "reason": "the disk was replaced"}


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    monkeypatch.setitem(__import__("domain.registry", fromlist=["GAMES"]).GAMES, "pennies", PENNIES)


@pytest.fixture
def world():
    made = World()
    pages.install(made.app)
    return made


@pytest.fixture
def operator(world):
    return Player(world.site, admin(world.store, "Olga").split()[-1])


def send(player, path, form, want=200):
    body = urlencode(form).encode()
    return player.call("POST", path, body, headers={"Content-Type": "application/x-www-form-urlencoded"}, want=want)


def page(player, path, want=200):
    return player.call("GET", path, want=want).text


PATHS = [
    "/admin/",
    "/admin/jobs",
    "/admin/games?id=g",
    "/admin/games/g",
    "/admin/accounts?q=a",
    "/admin/accounts/p",
    "/admin/reports",
]


@pytest.mark.parametrize("path", PATHS)
def test_pages_need_the_scope_admin(world, path):
    assert "scope admin" in page(world.public, path, want=401)
    assert "scope admin" in page(world.player(), path, want=403)


@pytest.mark.parametrize(
    "path",
    [
        "/admin/games/g/release",
        "/admin/games/g/repair",
        "/admin/jobs/side/retry",
        "/admin/accounts/p/suspend",
        "/admin/reports/r/close",
    ],
)
def test_actions_need_the_scope_admin(world, path):
    send(world.public, path, CONFIRMED, want=401)
    send(world.player(), path, CONFIRMED, want=403)


def test_overview_lists_games_that_need_the_operator(world, operator):
    game, *_ = world.table()
    world.store.schedule.mark(game, Mark("quarantined", "0.1", "BrokenLog: <b>bad</b>"))

    text = page(operator, "/admin/")
    assert f'<a href="/admin/games/{game}">' in text
    assert "BrokenLog: &lt;b&gt;bad&lt;/b&gt;" in text


def test_page_of_a_game_shows_what_waits_and_no_secret(world, operator):
    game, ash, birk = world.table(pace={"mode": "per_question", "hours": 48})
    birk.post("/v1/webhooks", {"url": "https://hooks.example.org/secret-path"}, want=201)
    world.asleep = True
    ash.post(f"/v1/games/{game}/commands", HIDE, headers={"Idempotency-Key": "k1"}, want=202)

    text = page(operator, f"/admin/games/{game}")
    assert "<td>hide</td>" in text
    assert "pennies&#34;: 1" not in text
    assert '"pennies": 1' not in text
    assert "secret-path" not in text
    assert "<td>webhook</td>" in text
    assert "<td>deadline</td>" in text
    assert "Ready since" in text
    assert "<td>game-lists</td><td>running</td>" in text


def test_page_of_a_game_shows_no_plan(world, operator):
    game, ash, _ = world.table(options={"points": 1000})
    ash.send(game, HIDE, want=200)
    planned = {"commands": [{"type": "hide", "pennies": 2}], "if": "legal", "then": "wait"}
    ash.call("PUT", f"/v1/games/{game}/plan", planned, want=200)

    assert "hide" not in page(operator, f"/admin/games/{game}")


def test_pages_are_not_in_the_description_of_the_api(world):
    text = page(world.public, "/openapi.yaml")

    assert "/v1/games" in text
    assert "/admin" not in text


def test_game_is_found_by_its_id(world, operator):
    game, *_ = world.table()

    assert f"Game {game}" in page(operator, f"/admin/games?id={game}")
    assert "There is no such game" in page(operator, "/admin/games?id=nowhere", want=404)
    assert "There is no such game" in page(operator, "/admin/games/a%20b%2A", want=404)
    page(operator, "/admin/games?id=", want=422)


def test_quarantined_game_is_released_after_a_confirmation(world, operator):
    game, *_ = world.table()
    world.store.schedule.mark(game, Mark("quarantined", "0.1", "a fault"))
    path = f"/admin/games/{game}/release"

    assert "not confirmed" in send(operator, path, {"reason": "tried"}, want=422).text
    assert "reason" in send(operator, path, {"confirm": "yes", "reason": " "}, want=422).text
    assert world.store.schedule.marked(game) is not None
    assert "was released" in send(operator, path, CONFIRMED).text
    assert world.store.schedule.marked(game) is None


def test_damaged_game_is_not_released(world, operator):
    game, *_ = world.table()
    world.store.schedule.mark(game, Mark("quarantined", "0.1", "a fault"))
    world.store.wire.one("DEL", world.store.keys.game(game).commits)

    text = send(operator, f"/admin/games/{game}/release", CONFIRMED).text
    assert "does not verify" in text or "damaged" in text
    assert world.store.schedule.marked(game) is not None


def test_repair_removes_a_blocked_entry_and_check_does_not(world, operator):
    game, *_ = world.table()
    names = world.store.keys.game(game)
    world.store.wire.one("XADD", names.commands, "*", "nonsense", "1")

    assert "not a command" in send(operator, f"/admin/games/{game}/check", {}).text
    assert 1 == world.store.wire.one("XLEN", names.commands)
    assert "removed" in send(operator, f"/admin/games/{game}/repair", CONFIRMED).text
    assert 0 == world.store.wire.one("XLEN", names.commands)


def test_form_of_a_signed_in_operator_needs_the_token_of_its_page(world, operator):
    game, *_ = world.table()
    world.store.schedule.mark(game, Mark("quarantined", "0.1", "a fault"))
    browser, path = Browser(world.site), f"/admin/games/{game}/release"
    browser.call("POST", "/v1/session", headers={"Authorization": f"Bearer {operator.token}"}, want=201)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    token = re.search('name="csrf_token" value="([^"]+)"', browser.call("GET", f"/admin/games/{game}", want=200).text)[
        1
    ]

    browser.call("POST", path, urlencode(CONFIRMED).encode(), own=False, headers=form, want=403)
    assert world.store.schedule.marked(game) is not None
    told = urlencode({**CONFIRMED, "csrf_token": token}).encode()
    browser.call("POST", path, told, own=False, headers=form, want=200)
    assert world.store.schedule.marked(game) is None


def test_unknown_action_and_unknown_game_are_not_found(world, operator):
    game, *_ = world.table()

    send(operator, f"/admin/games/{game}/explode", CONFIRMED, want=404)
    send(operator, "/admin/games/nowhere/release", CONFIRMED, want=404)


def test_pages_are_not_stored_and_not_framed(world, operator):
    headers = operator.call("GET", "/admin/", want=200).headers

    assert "no-store" == headers["Cache-Control"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


@pytest.fixture
def served(redis_url):
    """The API with a queue, as a service has it."""
    settings = Settings(redis_url=redis_url)
    app = pages.install(create_app(settings=settings))
    store = open_store(redis_url)
    return Player(InProcess(app), admin(store, "Olga").split()[-1]), app


def fail():
    raise ValueError("a job that fails")


def test_failed_jobs_are_shown_and_started_again(served):
    operator, app = served
    queue = app.extensions[EXTENSION].queue
    side = JobQueue(SIDE, connection=queue.connection, serializer=JSONSerializer)
    job = side.enqueue("tests.console.test_console.fail")
    side.remove(job)
    job.set_status("failed")
    side.failed_job_registry.add(job)
    Result.create_failure(job, 60, "Traceback\nValueError: a job that fails")

    text = page(operator, "/admin/jobs")
    assert "tests.console.test_console.fail" in text
    assert "ValueError: a job that fails" in text
    assert "not confirmed" in send(operator, f"/admin/jobs/{SIDE}/retry", {}, want=422).text
    assert 1 == len(side.failed_job_registry)
    assert "started again" in send(operator, f"/admin/jobs/{SIDE}/retry", CONFIRMED).text
    assert 0 == len(side.failed_job_registry)
    send(operator, "/admin/jobs/no-such-queue/retry", CONFIRMED, want=404)


def test_overview_shows_workers_memory_and_disk(served):
    operator, _ = served

    text = page(operator, "/admin/")
    assert "settle workers" in text
    assert "MiB" in text
    assert "Disk of the data folder" in text


def test_account_is_found_suspended_and_restored_with_a_reason(world, operator):
    ash = world.player("Ash <b>")
    path = f"/admin/accounts/{ash.id}"

    assert f'<a href="{path}">' in page(operator, "/admin/accounts?q=ash")
    assert "Ash &lt;b&gt;" in page(operator, path)
    assert "not confirmed" in send(operator, f"{path}/suspend", {"reason": "insults"}, want=422).text
    assert "reason" in send(operator, f"{path}/suspend", {"confirm": "yes", "reason": "x"}, want=422).text
    for days in ("0", "-1", "many", "99999", "9" * 5000):
        send(operator, f"{path}/suspend", {**CONFIRMED, "days": days}, want=422)
    ash.get("/v1/me", want=200)
    assert "is suspended" in send(operator, f"{path}/suspend", {**CONFIRMED, "days": "7"}).text
    eventually(lambda: ash.get("/v1/me").status == 403)
    assert "suspended" == ash.get("/v1/me").json["code"]
    assert "account.suspend" in page(operator, "/admin/accounts")
    assert "is restored" in send(operator, f"{path}/restore", CONFIRMED).text
    ash.get("/v1/me", want=200)
    assert "not suspended" in send(operator, f"{path}/restore", CONFIRMED, want=422).text
    send(operator, f"{path}/erase", CONFIRMED, want=404)


def test_operators_cannot_suspend_themselves(world, operator):
    own = operator.get("/v1/me", want=200).json["id"]

    assert "your own account" in send(operator, f"/admin/accounts/{own}/suspend", CONFIRMED, want=422).text
    operator.get("/v1/me", want=200)


@pytest.mark.parametrize("path", ["//admin/", "///admin/accounts", "//v1/me"])
def test_path_with_two_slashes_is_unknown(world, operator, path):
    """A proxy that blocks a path compares it as it is sent."""
    client = world.app.test_client()

    answer = client.open(
        base_url="http://x",
        environ_overrides={"PATH_INFO": path},
        headers={"Authorization": f"Bearer {operator.token}"},
    )

    assert 404 == answer.status_code
    assert b"Olga" not in answer.data


def test_unknown_account_is_not_found(world, operator):
    page(operator, "/admin/accounts/pnobody", want=404)
    send(operator, "/admin/accounts/pnobody/suspend", CONFIRMED, want=404)
    assert "No account matches" in page(operator, "/admin/accounts?q=zzz")


def test_actions_on_games_are_in_the_log_of_operators(world, operator):
    game, *_ = world.table()
    send(operator, f"/admin/games/{game}/check", {})
    assert [] == list(world.store.operators.newest(10, game))

    send(operator, f"/admin/games/{game}/repair", CONFIRMED)
    (entry,) = world.store.operators.newest(10, game)
    me = operator.get("/v1/me", want=200).json["id"]
    assert (me, "game.repair", "the disk was replaced") == (entry.operator, entry.action, entry.reason)


def test_report_is_assigned_answered_and_closed(world, operator):
    game, ash, birk = world.table()
    seq = say(ash, game, "You <i>rogue</i>!").json["seq"]
    report(birk, game, seq)
    text = page(operator, "/admin/reports")
    path = re.search('action="(/admin/reports/[^"]+)/answer"', text)[1]

    assert "You &lt;i&gt;rogue&lt;/i&gt;!" in text
    assert "assigned to you" in send(operator, f"{path}/assign", {}).text
    send(operator, f"{path}/answer", {"answer": " "}, want=422)
    assert "can read it" in send(operator, f"{path}/answer", {"answer": "We have warned them."}).text
    (mine,) = birk.get("/v1/me/reports", want=200).json["reports"]
    assert "We have warned them." == mine["answer"]
    assert "No open reports" in send(operator, f"{path}/close", {}).text
    send(operator, f"{path}/close", {}, want=422)
    send(operator, f"{path}/explode", {}, want=404)


def test_pages_work_without_the_feature_that_has_the_reports(world, operator, monkeypatch):
    monkeypatch.setattr("service.console.people.FEATURES", ())

    assert "No open reports" in page(operator, "/admin/reports")
    send(operator, "/admin/reports/r/close", {}, want=422)
