"""Sending a command, and looking up what became of it."""

from __future__ import annotations

from flask import Blueprint, Response, request

from domain.terms import GameId
from service.api.access import list_outcomes, outcomes
from service.api.access.auth import PLAY, READ, authorize, required_caller
from service.api.access.ids import command_id, is_from
from service.api.access.quotas import take_sandbox_bytes
from service.api.access.sending import came_to, sending_of, sent
from service.api.access.trials import tried
from service.api.http.answers import idempotency_key, if_match_seq, preferred_wait, query_flag
from service.api.http.problems import Problem
from service.api.http.request_ids import request_id
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.api.schemas.commands import read_commands
from service.store.ports.commits import Stored
from service.store.shared.lists import MOST_IN_LIST

COMMIT_BYTES = 1024
"""What a commit takes in the store besides the command, for quotas: more than a usual one."""

blueprint = Blueprint("commands", __name__)


@blueprint.post("/v1/games/<game>/commands")
@documented(
    "Send a command",
    operation="sendCommand",
    text="What a seat may send stands in the options; the form of every command is in the kind. Accepted is not yet "
    "allowed: 202 says where to look, and with `Prefer: wait=10` the outcome itself comes as soon as it is settled. "
    "`If-Match` is the ETag of your view: if there is news that you had not seen, 412 tells it. An `Idempotency-Key` "
    "sent twice has one effect. `dry_run=true` says for certain whether the rules would allow it, and shows one of the "
    "possible outcomes, by dice that are thrown away (a sandbox's script is read as it stands). "
    f'`{{"commands": [{{…}}, …]}}` sends up to {MOST_IN_LIST} in one request: they are settled in order, each in a commit of '
    "its own, as far as the first that is refused; a refusal comes with `commands`, which says what went through.",
    takes="command",
    gives={200: replies.CommandOutcome, 202: replies.CommandPending},
    problems=(
        *("unknown-game", "not-your-seat", "not-started", "game-over", "stale", "key-reused"),
        *("log-went-back", "out-of-refusals", "too-many-unasked", "too-many-pending", "too-much-work"),
        "too-much-sandbox-data",
    ),
    parameters=("seat", "dry_run", "If-Match", "Idempotency-Key", "Prefer"),
    auth="required",
    answer="What the command came to; of a dry run, what it would come to.",
    headers=("Game-Head", "Location", "Preference-Applied"),
)
def send(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller(PLAY))
    seat = access.own_seat
    said = read_commands(access.rules)
    access.require_started()
    if query_flag("dry_run"):
        return tried(access, seat, said, if_match_seq())
    assert access.credential is not None
    if access.lobby.sandbox is not None:
        commands = len(said) if isinstance(said, list) else 1
        take_sandbox_bytes(access.context, access.credential.player, len(request.get_data()) + commands * COMMIT_BYTES)
    id_ = command_id(game_id, access.credential.player, idempotency_key())
    sending = sending_of(access.credential, seat, said, id_, if_match_seq(), access.tenure, access.by)
    return sent(access, sending, preferred_wait(), request_id()).response()


@blueprint.get("/v1/games/<game>/commands/<command>")
@documented(
    "What became of a command",
    operation="getCommand",
    text="Its sender's alone to read. Of a list it tells of each command; the id of one of them is the list's, a dot and its "
    "place, counted from 0.",
    gives={200: replies.CommandStatus},
    problems=("unknown-game", "unknown-command"),
    auth="required",
    answer="How the command stands, and what it did if it is settled.",
    headers=("Game-Head",),
)
def status(game_id: GameId, command: str) -> Response:
    access = authorize(game_id, required_caller(READ))
    assert access.player_id is not None
    if not is_from(command, game_id, access.player_id):
        raise Problem("unknown-command")
    came = came_to(access.context.store.log, game_id, command)
    if came is None:
        alone = list_outcomes.looked_up_alone(access, command)
        if alone is None:
            raise Problem("unknown-command")
        return alone
    if isinstance(came, str | Stored):
        return outcomes.looked_up(access, command, came)
    return list_outcomes.looked_up(access, command, came)
