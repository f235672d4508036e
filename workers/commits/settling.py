"""Turns one submission into its sealed commit, with everything that is written together with it."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.kernel.errors import AlreadyAnswered, RulesFault
from domain.kernel.record import Clock, Commit, PastNotKept, Position, Submission
from domain.kernel.terms import SYSTEM, GameId, Seq
from domain.registry import GAMES
from domain.table import features
from domain.table.settle import refuse, settle
from service.core import tracing
from service.core.followers.follower import CommitStep
from service.core.positions.cache import SNAPSHOT_EVERY, CachedPosition
from service.core.positions.deadlines import RESUBMITTED, due_of
from service.core.positions.game_config import GameConfig
from service.core.positions.rows import build_parts, build_rows
from service.core.tracing import Span
from service.ops.logging import detailed, logger
from service.ops.metrics.catalogue import ACCEPTED, DECIDED, FAULT, REFUSED
from service.ops.processes.alarm import Alarm
from service.store.codec import decode_submission, undecoded_submission
from service.store.ports.commits import Append, Rows
from service.store.ports.waiting import request_of, waiting_for
from service.store.reading.snapshots import seal_snapshot
from service.store.seal import Signer, seal
from service.store.shared import lists
from workers.commits.plan_checks import pauses
from workers.commits.search_answers import Nobody, Thinking, note_answer, to_think_over

PATIENCE = 5.0
"""Maximum seconds to settle one submission."""

log = logger("advance")


class NotAhead(Exception):
    """A command that was never in the stream caused a fault.

    It is settled after it was read from the stream, so that the faulty command is certain.
    """


class Settling:
    """Settles submissions one by one, each within the time limit, and signs the heads."""

    def __init__(self, signer: Signer, patience: float = PATIENCE, thinking: Thinking | None = None) -> None:
        self._signer = signer
        self._thinking = thinking or Nobody()
        self._alarm = Alarm(patience)
        for kind in GAMES:
            DECIDED.expect(
                kind, FAULT
            )  # create the counter, because alerts miss the first fault of a counter that did not exist

    def install(self) -> None:
        self._alarm.install()

    def one(
        self,
        facts: GameConfig,
        clock: Clock,
        cached: CachedPosition,
        entry: str,
        document: Mapping[str, Any],
        at: int,
        put_off: Collection[str],
        *,
        unseen: bool,
        shown: bool = True,
        watched: bool = False,
        joined: bool = False,
    ) -> tuple[Append, CommitStep, CachedPosition]:
        """The commit of one submission for the game at ``cached``, and the game's position after it.

        Every error of the rules becomes a commit: a refusal ``rules-fault``. Raises `TooLong`, `NotAhead` for a
        submission without an entry, and `PastNotKept` as `settle` does. ``put_off``: questions whose deadlines later
        submissions put off; ``unseen``: refuse the command without running it; ``shown``: compute the rows now, with
        failures as faults of the rules, instead of once for several commits (`rows`); ``watched``: include the changed
        views, because a client reads them; ``joined``: as in `Append`.
        """
        before, submission, began = cached.position, undecoded_submission(document), time.perf_counter()
        at = max(at, submission.asked_at)  # the store's clock may have been set back since
        try:
            if unseen:
                raise RulesFault("The rules failed on this command again and again.")
            with self._alarm:
                submission = decode_submission(facts.game, document)
                commit, after = settle(facts.game, before, submission, at, facts.chance, clock)
                append, cached_after = self._append(
                    facts,
                    cached,
                    (entry, document),
                    commit,
                    after,
                    put_off,
                    shown=shown,
                    watched=watched,
                    joined=joined,
                )
        except PastNotKept:
            raise
        except Exception as error:  # noqa: BLE001 - what cannot be shown or sealed is a fault of the rules as well
            violation = error if isinstance(error, RulesFault) else RulesFault("The rules failed on this command.")
            commit, after = refuse(before, submission, at, violation, facts.game.release)
            commit = replace(commit, fault=error)
            append, cached_after = self._append(
                facts, cached, (entry, document), commit, after, put_off, shown=shown, watched=watched, joined=joined
            )
        if not entry and (append.stalled or commit.fault is not None):
            raise NotAhead
        came = FAULT if commit.fault is not None else ACCEPTED if commit.refusal is None else REFUSED
        DECIDED.note(took := time.perf_counter() - began, facts.game.key, came)
        if tracing.is_on():
            about = {"game": facts.id, "seq": commit.seq, "kind": facts.game.key, "result": came}
            tracing.record(Span("settle", append.request, "consumer", took, about, failed=commit.fault is not None))
        note_answer(before, commit)
        if detailed():
            _log_decided(append, commit, came, took)
        if append.stalled:
            about = {"submission": submission.id, "request_id": append.request}
            log.error("game_stalled", game=facts.id, seq=commit.seq, refusal=commit.refusal, **about)
        if commit.fault is not None:
            _log_fault(facts.id, commit, append.request)
        return append, CommitStep(before, commit, cached_after.position), cached_after

    def have_thought_over(self, newest: Sequence[Append]) -> None:
        """Send the new questions of these commits, the newest of their games, to search workers."""
        if asked := to_think_over(newest, self._thinking.patience):
            self._thinking.ask(asked)

    def rows(self, facts: GameConfig, after: Position, since: Seq, *, watched: bool) -> Rows:
        """The rows of a position, for commits settled without ``shown``, with views that have changed after ``since``.

        Raises `TooLong`, and any error of the rules.
        """
        with self._alarm:
            return self._rows(facts, after, since, watched=watched)

    def _rows(self, facts: GameConfig, after: Position, since: Seq, *, watched: bool) -> Rows:
        # Computed even without readers: a view that fails is a fault of the rules.
        parts = build_parts(facts.game, after, since)
        return build_rows(facts.game, after, parts=parts if watched else {})

    def last(
        self,
        append: Append,
        rows: Rows | None,
        left: Sequence[Mapping[str, Any]],
        waited: Sequence[str],
        *,
        signed: bool,
        done: bool,
    ) -> Append:
        """The last commit of a game in a batch: only this one has rows and a signed head, and may release the game."""
        if signed and rows is not None:
            rows = replace(rows, signature=self._signer.sign(append.sealed.head), key_id=self._signer.key_id)
        return replace(append, rows=rows, done=done, left=tuple(left), waited=tuple(waited))

    def _append(
        self,
        facts: GameConfig,
        cached: CachedPosition,
        pending: tuple[str, Mapping[str, Any]],
        commit: Commit,
        after: Position,
        put_off: Collection[str],
        *,
        shown: bool,
        watched: bool,
        joined: bool,
    ) -> tuple[Append, CachedPosition]:
        before, submission, refusal = cached.position, commit.submission, commit.refusal
        sealed = seal(facts.id, commit, before.head, facts.seed, last=after.over)
        after = after.on(sealed.head)
        rows = self._rows(facts, after, before.seq, watched=watched) if shown else None
        stalled = refusal is not None and refusal.code != AlreadyAnswered.code and _is_owed(submission)
        given_up = {*put_off, submission.command.get("question", "")} if stalled else put_off
        ends = refusal is not None or after.over or pauses(facts.game, pending[1], before, after)
        save = cached.unsaved + 1 >= SNAPSHOT_EVERY
        append = Append(
            facts.id,
            before.seq,
            sealed,
            pending[0],
            submission,
            refusal is not None,
            rows,
            due_of(after, given_up, self._thinking.patience),
            after.over,
            stalled,
            refusal is None and submission.id.startswith(RESUBMITTED),
            seal_snapshot(facts.seed, after) if save else None,
            None if ends else lists.next_of(pending[1], after.etag(submission.seat)),
            waiting_for(pending[1]),
            joined=joined,
            request=request_of(pending[1]),
        )
        return append, CachedPosition(after, 0 if save else cached.unsaved + 1)


def _is_owed(submission: Submission) -> bool:
    """Whether the game cannot continue without it: SYSTEM's own commands, except those that a player asked for."""
    return submission.seat == SYSTEM and submission.command.get("type") not in features.ASKED_FOR


def _log_decided(append: Append, commit: Commit, came: str, took: float) -> None:
    log.debug(
        "command_decided",
        game=append.game_id,
        seq=commit.seq,
        submission=commit.submission.id,
        request_id=append.request,
        seat=commit.submission.seat,
        command=commit.submission.command.get("type"),
        result=came,
        refusal=None if commit.refusal is None else commit.refusal.code,
        duration_ms=round(1000 * took, 1),
    )


def _log_fault(game_id: GameId, commit: Commit, request: str) -> None:
    command = commit.submission.command.get("type")  # not its content: a line or a bet is a secret
    log.error(
        "rules_fault",
        game=game_id,
        seq=commit.seq,
        submission=commit.submission.id,
        command=command,
        request_id=request,
        exc_info=commit.fault,
    )
