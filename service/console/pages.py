"""The pages: what they show, and forms for actions. Every request needs a credential with the scope ``admin``."""

from __future__ import annotations

import datetime as dt
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, Response, g, make_response, render_template, request
from redis.exceptions import RedisError

from domain.kernel.terms import GameId, PlayerId
from service.console import people
from service.console.games import check_game, read_game, release_game, resubmit_commands
from service.console.jobs import read_queues
from service.core.accounts.scopes import ADMIN
from service.core.http.access.auth import required_caller
from service.core.http.access.sessions import csrf_token
from service.core.http.context.app import AppContext, current_context
from service.core.http.problems import Problem
from service.ops import accounts as administration
from service.ops.status.reading import read_status
from service.store.ports.errors import StoreDown

POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
STYLE = Path(__file__).with_name("style.css")
GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
MOST_LOGGED = 50
"""Entries of the operators' log that a page shows."""

blueprint = Blueprint("console", __name__, url_prefix="/admin", template_folder="templates")

GAME_ACTIONS: Mapping[str, tuple[str, str, Callable[[AppContext, GameId], list[str]]]] = {
    "check": (
        "Check",
        "Verify the complete log and the data derived from it. Changes nothing.",
        lambda context, game_id: check_game(context.store, game_id, write=False),
    ),
    "repair": (
        "Check and repair",
        "Verify the log, delete wrong snapshots and blocked queue entries, and rewrite wrong views.",
        lambda context, game_id: check_game(context.store, game_id, write=True),
    ),
    "release": (
        "Release from quarantine",
        "Let workers continue the game, if its log verifies.",
        lambda context, game_id: release_game(context.store, game_id),
    ),
    "resubmit": (
        "Submit again",
        "Submit the refused commands of SYSTEM again, after their cause was fixed.",
        lambda context, game_id: resubmit_commands(context.store, game_id),
    ),
}
"""By name: the label, what it does, and the function that returns the result as sentences."""


def install(app: Flask) -> Flask:
    app.register_blueprint(blueprint)
    return app


@blueprint.before_request
def _require_admin() -> None:
    if request.endpoint != "console.style":
        g.operator = required_caller(ADMIN).player


@blueprint.errorhandler(Problem)
def _problem(problem: Problem) -> Response:
    told = problem.document
    text = "Sign in with an account that has the scope admin." if told["status"] in (401, 403) else told["detail"]
    return _page("message.html", told["status"], title=told["title"], text=text, sign_in=told["status"] == 401)


@blueprint.errorhandler(StoreDown)
def _store_down(_: StoreDown) -> Response:
    return _page("message.html", 503, title="The store does not answer.", text="Try again in a moment.")


@blueprint.app_template_filter("instant")
def instant(milliseconds: int | None) -> str:
    """An instant in UTC, or the word none."""
    if not milliseconds:
        return "none"
    return dt.datetime.fromtimestamp(milliseconds / 1000, dt.UTC).strftime("%Y-%m-%d %H:%M:%S")


@blueprint.app_template_filter("mebibytes")
def mebibytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MiB"


def _page(name: str, status: int = 200, /, **about: Any) -> Response:
    response = make_response(render_template(f"console/{name}", csrf=csrf_token(), **about), status)
    response.headers.update(HEADERS)
    return response


@blueprint.get("/style.css")
def style() -> Response:
    return Response(STYLE.read_bytes(), content_type="text/css; charset=utf-8", headers={"Cache-Control": "no-cache"})


@blueprint.get("/")
def overview() -> Response:
    context = current_context()
    status = None if context.queue is None else read_status(context.store, context.queue)
    disk = shutil.disk_usage(context.settings.data if context.settings.data.exists() else "/")
    marks = context.store.schedule.marks()
    return _page("overview.html", status=status, disk=disk, marks=marks, stalled=context.store.schedule.stalled())


@blueprint.get("/games")
def find_game() -> Response:
    game_id = request.args.get("id", "").strip()
    return game(game_id) if game_id else _page("message.html", 422, title="No game", text="Enter the id of a game.")


@blueprint.get("/games/<game_id>")
def game(game_id: str, results: list[str] | None = None, status: int = 200) -> Response:
    shown = read_game(current_context().store, GameId(game_id)) if GAME_ID.fullmatch(game_id) else None
    if shown is None:
        raise Problem("unknown-game", "No game with this id is in the store. It may be archived.")
    return _page("game.html", status, game=shown, actions=GAME_ACTIONS, results=results or [])


@blueprint.post("/games/<game_id>/<action>")
def act_on_game(game_id: str, action: str) -> Response:
    if action not in GAME_ACTIONS:
        raise Problem("not-found")
    if GAME_ID.fullmatch(game_id) is None or read_game(current_context().store, GameId(game_id)) is None:
        raise Problem("unknown-game")
    if action != "check":
        refused = _unconfirmed()
        if refused:
            return game(game_id, [refused], 422)
        current_context().store.operators.append(_operator(), f"game.{action}", game_id, request.form["reason"].strip())
    results = GAME_ACTIONS[action][2](current_context(), GameId(game_id))
    return game(game_id, results)


def _unconfirmed() -> str:
    """Why the form is not a confirmed action; empty if it is one."""
    if request.form.get("confirm") != "yes":
        return "Nothing was done: the action was not confirmed."
    try:
        administration.checked_reason(request.form.get("reason", ""))
    except administration.BadAction as error:
        return f"Nothing was done: {error}"
    return ""


@blueprint.get("/jobs")
def jobs(results: list[str] | None = None, status: int = 200) -> Response:
    queue = current_context().queue
    try:
        queues = [] if queue is None else read_queues(queue)
    except RedisError:
        return _page("message.html", 503, title="The queue does not answer.", text="Games lose nothing by that.")
    return _page("jobs.html", status, queues=queues, results=results or [])


@blueprint.post("/jobs/<name>/retry")
def retry_jobs(name: str) -> Response:
    queue = current_context().queue
    if queue is None or name not in queue.waiting():
        raise Problem("not-found")
    refused = _unconfirmed()
    if refused:
        return jobs([refused], 422)
    current_context().store.operators.append(_operator(), "jobs.retry", name, request.form["reason"].strip())
    return jobs([f"{queue.settle_failed(name)} failed jobs of the queue {name} were started again or removed."])


@blueprint.get("/accounts")
def find_accounts() -> Response:
    text = request.args.get("q", "").strip()
    found = administration.find_accounts(current_context().store, text) if text else []
    return _page("accounts.html", q=text, found=found, log=current_context().store.operators.newest(MOST_LOGGED))


@blueprint.get("/accounts/<player>")
def account(player: str, results: list[str] | None = None, status: int = 200) -> Response:
    store = current_context().store
    try:
        shown = administration.read_account(store, PlayerId(player))
    except administration.BadAction as error:
        raise Problem("unknown-player", str(error)) from error
    log = store.operators.newest(MOST_LOGGED, player)
    return _page("account.html", status, account=shown, log=log, results=results or [])


@blueprint.post("/accounts/<player>/<action>")
def act_on_account(player: str, action: str) -> Response:
    if action not in ("suspend", "restore"):
        raise Problem("not-found")
    refused = _unconfirmed()
    if refused:
        return account(player, [refused], 422)
    store, reason = current_context().store, request.form["reason"]
    if action == "suspend":
        result = people.suspend(store, _operator(), PlayerId(player), reason, request.form.get("days", "").strip())
    else:
        result = people.restore(store, _operator(), PlayerId(player), reason)
    return account(player, [result], 422 if result.startswith("Nothing") else 200)


@blueprint.get("/reports")
def reports(results: list[str] | None = None, status: int = 200) -> Response:
    found = people.read_reports(current_context().store)
    return _page("reports.html", status, reports=found, results=results or [])


@blueprint.post("/reports/<report>/<action>")
def act_on_report(report: str, action: str) -> Response:
    if action not in people.RESULTS:
        raise Problem("not-found")
    result = people.act_on_report(current_context().store, _operator(), report, action, request.form.get("answer", ""))
    return reports([result], 422 if result.startswith("Nothing") else 200)


def _operator() -> str:
    """The operator's account, as the operators' log names it."""
    return str(g.operator)
