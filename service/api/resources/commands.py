"""Sending a command, hearing what it came to, and trying one out."""

from __future__ import annotations

import hashlib
import secrets
import time
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, request

from domain.dice import Dice
from domain.errors import Stale
from domain.play.record import Chance, Commit, Submission
from domain.play.settle import settle
from domain.play.table import NEWEST
from domain.terms import GameId, Seat, Seq
from service.api.access.auth import PLAY, READ, GameAccess, authorize, required_caller
from service.api.access.ids import command_id, is_from
from service.api.access.reading import news_since
from service.api.context.offload import ReadContext
from service.api.http.answers import answer, head_header, if_match_seq, preference_applied, preferred_wait, query_flag
from service.api.http.problems import Problem, Refused, aside, invalid_parameter
from service.api.limits.rates import too_many
from service.api.reference.routes import documented
from service.api.schemas import replies
from service.api.schemas.requests import read_command
from service.projections.history.lines import entry, lines, open_commit
from service.projections.history.narration import Narrator
from service.projections.positions.facts import Facts
from service.projections.positions.reach import Reader
from service.projections.positions.rows import is_open, shown
from service.store.codec import canonical, encode_submission, plain
from service.store.ports.commits import Stored
from service.store.ports.news import Subscription
from service.store.ports.waiting import Receipt

blueprint = Blueprint("commands", __name__)

LONGEST_KEY = 200


@blueprint.post("/v1/games/<game>/commands")
@documented(
    "Send a command",
    text="What a seat may send stands in the options; the form of every command is in the kind. Accepted is not yet "
    "allowed: 202 says where to look, and with `Prefer: wait=10` the outcome itself comes as soon as it is settled. "
    "`If-Match` is the ETag of your view: if there is news that you had not seen, 412 tells it. An `Idempotency-Key` "
    "sent twice has one effect. `dry_run=true` says for certain whether the rules would allow it, and shows one of the "
    "possible outcomes, by dice that are thrown away (a sandbox's script is read as it stands).",
    takes="command",
    gives={200: replies.CommandOutcome, 202: replies.CommandPending},
    problems=(
        *("unknown-game", "not-your-seat", "not-started", "game-over", "stale", "key-reused"),
        *("log-went-back", "out-of-refusals", "too-many-unasked", "too-many-pending", "too-much-work"),
    ),
    parameters=("seat", "dry_run", "If-Match", "Idempotency-Key", "Prefer"),
    auth="required",
)
def send(game_id: GameId) -> Response:
    access = authorize(game_id, required_caller(PLAY))
    seat = access.own_seat
    command = read_command(access.seated.game)
    if access.lobby.status == "lobby":
        raise Problem("not-started")
    if query_flag("dry_run"):
        return _tried(access, seat, command)
    assert access.credential is not None
    id_ = command_id(game_id, access.credential.player, _key())
    submission = Submission(id_, seat, command, 0, if_match_seq(), access.credential.id)
    digest = hashlib.sha256(canonical([seat, command])).hexdigest()
    context, seconds = access.context, preferred_wait()
    news = context.store.news.subscribe(game_id) if seconds else None
    try:
        refusals = context.settings.refusals
        receipt = context.store.log.submit(
            game_id,
            encode_submission(submission),
            digest,
            refusals=refusals,
            unasked=context.settings.unasked,
            anytime=command["type"] in access.seated.game.unasked,
        )
        if receipt.wake:
            context.wake(game_id)
        _check(receipt, access, seat, submission.expected)
        waits = news is not None and receipt.seq is None
        outcome = _settled(access, id_, news if waits else None, seconds or 0)
    finally:
        if news is not None:
            news.close()
    if waits:
        access = access.renewed()
    return _outcome(access, seat, id_, outcome, preference_applied(seconds))


def _key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not 1 <= len(key.strip()) <= LONGEST_KEY:
        raise invalid_parameter("Idempotency-Key", f"A key has 1 to {LONGEST_KEY} characters.")
    return None if key is None else key.strip()


def _check(receipt: Receipt, access: GameAccess, seat: Seat, seen: int | None) -> None:
    """Raises the problem of a command that was not accepted."""
    match receipt.status:
        case "accepted" | "known":
            return
        case "conflict":
            raise Problem("key-reused", parameter="Idempotency-Key")
        case "stale":
            raise _stale(access, seat, seen, receipt.seq)
        case "limited":
            raise too_many(receipt.retry_after, "out-of-refusals")
        case "unasked":
            raise too_many(receipt.retry_after, "too-many-unasked")
        case "full":
            raise too_many(max(1, receipt.retry_after), "too-many-pending")
        case "over":
            raise Problem("game-over")
        case "quarantined" | "needs-release":
            raise aside(receipt.status)
        case "not-started" | "unknown-game":
            raise Problem(receipt.status)


def _stale(access: GameAccess, seat: Seat, seen: int | None, now: int | None, **members: Any) -> Problem:
    """The problem of somebody who had not seen the news, with the news."""
    log_ends, head = access.context.store.log.head(access.lobby.id)
    if seen is not None and seen > log_ends:
        raise access.context.went_back(access.lobby.id, seen, "", log_ends, head)
    missed = [] if seen is None or seen < 0 else news_since(access, seat, seen)
    headers = {} if now is None else {"ETag": f'"{now}"'}
    return Problem("stale", headers=headers, seq=now, missed=missed, **members)


def _settled(access: GameAccess, id_: str, news: Subscription | None, seconds: float) -> Stored | str | None:
    """What the command has come to, after waiting so long for it; news that came since the submission counts."""
    until = time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        if news is not None and left > 0:
            news.wait(min(left, 1.0))
        outcome = access.context.store.log.outcome(access.lobby.id, id_)
        if outcome != "pending" or news is None or left <= 0:
            return outcome


def _outcome(
    access: GameAccess, seat: Seat, id_: str, outcome: Stored | str | None, headers: dict[str, str]
) -> Response:
    """The answer for a command as things stand."""
    game_id = access.lobby.id
    if outcome == "over":
        raise Problem("game-over", id=id_)
    if outcome is None:  # it was accepted, and the store has lost it since
        raise access.context.went_back(game_id, if_match_seq(), "", *access.context.store.log.head(game_id))
    if not isinstance(outcome, Stored):
        location = {
            "Location": f"/v1/games/{game_id}/commands/{id_}",
            **head_header(*access.context.store.log.head(game_id)),
        }
        return answer({"id": id_, "status": "pending"}, 202, {**location, **headers})
    commit, head = open_commit(access.seated.game, outcome), outcome.head
    headers = {**headers, **head_header(commit.seq, head)}
    if commit.refusal is None:
        return answer(_document(access, seat, id_, commit, head), headers=headers)
    if commit.refusal.code == Stale.code:
        raise _stale(access, seat, commit.submission.expected, commit.refusal.facts.get("seq"), id=id_)
    raise Refused(commit.refusal, headers, id=id_, game=game_id, seq=commit.seq)


def _document(access: GameAccess, seat: Seat, id_: str, commit: Commit, head: str) -> dict[str, Any]:
    read = entry(access.seated.game, commit, head, Reader(seat), access.seated.narrator)
    read = read or {"seq": commit.seq, "lines": []}
    return {"id": id_, "status": "settled" if commit.refusal is None else "refused", **read}


@blueprint.get("/v1/games/<game>/commands/<command>")
@documented(
    "What became of a command",
    text="Its sender's alone to read.",
    gives={200: replies.CommandStatus},
    problems=("unknown-game", "unknown-command"),
    auth="required",
)
def status(game_id: GameId, command: str) -> Response:
    access = authorize(game_id, required_caller(READ))
    assert access.player_id is not None
    outcome = None
    if is_from(command, game_id, access.player_id):
        outcome = access.context.store.log.outcome(game_id, command)
    if outcome is None:
        raise Problem("unknown-command")
    headers = head_header(*access.context.store.log.head(game_id))
    if not isinstance(outcome, Stored):
        return answer({"id": command, "status": outcome}, headers=headers)
    commit = open_commit(access.seated.game, outcome)
    return answer(_document(access, commit.submission.seat, command, commit, outcome.head), headers=headers)


# -- trying one out ---------------------------------------------------------------------------------------------------


def _tried(access: GameAccess, seat: Seat, command: dict[str, Any]) -> Response:
    access.context.require_not_aside(access.lobby.id)
    access.rows()
    seen, narrator = if_match_seq(), access.seated.narrator
    seq, document = access.compute(lambda reads, facts: _try(reads, facts, seat, command, seen, narrator))
    if document.get("refusal", {}).get("code") == Stale.code:
        raise _stale(access, seat, seen, seq)
    return answer(document, headers=head_header(*access.context.store.log.head(access.lobby.id)))


def _try(
    reads: ReadContext, facts: Facts, seat: Seat, command: dict[str, Any], seen: Seq | None, narrator: Narrator
) -> tuple[int, dict[str, Any]]:
    """The sender's present seq, and what the command would come to in a state that he cannot tell from the real one."""
    position = reads.positions.newest(facts)
    if position.table is not None and not is_open(position, seat):
        # In an older game the seat may still be heard: even so a trial would say what its cards allow.
        position = replace(position, table=replace(position.table, table_rules=NEWEST))
    key = secrets.token_bytes(32)
    if not position.over:
        position = replace(position, state=facts.rules.imagine(position.state, seat, Dice(key)))
    submission = Submission("dry-run", seat, command, position.at, seen)
    chance = Chance(secrets.token_bytes(32), facts.chance.script)
    commit, _ = settle(facts.rules, position, submission, position.at, chance)
    seq = shown(position)[seat]
    document: dict[str, Any] = {"dry_run": True, "accepted": commit.refusal is None, "seq": seq}
    if commit.refusal is not None:
        return seq, {**document, "refusal": plain(commit.refusal)}
    return seq, {**document, "lines": lines(facts.rules, commit, seat, narrator)}
