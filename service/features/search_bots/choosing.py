"""A search bot's answer: read the game's position, try commands on imagined states, submit the chosen one.

Safe to run twice, late, or again after a kill: the submission has the same id as the store's at the time limit, so the
first one counts. A fallback bot answers when the time is up.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from domain import RELEASE
from domain.kernel.record import OpenQuestion, Position
from domain.kernel.terms import GameId, Seq
from domain.table import bots
from service.core.jobs import worker_context
from service.core.positions.cache import Positions
from service.core.positions.deadlines import due_id, thinker
from service.core.positions.game_config import GameConfig
from service.core.queue import Queue
from service.core.queue.compute import ComputeQueue
from service.ops.logging import logger
from service.ops.processes.alarm import Alarm, TooLong
from service.ops.settings import Settings
from service.store.ports.waiting import Due
from service.store.redis.store import Store
from service.store.shared.system import due_submission, question_of_due

TRIES = 3
"""Maximum searches for one answer, repeated when its seat has seen something new in between; then the last one counts."""

LOOK = 1.0
"""Seconds between two checks whether the question is still pending, to waste no time on it otherwise."""

log = logger("thinking")


class Dropped(BaseException):
    """The question is no longer pending. Not an `Exception`, so that no rule can catch it."""


def choose(game_id: str, due: str) -> str:
    """The job: answer a question to a search bot; returns the result as text, for the log.

    ``due`` is `service.store.ports.waiting.Due.question`. Does nothing if the question is no longer pending.
    """
    context = worker_context()
    thinking = Choosing(context.store, context.positions, context.queue, worths(context.settings))
    handler = signal.getsignal(signal.SIGALRM)
    alarm = Alarm(context.settings.search_seconds, LOOK, thinking.look)
    alarm.install()
    begun = time.monotonic()
    try:
        with alarm:
            return thinking.answer(GameId(game_id), due)
    except TooLong:
        log.warning("search_timed_out", game=game_id, question=due)
        return "too-long"  # the store has requested the fallback bot's answer
    finally:
        signal.signal(signal.SIGALRM, handler)
        _count_use(GameId(game_id), time.monotonic() - begun)


def _count_use(game_id: GameId, seconds: float) -> None:
    context = worker_context()
    try:
        facts = context.positions.get_config(game_id)
        if facts is not None:
            ComputeQueue(context.queue.connection).add_use(facts.creator, seconds)
    except Exception:  # the answer has been given; only the order of later moves depends on this
        log.warning("search_time_not_counted", game=game_id, exc_info=True)


def worths(settings: Settings) -> Mapping[str, int]:
    """Number of simulated commands for an answer, for each search bot."""
    return dict(
        zip(
            bots.THINKING,
            (settings.search_1_simulations, settings.search_2_simulations, settings.search_3_simulations),
            strict=True,
        )
    )


@dataclass(frozen=True, slots=True)
class _Found:
    facts: GameConfig
    position: Position
    asked: OpenQuestion
    bot: str

    @property
    def seen(self) -> Seq:
        """The last commit that showed something to the seat of the question."""
        return self.position.etag(self.asked.question.seat)


class Choosing:
    def __init__(self, store: Store, positions: Positions, queue: Queue, worths: Mapping[str, int]) -> None:
        self._store, self._positions, self._queue, self._worths = store, positions, queue, worths
        self._about: tuple[GameId, str] | None = None
        """The current game and question."""

    def answer(self, game_id: GameId, due: str) -> str:
        found = self._found(game_id, due)
        for _ in range(TRIES):
            if found is None:
                return "answered"
            try:
                self._about = game_id, due
                thought, seen = self._thought(found), found.seen
            except Dropped:
                return "dropped"
            finally:
                self._about = None
            found = self._found(game_id, due)
            if found is not None and found.seen == seen:
                break
        if found is None:
            return "answered"
        return self._submit(found, due, thought)

    def look(self) -> None:
        """Raise `Dropped` if the current question is no longer pending; if that cannot be read, continue."""
        if self._about is None:
            return
        with suppress(Exception):
            if self._found(*self._about) is not None:
                return
            raise Dropped

    def _found(self, game_id: GameId, due: str) -> _Found | None:
        """The question, if it is pending and a bot still has to answer it by search."""
        known = self._positions.load_started(game_id)
        if known is None:
            return None
        facts, cached = known
        asked = cached.position.question(question_of_due(due))
        if cached.position.over or asked is None or due_id(asked) != due:
            return None
        bot = thinker(cached.position, asked)
        return None if bot is None else _Found(facts, cached.position, asked, bot)

    def _thought(self, found: _Found) -> Mapping[str, Any]:
        """The chosen command, as fields of `domain.kernel.lifecycle.Act`.

        Empty if the rules fail: then the fallback bot answers.
        """
        seat, worth = found.asked.question.seat, self._worths[found.bot]
        # By the commit that asked, and not by the end of the log, so that a repeated search gives the same result.
        since = found.asked.moved or int(found.asked.id.partition(":")[0])
        dice = found.facts.chance.aside(f"thought {seat} ", since)
        try:
            choice = bots.choose(found.facts.game, found.bot, found.position.state, seat, dice, worth)
        except Exception:
            log.exception("search_failed", game=found.facts.id, seq=found.position.seq, bot=found.bot)
            return {}
        return {"choice": choice, "bot": found.bot, "release": RELEASE, "worth": worth, "moved": found.asked.moved}

    def _submit(self, found: _Found, due: str, thought: Mapping[str, Any]) -> str:
        game_id = found.facts.id
        document = due_submission(game_id, Due(0, due, "think"))
        command = {**document["command"], **thought}
        receipt = self._store.log.submit(game_id, {**document, "command": command}, document["id"])
        if receipt.wake:
            self._queue.wake(self._store.schedule.partition(game_id))
        return receipt.status
