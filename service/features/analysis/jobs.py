"""The analysis of a finished game or a sandbox, in pieces: each job analyzes some moments, and enqueues the next job.

A killed job loses only its current piece; the next one continues there. Two jobs for the same moments find the same,
and the second result is dropped.
"""

from __future__ import annotations

import signal
import time
from functools import partial
from math import inf

from domain.kernel.terms import GameId
from service.core.history.lines import decode_commit, reveal_events
from service.core.history.narration import Narrator
from service.core.jobs import worker_context
from service.core.positions.game_config import GameConfig, load_game_config
from service.core.queue.compute import ANALYSES, ComputeJob, ComputeQueue, plain_id
from service.features.analysis.evaluation import evaluate_moment
from service.features.analysis.moments import ReplayedGame, TooManyCommits, Unfinished, replay_game
from service.features.analysis.report import build_report
from service.features.analysis.storage import StoredAnalysis
from service.features.analysis.words import describe_command
from service.ops.logging import logger
from service.ops.processes import alarm
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store

SECONDS = 2.0
"""Seconds after which a job leaves the rest to the next one, because bots in running games wait behind it."""

MOST = 120.0
"""CPU seconds for one moment, some ten times the longest known: stops endless rules."""

LOOK = 1.0
"""Seconds between two checks of the CPU time."""

TIMES = 30
"""Times, a minute apart, that an analysis without progress is resumed before it is given up: it may kill its workers."""

log = logger("analysing")


def analysis_job(game_id: GameId, level: int, first: int) -> ComputeJob:
    """The job that analyzes a game from the moment with this index on."""
    id_ = f"analysis-{plain_id(f'{game_id} {level} {first}')}"
    return ComputeJob(id_, ANALYSES, f"{__name__}.{analyse.__name__}", (game_id, level, first))


def analyse(game_id: str, level: int, first: int) -> str:
    """The job: analyze some moments of the game from this index on; returns its progress as text, for the log."""
    context = worker_context()
    handler = signal.getsignal(signal.SIGALRM)
    try:
        reached = _Piece(context.store, GameId(game_id), level).look_on(SECONDS)
    finally:
        signal.signal(signal.SIGALRM, handler)
    if reached is None:
        return "done"
    ComputeQueue(context.queue.connection).enqueue([analysis_job(GameId(game_id), level, reached)])
    return f"{first} to {reached}"


def pick_up_analyses() -> int:
    """The minutely job: resume analyses without a worker; returns how many."""
    context = worker_context()
    return pick_up(context.store, ComputeQueue(context.queue.connection))


def pick_up(store: Store, queue: ComputeQueue) -> int:
    """Enqueue unfinished analyses without a job: a worker was killed, or the queue was lost; returns how many."""
    picked_up = 0
    for kept in StoredAnalysis.list_unfinished(store.notes, store.schedule.now):
        done, _ = kept.count_done()
        if not queue.enqueue([analysis_job(kept.game_id, kept.level, done)]):
            continue
        if kept.count_resumption() > TIMES:
            kept.fail("The worker stopped before the analysis was finished.")
            log.error("analysis_abandoned", game=kept.game_id, level=kept.level, moment=done)
        else:
            picked_up += 1
    return picked_up


class _Piece:
    def __init__(self, store: Store, game_id: GameId, level: int) -> None:
        self._store, self._game, self._level = store, game_id, level
        self._kept = StoredAnalysis(store.notes, store.schedule.now, game_id, level)
        self._until = inf
        """CPU seconds of this process at which the current moment has taken too long."""

    def look_on(self, seconds: float) -> int | None:
        """Analyze for so long, at least one moment.

        Returns the index of the next one, None if there is nothing more to do.
        """
        progress = self._kept.get_progress()
        if progress is None or progress.status != "under-way":
            return None
        try:
            return self._looked(seconds, progress.upto)
        except (TooManyCommits, Unfinished) as error:
            self._kept.fail(str(error))
        except alarm.TooLong:
            log.warning("analysis_timed_out", game=self._game, level=self._level)
            self._kept.fail("The analysis of one moment took too long.")
        except StoreDown:
            raise
        except Exception:
            log.exception("analysis_failed", game=self._game, level=self._level)
            self._kept.fail("The rules failed during the analysis.")
        return None

    def _looked(self, seconds: float, upto: int | None) -> int | None:
        facts, walk = self._walked(upto)
        first, _ = self._kept.count_done()
        until, found = time.monotonic() + seconds, []
        # By CPU time, because a process with low priority may wait for long.
        timer = alarm.Alarm(inf, LOOK, self._look_up)
        timer.install()
        for moment in walk.moments[first:]:
            self._until = time.process_time() + MOST
            with timer:
                found.append(evaluate_moment(walk, moment, self._level))
            if time.monotonic() > until:
                break
        if found:
            self._kept.add(first, found, len(walk.moments), upto)
        reached, _ = self._kept.count_done()
        if reached < len(walk.moments):
            return reached
        tell, words = partial(self._happened, facts), partial(describe_command, walk.game)
        goes_on = not walk.moments or walk.moments[-1].outcome is None
        found = self._kept.load_results()[: len(walk.moments)]
        document = build_report(walk, found, self._level, tell, words)
        self._kept.finish(document, len(walk.moments), upto, goes_on=goes_on)
        return None

    def _look_up(self) -> None:
        if time.process_time() > self._until:
            raise alarm.TooLong

    def _walked(self, upto: int | None) -> tuple[GameConfig, ReplayedGame]:
        facts = load_game_config(self._store, self._game)
        if facts is None:
            raise Unfinished("the game does not exist or has not started")
        commits = (decode_commit(facts.game, each) for each in self._store.log.commits(self._game, 1, upto))
        return facts, replay_game(facts.game, self._game, commits)

    def _happened(self, facts: GameConfig, seq: int) -> str:
        """Description of a commit's events, as the seat that acted may read it; without names."""
        commit = decode_commit(facts.game, next(iter(self._store.log.commits(self._game, seq, seq))))
        told, narrator = (
            list(reveal_events(facts.game.knowledge, commit, commit.seat or None)),
            Narrator(facts.game, {}),
        )
        return narrator.write_paragraph(told) or " ".join(map(narrator.narrate, told))
