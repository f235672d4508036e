"""Sending a command, and looking up what became of it."""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Any

from flask import Blueprint, Response

from domain.play.record import Submission
from domain.terms import GameId, PlayerId, Seat
from service.api.access import list_outcomes, outcomes
from service.api.access.auth import PLAY, READ, GameAccess, authorize, required_caller
from service.api.access.sending import Came, Sending, came_to, is_pending
from service.api.access.trials import tried
from service.api.http.answers import idempotency_key, if_match_seq, preference_applied, preferred_wait, query_flag
from service.api.http.problems import Problem
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.api.schemas.commands import read_commands
from service.store.ports.commits import Stored
from service.store.ports.news import Expectation
from service.store.shared.lists import MOST_IN_LIST

LOOK = 1.0
"""Seconds between two looks at the log, should the news be lost that tell what a command has come to."""

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
    sending, seconds = _sending(access, seat, said), preferred_wait()
    with _expected(access, sending, seconds) as expected:
        known = sending.hand_in(access, "" if expected is None else expected.channel)
        if known and expected is not None:
            expected.heed_news()
        came = sending.came(access) if known else "pending"
        waited = bool(seconds) and is_pending(came)
        if is_pending(came):
            came = _within(access, sending, seconds or 0, expected)
    if waited:
        access = access.renewed()
    return sending.answer(access, came, preference_applied(seconds))


def _sending(access: GameAccess, seat: Seat, said: dict[str, Any] | list[dict[str, Any]]) -> Sending:
    """What was said, under the id that its Idempotency-Key gives it, with what its sender had seen (If-Match)."""
    assert access.credential is not None
    id_ = _command_id(access.lobby.id, access.credential.player, idempotency_key())
    commands = tuple(said) if isinstance(said, list) else ()
    first = said[0] if isinstance(said, list) else said
    return Sending(Submission(id_, seat, first, 0, if_match_seq(), access.credential.id), commands)


def _expected(access: GameAccess, sending: Sending, seconds: int | None) -> AbstractContextManager[Expectation | None]:
    """For a sender who waits, what it comes to is expected from before it is submitted."""
    if not seconds:
        return nullcontext()
    return closing(access.context.store.news.expect(access.lobby.id, sending.ids))


def _within(access: GameAccess, sending: Sending, seconds: float, expected: Expectation | None) -> Came:
    """What it has come to, after waiting so long for it: as it is told, or else as it is read now and then."""
    until = time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        if expected is not None and left > 0:
            expected.wait(min(left, LOOK))
        told = None if expected is None else expected.came()
        came = sending.came(access) if told is None else sending.told(told)
        if not is_pending(came) or expected is None or left <= 0:
            return came


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
    if not _is_from(command, game_id, access.player_id):
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


# -- the ids of commands, which tell their sender's from others' ------------------------------------------------------


def _command_id(game_id: GameId, player_id: PlayerId, key: str | None) -> str:
    """The id of a command: the player's mark in this game, then a hash of their Idempotency-Key, or random bits."""
    own = secrets.token_bytes(15) if key is None else _hash(game_id, player_id, key)[:15]
    return base64.urlsafe_b64encode(_mark(game_id, player_id) + own).decode()


def _is_from(id_: str, game_id: GameId, player_id: PlayerId) -> bool:
    """Whether the command with this id, or the list that it stands in, can be the player's."""
    return len(id_.partition(".")[0]) == 24 and id_.startswith(
        base64.urlsafe_b64encode(_mark(game_id, player_id)).decode()
    )


def _mark(game_id: GameId, player_id: PlayerId) -> bytes:
    return _hash("mark", game_id, player_id)[:3]


def _hash(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()
