"""Routes to send a command and to get its result."""

from __future__ import annotations

from flask import Blueprint, Response

from domain.kernel.terms import GameId
from service.core.accounts.scopes import GAMES_PLAY, GAMES_READ
from service.core.http.access import list_outcomes, outcomes
from service.core.http.access.auth import authorize, required_caller
from service.core.http.access.dry_run import simulate_commands
from service.core.http.access.ids import command_id, is_command_of
from service.core.http.access.quotas import count_sandbox_commands
from service.core.http.access.submission import build_batch, lookup_result, submit_and_wait
from service.core.http.problems import Problem
from service.core.http.reference.routes import documented
from service.core.http.request_ids import request_id
from service.core.http.responses import idempotency_key, if_match_seq, preferred_wait, query_flag
from service.core.http.schemas import replies
from service.core.http.schemas.commands import read_commands
from service.store.ports.commits import Stored
from service.store.shared.lists import MOST_IN_LIST

blueprint = Blueprint("commands", __name__)


@blueprint.post("/v1/games/<game>/commands")
@documented(
    "Send a command",
    operation="sendCommand",
    scope=GAMES_PLAY,
    text="`GET …/options` lists the commands that a seat can send now. `GET /v1/kinds/{key}` has the schema of "
    "every command. The response 202 means that the command is accepted, not that it is legal. Poll the URL "
    "in `Location`, or send `Prefer: wait=10` to receive the result as soon as it is settled. Send the ETag "
    "of your view in `If-Match` to get 412 with the missed events if the game has changed. A command that "
    "is sent twice with one `Idempotency-Key` has one effect. `dry_run=true` checks the command without "
    "playing it: it reports reliably whether the rules allow it. It also shows one possible result, with "
    'dice that are discarded (a sandbox uses its scripted dice). `{"commands": [{…}, …]}` sends up to '
    f"{MOST_IN_LIST} commands in one request. They are settled in order, one commit each, up to the first "
    "that is refused. The refusal contains `commands`, which lists the commands that were played.",
    takes="command",
    gives={200: replies.CommandOutcome, 202: replies.CommandPending},
    problems=(
        *("unknown-game", "not-your-seat", "not-started", "game-over", "stale", "key-reused"),
        *("log-diverged", "too-many-refusals", "too-many-unrequested-commands", "too-many-pending", "too-much-work"),
        "too-much-sandbox-data",
    ),
    parameters=("seat", "dry_run", "If-Match", "Idempotency-Key", "Prefer"),
    auth="required",
    answer="The result of the command; for a dry run, the predicted result.",
    headers=("Game-Head", "Location", "Preference-Applied"),
)
def send(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller())
    seat = access.own_seat
    said = read_commands(access.game)
    access.require_started()
    if query_flag("dry_run"):
        return simulate_commands(access, seat, said, if_match_seq())
    assert access.credential is not None
    count_sandbox_commands(access, len(said) if isinstance(said, list) else 1)
    id_ = command_id(game_id, access.credential.player, idempotency_key())
    sending = build_batch(access.credential, seat, said, id_, if_match_seq(), access.tenure, access.by)
    return submit_and_wait(access, sending, preferred_wait(), request_id()).response()


@blueprint.get("/v1/games/<game>/commands/<command>")
@documented(
    "Get a command result",
    operation="getCommand",
    scope=GAMES_READ,
    text="Only the sender can read it. For a list, the result covers each command. The id of one command of a "
    "list is the list's id, a dot and the index, counted from 0.",
    gives={200: replies.CommandStatus},
    problems=("unknown-game", "unknown-command"),
    auth="required",
    answer="The status of the command, and its result once it is settled.",
    headers=("Game-Head",),
)
def status(game_id: GameId, command: str) -> Response:
    access = authorize(game_id, required_caller())
    assert access.player_id is not None
    if not is_command_of(command, game_id, access.player_id):
        raise Problem("unknown-command")
    result = lookup_result(access.context.store.log, game_id, command)
    if result is None:
        alone = list_outcomes.lookup_response_of_one(access, command)
        if alone is None:
            raise Problem("unknown-command")
        return alone
    if isinstance(result, str | Stored):
        return outcomes.lookup_response(access, command, result)
    return list_outcomes.lookup_response(access, command, result)
