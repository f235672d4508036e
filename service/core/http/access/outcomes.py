"""Results of a command for its sender: after sending, when looked up, and after a dry run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Response

from domain.kernel.errors import StaleSubmission
from domain.kernel.game import AnyGame
from domain.kernel.record import Commit, Submission
from domain.kernel.terms import Seat
from service.core.history.lines import build_entry, decode_commit, narrate_commit
from service.core.history.narration import Narrator
from service.core.http.access.auth import GameAccess
from service.core.http.access.reading import missed_entries
from service.core.http.limits.rates import limit_problem
from service.core.http.problems import CommandRefused, Problem, quarantine_problem
from service.core.http.responses import JsonReply, head_header, json_response
from service.core.positions.visibility import HistoryReader
from service.store.codec import plain
from service.store.ports.commits import Stored
from service.store.ports.waiting import Receipt


def require_accepted(access: GameAccess, submission: Submission, receipt: Receipt) -> None:
    """Raises the problem of a command that the store did not accept."""
    match receipt.status:
        case "accepted" | "known":
            return
        case "conflict":
            raise Problem("key-reused", parameter="Idempotency-Key")
        case "stale":
            raise stale_problem(access, submission.seat, submission.expected, receipt.seq)
        case "limited":
            raise limit_problem(receipt.retry_after, "too-many-refusals")
        case "unasked":
            raise limit_problem(receipt.retry_after, "too-many-unrequested-commands")
        case "full":
            raise limit_problem(max(1, receipt.retry_after), "too-many-pending")
        case "over":
            raise Problem("game-over")
        case "quarantined" | "needs-release":
            raise quarantine_problem(receipt.status)
        case "not-started" | "unknown-game":
            raise Problem(receipt.status)


def build_reply(
    access: GameAccess, submission: Submission, outcome: Stored | str | None, headers: dict[str, str]
) -> JsonReply:
    """The response to an accepted command: 200 with its commit, or 202 while it waits.

    Raises the refusal of the rules, and the problems of a command without a result: stale, too late, or lost.
    """
    game_id, log = access.lobby.id, access.context.store.log
    match outcome:
        case Stored():
            commit = decode_commit(access.game, outcome)
            headers = {**headers, **head_header(commit.seq, outcome.head)}
            refusal = commit.refusal
            if refusal is None:
                document = describe_settled(access, submission.seat, submission.id, commit, outcome.head)
                return JsonReply(document, headers=headers)
            if refusal.code == StaleSubmission.code:
                seen, now = commit.submission.expected, refusal.facts.get("seq")
                raise stale_problem(access, submission.seat, seen, now, id=submission.id)
            raise CommandRefused(refusal, headers, id=submission.id, game=game_id, seq=commit.seq)
        case "over":
            raise Problem("game-over", id=submission.id)
        case None:  # it was accepted, and the store has lost it since
            raise access.context.diverged_problem(game_id, submission.expected, "", *log.head(game_id))
        case _:
            location = {"Location": f"/v1/games/{game_id}/commands/{submission.id}", **head_header(*log.head(game_id))}
            return JsonReply({"id": submission.id, "status": "pending"}, 202, {**location, **headers})


def lookup_response(access: GameAccess, command_id: str, outcome: Stored | str) -> Response:
    """The response to a lookup of a command: its status, and its result if it is settled."""
    headers = head_header(*access.context.store.log.head(access.lobby.id))
    if not isinstance(outcome, Stored):
        return json_response({"id": command_id, "status": outcome}, headers=headers)
    commit = decode_commit(access.game, outcome)
    return json_response(
        describe_settled(access, commit.submission.seat, command_id, commit, outcome.head), headers=headers
    )


def describe_settled(access: GameAccess, seat: Seat, command_id: str, commit: Commit, head: str) -> dict[str, Any]:
    """A settled command, and what its sender may read of its commit."""
    read = build_entry(access.game, commit, head, HistoryReader(seat), access.narrator) or {
        "seq": commit.seq,
        "lines": [],
    }
    return {"id": command_id, "status": "settled" if commit.refusal is None else "refused", **read}


def describe_dry_run(game: AnyGame, commits: Sequence[Commit], seat: Seat, narrator: Narrator) -> dict[str, Any]:
    """The result of a dry run: the commit of the command, and the automatic commits after it."""
    refusal = commits[0].refusal
    if refusal is not None:
        return {"accepted": False, "refusal": plain(refusal)}
    shown = [line for commit in commits for line in narrate_commit(game, commit, seat, narrator)]
    return {"accepted": True, "lines": shown}


def stale_problem(access: GameAccess, seat: Seat, seen: int | None, now: int | None, **members: Any) -> Problem:
    """The problem of a sender who had not seen the latest news, with the news.

    ``now`` is the ETag that would not be stale.
    """
    log_ends, head = access.context.store.log.head(access.lobby.id)
    if seen is not None and seen > log_ends:
        raise access.context.diverged_problem(access.lobby.id, seen, "", log_ends, head)
    missed = [] if seen is None or seen < 0 else missed_entries(access, seat, seen)
    headers = {} if now is None else {"ETag": f'"{now}"'}
    return Problem("stale", headers=headers, seq=now, missed=missed, **members)
