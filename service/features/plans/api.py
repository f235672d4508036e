"""Routes for planned turns: commands that are played when a question arrives, and their results."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from typing import Any

import orjson
from flask import Blueprint, Response, request

from domain.kernel.errors import StaleSubmission
from domain.kernel.lifecycle import PLAYER
from domain.kernel.terms import GameId, Seat, Seq
from domain.table import features
from domain.table.plans import ANY, ending, is_news, kinds_answered
from service.core.accounts.scopes import GAMES_PLAY, GAMES_READ
from service.core.history.lines import build_entry, decode_commit
from service.core.http.access import list_outcomes, outcomes
from service.core.http.access.auth import GameAccess, authorize, required_caller
from service.core.http.access.ids import command_id
from service.core.http.access.quotas import count_sandbox_commands
from service.core.http.problems import Problem, invalid_fields
from service.core.http.reference.routes import documented
from service.core.http.responses import json_response, no_content, query_flag, revalidation_headers
from service.core.positions.visibility import HistoryReader
from service.features.plans import schemas as replies
from service.features.plans.dry_run import simulate_plan
from service.features.plans.schemas import PlanRequest, read_plan
from service.features.plans.store import Plans
from service.store.codec import canonical
from service.store.ports.commits import Rows
from service.store.ports.waiting import ANYWHERE, NOWHERE, Plan

blueprint = Blueprint("plans", __name__)

TRIES = 8
"""Maximum number of retries if the game continues while a plan is stored."""

_STATUS = {"pending": "playing", "settled": "played", "refused": "stopped", "left": "stopped", "over": "over"}
"""The status of a plan, by the status of its list."""


@blueprint.put("/v1/games/<game>/plan")
@documented(
    "Plan my turn",
    operation="setPlan",
    scope=GAMES_PLAY,
    text="Stores commands for later. The plan waits for a question that its first command answers. Then the commands "
    "are settled in order, each in its own commit with `by: plan`, up to the first that is refused. A seat has one plan; a new one replaces it. No other player can "
    "see whether a plan exists. The plan is deleted when the seat resigns or changes hands, and when the "
    "game is over.\n\nIf such a question is already pending, the response is 409 `question-pending`. "
    "`dry_run=true` stores nothing. It predicts the result of each command, assuming that all others play "
    "default moves until the question arrives. The prediction simulates one possible game, with dice that are "
    "discarded.",
    takes=PlanRequest,
    gives={200: replies.PlanOutcome},
    problems=(
        *("unknown-game", "not-your-seat", "not-started", "game-over", "question-pending", "stale", "plan-changed"),
        *("no-plan", "too-much-work", "too-much-sandbox-data"),
    ),
    parameters=("seat", "dry_run", "Plan-If-Match", "Plan-If-None-Match"),
    auth="required",
    answer="The stored plan; for a dry run, the predicted results.",
    headers=("ETag",),
)
def lay(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat = access.own_seat
    access.require_started()
    said = read_plan(access.game)
    kinds, commands = _meant(access, said)
    if query_flag("dry_run"):
        return _tried(access, seat, said, kinds, commands)
    assert access.credential is not None
    count_sandbox_commands(access, len(commands))
    id_, match = command_id(game_id, access.credential.player, None), _match(access, seat)
    for _ in range(TRIES):
        rows = access.rows_without_views()
        _require_open(access, rows, seat, kinds, said.get("seen"))
        plan = Plan(
            id_,
            seat,
            _holder(access, seat),
            commands,
            len(said["commands"]),
            kinds,
            said["if"],
            said["then"],
            Seq(rows.seen[seat]),
            access.credential.id,
            tenure=access.tenure,
            via=access.credential.via,
        )
        digest = hashlib.sha256(canonical([seat, commands])).hexdigest()
        match Plans(access.context.store).lay(game_id, plan, digest, rows.seq, match):
            case "laid":
                return _told(access, _require_plan(access, seat))
            case "changed":
                raise Problem("plan-changed")
            case "over":
                raise Problem("game-over")
            case "not-started" | "unknown-game" as code:
                raise Problem(code)
            case "moved":
                continue
    raise Problem("too-much-work")


@blueprint.get("/v1/games/<game>/plan")
@documented(
    "Get my plan",
    operation="getPlan",
    scope=GAMES_READ,
    text="Only the seat can read its plan. After the plan is played, the response also shows the result of each "
    "command, and where and why the plan stopped.",
    gives={200: replies.PlanReply},
    problems=("unknown-game", "not-your-seat", "not-started", "no-plan"),
    parameters=("seat",),
    auth="required",
    answer="The plan.",
    headers=("ETag",),
)
def look(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat = access.own_seat
    access.require_started()
    return _told(access, _require_plan(access, seat))


@blueprint.delete("/v1/games/<game>/plan")
@documented(
    "Delete my plan",
    operation="deletePlan",
    scope=GAMES_PLAY,
    text="A waiting plan will not be played. A plan that has been played is only removed from view. A plan that "
    "is being played cannot be deleted.",
    gives={204: None},
    problems=("unknown-game", "not-your-seat", "not-started", "no-plan", "plan-in-progress", "plan-changed"),
    parameters=("seat", "Plan-If-Match"),
    auth="required",
    answer="The plan is deleted.",
)
def drop(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat = access.own_seat
    access.require_started()
    plans, match = Plans(access.context.store), _match(access, seat)
    dropped = plans.drop(game_id, seat, match)
    if dropped == "used":
        came = access.context.store.log.outcomes(game_id, _require_plan(access, seat).id)
        if came is not None and "pending" in came:
            raise Problem("plan-in-progress")
        dropped = plans.drop(game_id, seat, match, used=True)
        if dropped == "used":
            raise Problem("plan-in-progress")
    if dropped == "changed":
        raise Problem("plan-changed")
    if dropped == "none":
        raise Problem("no-plan")
    return no_content()


def _tried(
    access: GameAccess,
    seat: Seat,
    said: Mapping[str, Any],
    kinds: tuple[str, ...],
    commands: tuple[Mapping[str, Any], ...],
) -> Response:
    """A possible result of a plan. Raises the problems with which it would be rejected."""
    if _match(access, seat) == NOWHERE and Plans(access.context.store).get(access.lobby.id, seat) is not None:
        raise Problem("plan-changed")
    _require_open(access, access.rows_without_views(), seat, kinds, said.get("seen"))
    document = simulate_plan(access, seat, kinds, commands)
    stopped = [place for place, each in enumerate(document["outcomes"]) if not each["accepted"]]
    return json_response(document | {"for": list(kinds)} | ({"stopped_at": stopped[0]} if stopped else {}))


def _meant(access: GameAccess, said: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[Mapping[str, Any], ...]]:
    """The kinds of questions that a plan waits for, and all its commands. Raises the problem of an invalid combination."""
    game, commands = access.game, tuple(said["commands"])
    ends = said["then"] == "end_turn"
    if not commands and not ends:
        raise invalid_fields([("/commands", "A plan that does not end the turn needs at least one command.")])
    for place, command in enumerate(commands):
        if command["type"] not in game.rules.commands:  # an absent player neither gives up a seat nor votes
            raise invalid_fields(
                [
                    (
                        f"/commands/{place}/type",
                        "A plan can contain only commands of the game's rules, not table commands such as votes.",
                    )
                ]
            )
    kinds: Collection[str] = kinds_answered(game.rules, commands[0]["type"]) if commands else tuple(game.rules.endings)
    if commands and not kinds:
        raise invalid_fields(
            [("/commands/0/type", "The first command of a plan must answer a question. This command answers none.")]
        )
    if "for" in said:
        kinds = _chosen(kinds, said["for"])
    if not ends:
        return tuple(kinds), commands
    kinds = [kind for kind in kinds if kind in game.rules.endings]
    last = ending(game, kinds)
    if last is None:
        raise invalid_fields([("/then", "No command ends the turn after such a question. Set `then` to `wait`.")])
    return tuple(kinds), commands if commands and commands[-1] == last else (*commands, last)


def _chosen(kinds: Collection[str], wanted: Collection[str]) -> Collection[str]:
    known = ", ".join(kinds)
    for place, kind in enumerate(wanted):
        if kind not in kinds:
            raise invalid_fields(
                [(f"/for/{place}", f"Must be a kind of question that the first command answers: {known}.")]
            )
    return sorted(set(wanted))


def _require_open(access: GameAccess, rows: Rows, seat: Seat, kinds: Collection[str], seen: int | None) -> None:
    """Raises the problem of a plan that comes too late, or of a seat that cannot plan."""
    if rows.status == "over":
        raise Problem("game-over")
    seats = {each["seat"]: each["controller"] for each in orjson.loads(rows.table)["seats"]}
    if seats[seat] != PLAYER:
        raise Problem("not-your-seat", "A bot plays this seat.")
    asked = [each["kind"] for each in orjson.loads(rows.asked) if each["seat"] == seat]
    if any(kind in kinds or (ANY in kinds and kind not in features.ASKS) for kind in asked):
        raise Problem("question-pending")
    if seen is not None and seen != rows.seen[seat]:
        raise outcomes.stale_problem(access, seat, seen, rows.seen[seat])


def _match(access: GameAccess, seat: Seat) -> str:
    """The id of the plan to replace, by If-Match and If-None-Match. Raises the problem of one that cannot exist."""
    wanted, unwanted = request.headers.get("If-Match", "").strip(), request.headers.get("If-None-Match", "").strip()
    if unwanted == "*":
        return NOWHERE
    if not wanted:
        return ANYWHERE
    there = Plans(access.context.store).get(access.lobby.id, seat)
    if there is None or wanted not in ("*", f'"{there.id}"'):
        raise Problem("plan-changed")
    return there.id


def _holder(access: GameAccess, seat: Seat) -> Any:
    """The holder of the seat, for whom a sitter may plan."""
    return access.lobby.chairs[seat - 1].holder


def _require_plan(access: GameAccess, seat: Seat) -> Plan:
    """The seat's plan. Raises the problem of a missing one, or of another player's."""
    plan = Plans(access.context.store).get(access.lobby.id, seat)
    if plan is None or plan.player != _holder(access, seat):
        raise Problem("no-plan")
    return plan


def _told(access: GameAccess, plan: Plan) -> Response:
    """The plan for its seat."""
    document: dict[str, Any] = {
        "id": plan.id,
        "seat": plan.seat,
        "commands": list(plan.commands[: plan.laid]),
        "if": plan.condition,
        "then": plan.then,
        "for": list(plan.kinds),
        "seen": plan.seen,
        "created_at": plan.at,
        "status": "waiting",
    }
    came = None if plan.waits else access.context.store.log.outcomes(access.lobby.id, plan.id)
    if came is not None:
        listed, last = list_outcomes.describe_list(access, plan.id, came)
        document |= {"status": _STATUS[listed["status"]], "outcomes": listed["commands"]}
        if last is not None and last.refusal is not None:
            document["stopped_at"] = listed["settled"]
            if last.refusal.code == StaleSubmission.code and not listed["settled"]:
                document["first_change"] = _news(access, plan, last.seq)
    return json_response(document, headers={"ETag": f'"{plan.id}"', **revalidation_headers(plan.seat)})


def _news(access: GameAccess, plan: Plan, before: int) -> Mapping[str, Any] | None:
    """The first commit with a visible change since the plan was made, for its seat."""
    for stored in access.context.store.log.commits(access.lobby.id, plan.seen + 1, before - 1):
        commit = decode_commit(access.game, stored)
        if is_news(access.game.knowledge, commit, plan.seat):
            return build_entry(access.game, commit, stored.head, HistoryReader(plan.seat), access.narrator)
    return None
