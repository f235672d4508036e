"""A bot's answer, thought over: read how the game stands, try commands on imagined states, submit the one that is chosen.

Done twice, late, or by one that is killed and its successor, it comes to one answer: the submission has the id that the store
would give it if nobody thought, and whoever is first has answered. A stand-in does when the time is up.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from domain import RELEASE
from domain.play import bots
from domain.play.record import Asked, Position
from domain.terms import GameId, Seq
from service.process.logs import logger
from service.projections.positions.cache import Positions
from service.projections.positions.facts import Facts
from service.queue import Queue
from service.queue.compute import ComputeQueue
from service.settings import Settings
from service.store.ports.waiting import Due
from service.store.redis.store import Store
from service.store.shared.system import due_submission, question_of_due
from workers.commits.alarm import Alarm, TooLong
from workers.commits.thought import due_id, thinker
from workers.process import worker_context

TRIES = 3
"""How often an answer is thought over anew because its seat has seen something meanwhile; then the last one is given."""

LOOK = 1.0
"""Seconds between two looks whether the question still stands: who thinks about one that does not takes the time of others."""

log = logger("thinking")


class Dropped(BaseException):
    """What is thought about is not asked any more. No `Exception`, so that no rule can catch it."""


def choose(game_id: str, due: str) -> str:
    """The job: answer what a bot that thinks is asked; what came of it, in a word, for the log.

    ``due`` is `service.store.ports.waiting.Due.question`. Nothing happens where the question does not stand any more.
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
        return "too-long"  # the stand-in has been asked by the store
    finally:
        signal.signal(signal.SIGALRM, handler)
        _count_use(GameId(game_id), time.monotonic() - begun)


def _count_use(game_id: GameId, seconds: float) -> None:
    context = worker_context()
    try:
        facts = context.positions.facts(game_id)
        if facts is not None:
            ComputeQueue(context.queue.connection).add_use(facts.creator, seconds)
    except Exception:  # the answer has been given; only the order of later moves depends on this
        log.warning("search_time_not_counted", game=game_id, exc_info=True)


def worths(settings: Settings) -> Mapping[str, int]:
    """How many commands each of the bots that think imagines for an answer."""
    return dict(
        zip(
            bots.THINKING,
            (settings.search_1_simulations, settings.search_2_simulations, settings.search_3_simulations),
            strict=True,
        )
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A question that a bot is to think about."""

    facts: Facts
    position: Position
    asked: Asked
    bot: str

    @property
    def seen(self) -> Seq:
        """The last commit that showed something to the seat that is asked."""
        return self.position.etag(self.asked.question.seat)


class Choosing:
    """Thinks for bots, one answer after another."""

    def __init__(self, store: Store, positions: Positions, queue: Queue, worths: Mapping[str, int]) -> None:
        self._store, self._positions, self._queue, self._worths = store, positions, queue, worths
        self._about: tuple[GameId, str] | None = None
        """What is being thought about just now."""

    def answer(self, game_id: GameId, due: str) -> str:
        """See `choose`."""
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
        """Raises `Dropped` if what is being thought about is not asked any more; what cannot be read is asked as far as is known."""
        if self._about is None:
            return
        with suppress(Exception):
            if self._found(*self._about) is not None:
                return
            raise Dropped

    def _found(self, game_id: GameId, due: str) -> _Found | None:
        """The question as it stands now, if a bot is still to think about it."""
        known = self._positions.started(game_id)
        if known is None:
            return None
        facts, cached = known
        asked = cached.position.question(question_of_due(due))
        if cached.position.over or asked is None or due_id(asked) != due:
            return None
        bot = thinker(cached.position, asked)
        return None if bot is None else _Found(facts, cached.position, asked, bot)

    def _thought(self, found: _Found) -> Mapping[str, Any]:
        """What the bot has chosen, as fields of `domain.play.table.Act`; nothing where its rules break: then its stand-in answers."""
        seat, worth = found.asked.question.seat, self._worths[found.bot]
        # By the commit that asked, and not by how far the log has come: thought over twice it comes to the same.
        since = found.asked.moved or int(found.asked.id.partition(":")[0])
        dice = found.facts.chance.aside(f"thought {seat} ", since)
        try:
            choice = bots.choose(found.facts.rules, found.bot, found.position.state, seat, dice, worth)
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
