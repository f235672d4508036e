"""Submits the command or list of commands of one request, and gets its result."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from typing import Any

from domain.kernel.record import Submission
from domain.kernel.terms import GameId, Seat, Seq
from domain.table import features
from service.core.http.access import list_outcomes, outcomes
from service.core.http.access.auth import GameAccess
from service.core.http.responses import JsonReply, preference_applied
from service.store.codec import canonical, encode_submission, spoken
from service.store.ports.accounts import Credential
from service.store.ports.commits import Stored
from service.store.ports.waiting import REQUEST, TELL
from service.store.redis.log.log import Log
from service.store.shared import lists
from service.store.shared.news_board import PendingResult

POLL_SECONDS = 1.0
"""Seconds between two looks at the log, in case the message about the result is lost."""

CommandResult = Stored | str | Sequence[Stored | str] | None
"""The result of a command (`Log.outcome`), or of each command of a list (`Log.outcomes`)."""


@dataclass(frozen=True, slots=True)
class CommandBatch:
    """Commands of a seat that were sent together."""

    submission: Submission
    """For a list: its first command, with the id of the list."""
    listed: tuple[Mapping[str, Any], ...] = ()
    """The whole list; empty for a single command."""

    @property
    def ids(self) -> Sequence[str]:
        """The ids of its submissions, in order."""
        id_ = self.submission.id
        return [lists.place_id(id_, place) for place in range(len(self.listed))] if self.listed else [id_]

    def submit(self, access: GameAccess, request: str, channel: str = "") -> bool:
        """Submit it to the store and wake a worker. Returns whether it was sent before.

        ``request`` is the id of the request, ``channel`` the one on which its result is awaited.

        Raises the problem of what is not accepted.
        """
        context, submission, unasked = access.context, self.submission, (*access.game.rules.unasked, *features.UNASKED)
        commands = self.listed or (submission.command,)
        document = (
            {
                **lists.first_of(submission.id, submission.seat, commands, submission.expected, submission.credential),
                **spoken(submission),
            }
            if self.listed
            else encode_submission(submission)
        )
        waits = {TELL: channel} if channel else {}
        receipt = context.store.log.submit(
            access.lobby.id,
            {**document, REQUEST: request, **waits},
            hashlib.sha256(canonical([submission.seat, self.listed or submission.command])).hexdigest(),
            refusals=context.settings.refusal_burst,
            unasked=context.settings.unrequested_burst,
            anytime=sum(command["type"] in unasked for command in commands),
        )
        if receipt.wake:
            context.wake(access.lobby.id)
        outcomes.require_accepted(access, submission, receipt)
        return receipt.status == "known"

    def read_result(self, access: GameAccess) -> CommandResult:
        """Its result."""
        log, game_id = access.context.store.log, access.lobby.id
        if self.listed:
            return log.outcomes(game_id, self.submission.id)
        return log.outcome(game_id, self.submission.id)

    def result_of(self, commits: Sequence[Stored]) -> CommandResult:
        """Its result, if these are the commits of its commands."""
        return [*commits, *[lists.LEFT] * (len(self.listed) - len(commits))] if self.listed else commits[0]

    def build_reply(self, access: GameAccess, result: CommandResult, headers: dict[str, str]) -> JsonReply:
        """The response to its sender. Raises as `outcomes.build_reply` and `list_outcomes.build_reply` do."""
        if result is None or isinstance(result, str | Stored):
            return outcomes.build_reply(access, self.submission, result, headers)
        return list_outcomes.build_reply(access, self.submission, result, headers)


def build_batch(
    credential: Credential,
    seat: Seat,
    body: dict[str, Any] | list[dict[str, Any]],
    id_: str,
    expected: Seq | None,
    tenure: Seq,
    by: str = "player",
) -> CommandBatch:
    """The command or list with this id, and what its sender had seen; ``tenure`` and ``by`` as in `Submission`."""
    commands = tuple(body) if isinstance(body, list) else ()
    first = body[0] if isinstance(body, list) else body
    return CommandBatch(Submission(id_, seat, first, 0, expected, credential.id, by, tenure, credential.via), commands)


def submit_and_wait(access: GameAccess, batch: CommandBatch, seconds: int | None, request: str) -> JsonReply:
    """Submit the commands of this request, wait so many seconds for the result, and return it.

    Raises the problems and refusals of commands that are not accepted, are refused, or whose result is no longer
    visible to the sender.
    """
    waited = pushed = False
    with _subscribe_to_result(access, batch, seconds) as expected:
        known = batch.submit(access, request, "" if expected is None else expected.channel)
        if known and expected is not None:
            expected.heed_news()
        result = batch.read_result(access) if known or expected is None else "pending"
        if expected is not None and is_pending(result):
            waited = True
            result, pushed = _await_result(access, batch, seconds or 0, expected, request)
    if pushed and access.context.store.replicas:
        # Results are pushed by any server; an acknowledged result is read and awaited where it is stored.
        result = batch.read_result(access)
    if waited:
        access = access.refresh_from_cache() if pushed else access.refresh()
    return batch.build_reply(access, result, preference_applied(seconds))


def _subscribe_to_result(
    access: GameAccess, batch: CommandBatch, seconds: int | None
) -> AbstractContextManager[PendingResult | None]:
    """For a sender who waits, the subscription to the result begins before the submission."""
    if not seconds:
        return nullcontext()
    return closing(access.context.store.news.expect(access.lobby.id, batch.ids))


def _await_result(
    access: GameAccess, batch: CommandBatch, seconds: float, expected: PendingResult, request: str
) -> tuple[CommandResult, bool]:
    """The result after waiting for it, and whether it was pushed. Otherwise it was read, which happens periodically."""
    until = time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        if left > 0:
            expected.wait(min(left, POLL_SECONDS))
        commits = expected.came()
        if commits is not None:
            return batch.result_of(commits), True
        result = batch.read_result(access)
        if result is None:
            # It was lost with a killed server before any client was told of it (`Log.submit`).
            batch.submit(access, request, expected.channel)
            result = batch.read_result(access)
        if left <= 0 or not is_pending(result):
            return result, False


def is_pending(result: CommandResult) -> bool:
    """Whether any of it is not settled yet."""
    return result == "pending" or (result is not None and not isinstance(result, str | Stored) and "pending" in result)


def lookup_result(log: Log, game_id: GameId, id_: str) -> CommandResult:
    """The result of a command or list with this id. None if there is neither."""
    outcome = log.outcome(game_id, id_)
    return log.outcomes(game_id, id_) if outcome == "list" else outcome
