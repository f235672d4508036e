"""What is sent in one request, a command or a list of them: how the store takes it in, and what it has come to."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from typing import Any

from domain.play.parts import around
from domain.play.record import Submission
from domain.terms import GameId, Seat, Seq
from service.api.access import list_outcomes, outcomes
from service.api.access.auth import GameAccess
from service.api.http.answers import Told, preference_applied
from service.store.codec import canonical, encode_submission, spoken
from service.store.ports.accounts import Credential
from service.store.ports.commits import Stored
from service.store.ports.waiting import REQUEST, TELL
from service.store.redis.log.log import Log
from service.store.shared import lists
from service.store.shared.news_board import Expected

LOOK = 1.0
"""Seconds between two looks at the log, should the news be lost that tell what a command has come to."""

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

    def hand_in(self, access: GameAccess, request: str, channel: str = "") -> bool:
        """Hand it to the store and wake a worker; whether it was sent before.

        ``request`` is the name of the request that it came in, ``channel`` where its outcome is waited for.

        Raises the problem of what is not accepted.
        """
        context, submission, unasked = access.context, self.submission, (*access.rules.unasked, *around.UNASKED)
        said = self.listed or (submission.command,)
        document = (
            {
                **lists.first_of(submission.id, submission.seat, said, submission.expected, submission.credential),
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
            refusals=context.settings.refusals,
            unasked=context.settings.unasked,
            anytime=sum(command["type"] in unasked for command in said),
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

    def answer(self, access: GameAccess, came: Came, headers: dict[str, str]) -> Told:
        """The answer to who sent it; raises as `outcomes.sent` and `list_outcomes.sent` do."""
        if came is None or isinstance(came, str | Stored):
            return outcomes.sent(access, self.submission, came, headers)
        return list_outcomes.sent(access, self.submission, came, headers)


def sending_of(
    credential: Credential,
    seat: Seat,
    said: dict[str, Any] | list[dict[str, Any]],
    id_: str,
    expected: Seq | None,
    tenure: Seq,
    by: str = "player",
) -> Sending:
    """What was said, a command or a list, under this id, with what its sender had seen; ``tenure`` and ``by`` as in `Submission`."""
    commands = tuple(said) if isinstance(said, list) else ()
    first = said[0] if isinstance(said, list) else said
    return Sending(Submission(id_, seat, first, 0, expected, credential.id, by, tenure), commands)


def sent(access: GameAccess, sending: Sending, seconds: int | None, request: str) -> Told:
    """Hand in what was sent, in this request, wait so many seconds for what it comes to, and tell that.

    Raises the problems and refusals of what is not accepted, was refused, or is not the sender's to know any more.
    """
    waited = told = False
    with _expected(access, sending, seconds) as expected:
        known = sending.hand_in(access, request, "" if expected is None else expected.channel)
        if known and expected is not None:
            expected.heed_news()
        came = sending.came(access) if known or expected is None else "pending"
        if expected is not None and is_pending(came):
            waited = True
            came, told = _within(access, sending, seconds or 0, expected, request)
    if told and access.context.store.replicas:
        # News come from whoever is heard: what is acknowledged stands where it is looked for, and is waited for there.
        came = sending.came(access)
    if waited:
        access = access.as_believed() if told else access.renewed()
    return sending.answer(access, came, preference_applied(seconds))


def _expected(access: GameAccess, sending: Sending, seconds: int | None) -> AbstractContextManager[Expected | None]:
    """For a sender who waits, what it comes to is expected from before it is submitted."""
    if not seconds:
        return nullcontext()
    return closing(access.context.store.news.expect(access.lobby.id, sending.ids))


def _within(
    access: GameAccess, sending: Sending, seconds: float, expected: Expected, request: str
) -> tuple[Came, bool]:
    """What it has come to, after waiting so long for it, and whether that was told; else it was read, as is done now and then."""
    until = time.monotonic() + seconds
    while True:
        left = until - time.monotonic()
        if left > 0:
            expected.wait(min(left, LOOK))
        told = expected.came()
        if told is not None:
            return sending.told(told), True
        came = sending.came(access)
        if came is None:
            # It went with a server that has been killed before anybody was told of it (`Log.submit`).
            sending.hand_in(access, request, expected.channel)
            came = sending.came(access)
        if left <= 0 or not is_pending(came):
            return came, False


def is_pending(came: Came) -> bool:
    """Whether any of it is yet to be settled."""
    return came == "pending" or (came is not None and not isinstance(came, str | Stored) and "pending" in came)


def came_to(log: Log, game_id: GameId, id_: str) -> Came:
    """What a command or a list with this id has come to; None if there is neither."""
    outcome = log.outcome(game_id, id_)
    return log.outcomes(game_id, id_) if outcome == "list" else outcome
