"""What is sent in one request, a command or a list of them: how the store takes it in, and what it has come to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Response

from domain.play.record import Submission
from domain.terms import GameId
from service.api.access import list_outcomes, outcomes
from service.api.access.auth import GameAccess
from service.api.http.request_ids import request_id
from service.store.codec import canonical, encode_submission
from service.store.ports.commits import Stored
from service.store.ports.log import Log
from service.store.ports.waiting import TELL
from service.store.shared import lists

Came = Stored | str | Sequence[Stored | str] | None
"""What a command has come to (`Log.outcome`), or each of a list (`Log.outcomes`)."""


@dataclass(frozen=True, slots=True)
class Sending:
    """Commands of a seat that were sent together."""

    submission: Submission
    """Of a list: its first command, under the id of the list."""
    listed: tuple[Mapping[str, Any], ...] = ()
    """The whole list; empty for a command that was sent alone."""

    @property
    def ids(self) -> Sequence[str]:
        """The ids of the submissions that it becomes, one after the other."""
        id_ = self.submission.id
        return [lists.place_id(id_, place) for place in range(len(self.listed))] if self.listed else [id_]

    def hand_in(self, access: GameAccess, channel: str = "") -> bool:
        """Hand it to the store and wake a worker; whether it was sent before.

        ``channel`` is where its outcome is waited for.

        Raises the problem of what is not accepted.
        """
        context, submission = access.context, self.submission
        said = self.listed or (submission.command,)
        told = lists.first_of(submission.id, submission.seat, said, submission.expected, submission.credential)
        waits = {TELL: channel} if channel else {}
        receipt = context.store.log.submit(
            access.lobby.id,
            {**(told if self.listed else encode_submission(submission)), "request": request_id(), **waits},
            hashlib.sha256(canonical([submission.seat, self.listed or submission.command])).hexdigest(),
            refusals=context.settings.refusals,
            unasked=context.settings.unasked,
            anytime=sum(command["type"] in access.rules.unasked for command in said),
        )
        if receipt.wake:
            context.wake(access.lobby.id)
        outcomes.require_accepted(access, submission, receipt)
        return receipt.status == "known"

    def came(self, access: GameAccess) -> Came:
        """What it has come to."""
        log, game_id = access.context.store.log, access.lobby.id
        if self.listed:
            return log.outcomes(game_id, self.submission.id)
        return log.outcome(game_id, self.submission.id)

    def told(self, commits: Sequence[Stored]) -> Came:
        """What it has come to, where these are the commits of what was tried of it."""
        return [*commits, *[lists.LEFT] * (len(self.listed) - len(commits))] if self.listed else commits[0]

    def answer(self, access: GameAccess, came: Came, headers: dict[str, str]) -> Response:
        """The answer to who sent it; raises as `outcomes.sent` and `list_outcomes.sent` do."""
        if came is None or isinstance(came, str | Stored):
            return outcomes.sent(access, self.submission, came, headers)
        return list_outcomes.sent(access, self.submission, came, headers)


def is_pending(came: Came) -> bool:
    """Whether any of it is yet to be settled."""
    return came == "pending" or (came is not None and not isinstance(came, str | Stored) and "pending" in came)


def came_to(log: Log, game_id: GameId, id_: str) -> Came:
    """What a command or a list with this id has come to; None if there is neither."""
    outcome = log.outcome(game_id, id_)
    return log.outcomes(game_id, id_) if outcome == "list" else outcome
