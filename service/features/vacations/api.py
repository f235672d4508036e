"""Routes for vacations of the authenticated player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response

from domain.kernel.terms import DAY, PlayerId
from domain.table.vacations import SITS_IN
from service.core.accounts.scopes import GAMES_PLAY, GAMES_READ
from service.core.http.access.auth import required_caller
from service.core.http.access.idempotency import idempotent
from service.core.http.access.ids import new_id
from service.core.http.access.quotas import LIMIT_RETRY_SECONDS
from service.core.http.context.app import AppContext, current_context
from service.core.http.limits.rates import count_daily, limit_problem
from service.core.http.problems import Problem, invalid_fields, sitter_problem
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content
from service.core.http.schemas.requests import read_body
from service.core.notifications.game_subscriptions import subscribe_sitters
from service.features.vacations import schemas as replies
from service.features.vacations.schemas import VacationRequest
from service.store.ports.accounts import ANNOUNCED, Vacation
from service.store.redis.store import Store
from service.store.upkeep.sitter_assignment import NAMED, allowed, ask
from service.store.upkeep.vacations import tell_of

blueprint = Blueprint("vacations", __name__)

LONGEST, FURTHEST = 366 * DAY, 2 * 366 * DAY
MOST = 20
"""Maximum number of an account's vacations that are not over, and of new ones a day.

Each is announced in all its games, and so is its cancellation.
"""
AT_MOST = 30
"""Seconds for which a request that failed blocks the next one."""


@blueprint.get("/v1/me/vacations")
@documented(
    "List my vacations",
    operation="listVacations",
    scope=GAMES_READ,
    text="Lists vacations that have not ended, each with the games that it applies to.",
    gives={200: replies.Vacations},
    auth="required",
    answer="Your vacations.",
)
def vacations() -> Response:
    credential = required_caller()
    context = current_context()
    now = context.store.schedule.now()
    found = context.store.accounts.vacations(credential.player)
    return json_response({"vacations": [_vacation(each) for each in found if each.is_open(now)]})


@blueprint.post("/v1/me/vacations")
@documented(
    "Start a vacation",
    operation="createVacation",
    scope=GAMES_PLAY,
    text="Applies to all your games with a clock whose table allows vacation days (`vacation_days`), and to "
    "games that start during the vacation. Your clocks stop when the vacation begins. In a game with a "
    "calendar, days continue to pass, but you do not miss turns. `seat` then selects who answers for you. "
    "The vacation ends early in a game when you play there, or when your vacation days for the year of play "
    "are used up. A `sitter` must have agreed to sit in for you (`GET /v1/me/sitting`).",
    takes=VacationRequest,
    gives={201: replies.VacationReply},
    problems=("key-reused", "in-progress", "too-many-vacations", "unknown-player", "sitter-not-agreed"),
    parameters=("Idempotency-Key",),
    auth="required",
    answer="The vacation and the games it applies to.",
    headers=("Location",),
)
@idempotent
def make_vacation() -> Response:
    credential = required_caller()
    context, body = current_context(), read_body(VacationRequest)
    sitter = _sitter(context, credential.player, body)
    made = _entered(context, credential.player, body["begins"], body["ends"], body["seat"], sitter)
    _tell(context, made)
    told = next(each for each in context.store.accounts.vacations(credential.player) if each.id == made.id)
    return json_response(_vacation(told), 201, {"Location": f"/v1/me/vacations/{made.id}"})


def _sitter(context: AppContext, player_id: PlayerId, body: Mapping[str, Any]) -> PlayerId | None:
    """The sitter, if one is named."""
    named, sits_in = body.get("sitter"), body["seat"] == SITS_IN
    if named is None:
        if sits_in:
            raise invalid_fields([("/sitter", "Required if `seat` is `sitter`. Name the player who sits in for you.")])
        return None
    if not sits_in:
        raise invalid_fields([("/sitter", f"Only allowed if `seat` is `{SITS_IN}`.")])
    if named == player_id:
        raise invalid_fields([("/sitter", "Must be another player.")])
    if body["ends"] > context.store.schedule.now() + LONGEST:
        raise invalid_fields([("/to", "A sitter can sit in for at most one year from now. End the vacation earlier.")])
    if context.store.accounts.player(named) is None:
        raise Problem("unknown-player", pointer="/sitter")
    may, seconds = allowed(context.store, player_id)
    if not may:
        raise limit_problem(seconds, detail=f"An account can name a sitter {NAMED} times a day. Try again later.")
    if context.are_apart(player_id, PlayerId(named)) or not ask(context.store, PlayerId(named), player_id):
        raise sitter_problem("/sitter")
    return PlayerId(named)


def _entered(
    context: AppContext, player_id: PlayerId, begins: int, ends: int, plays: str, sitter: PlayerId | None
) -> Vacation:
    """A new vacation, one at a time: parallel requests would not see each other."""
    accounts, places, now = context.store.accounts, context.store.places, context.store.schedule.now()
    made = Vacation(new_id("v"), player_id, max(begins, now), ends, now, plays=plays, sitter=sitter)
    place = (f"vacation:{player_id}", made.id)
    if not places.hold(*place, 1, AT_MOST)[0]:
        raise Problem("in-progress", "Another of your requests is creating a vacation. Try again.")
    try:
        open_ones = [each for each in accounts.vacations(player_id) if each.is_open(now)]
        _check(made.begins, ends, now, open_ones)
        if len(open_ones) >= MOST:
            raise limit_problem(
                LIMIT_RETRY_SECONDS, "too-many-vacations", f"An account can have {MOST} vacations. Cancel one of them."
            )
        detail = f"An account can create {MOST} vacations a day. Try again later."
        count_daily(accounts, f"vacation:{player_id}", MOST, detail, "too-many-vacations")
        accounts.add_vacation(made)
    finally:
        places.let_go([place])
    return made


def _check(begins: int, ends: int, now: int, open_ones: list[Vacation]) -> None:
    faults = []
    if begins > now + FURTHEST:
        faults.append(("/from", "A vacation must begin within two years."))
    if ends <= begins:
        faults.append(("/to", "A vacation must end in the future and after its beginning."))
    elif ends - begins > LONGEST:
        faults.append(("/to", "A vacation can last at most 366 days."))
    elif any(each.begins < ends and begins < each.ends for each in open_ones):
        faults.append(("/from", "You have another vacation at that time. Cancel it first."))
    if faults:
        raise invalid_fields(faults)


@blueprint.delete("/v1/me/vacations/<vacation>")
@documented(
    "End or cancel a vacation",
    operation="deleteVacation",
    scope=GAMES_PLAY,
    text="Your clocks run again in every game where the vacation has begun. If it has not begun, it is canceled.",
    gives={204: None},
    problems=("unknown-vacation",),
    auth="required",
    answer="The vacation is canceled.",
)
def recall_vacation(vacation: str) -> Response:
    credential = required_caller()
    context = current_context()
    accounts, now = context.store.accounts, context.store.schedule.now()
    found = next((each for each in accounts.vacations(credential.player) if each.id == vacation), None)
    if found is None or not found.is_open(now):
        raise Problem("unknown-vacation")
    accounts.recall_vacation(credential.player, vacation)
    _tell(context, found)
    return no_content()


def _tell(context: AppContext, vacation: Vacation) -> None:
    woken = tell_of(context.store, vacation.player)
    subscribe_sitters(context.store, woken)
    for game_id in woken:
        context.wake(game_id)


def _vacation(each: Vacation) -> dict[str, Any]:
    games = sorted(game for game, told in each.told.items() if told == ANNOUNCED)
    return {"id": each.id, "from": each.begins, "to": each.ends, "created_at": each.made_at, "games": games} | {
        "seat": each.plays,
        "sitter": each.sitter,
    }


def erase_vacations(store: Store, player_id: PlayerId) -> None:
    """Delete all vacations of a player."""
    for vacation in store.accounts.vacations(player_id):
        store.accounts.drop_vacation(player_id, vacation.id)
