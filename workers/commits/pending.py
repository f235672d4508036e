"""The queue of a game's commands: those in its stream, and those that the commits of a pass make due or let follow.

The store adds the latter to the end of the stream, with the commits that cause them. As long as no other command can
have arrived, a worker knows them without reading, and settles them in the same pass; the store checks that none has
arrived.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from contextlib import suppress
from typing import Any

from domain.kernel.terms import SYSTEM, GameId
from service.core.followers.follower import CommitStep
from service.core.positions.cache import CachedPosition
from service.core.positions.game_config import GameConfig
from service.ops.processes.alarm import TooLong
from service.store.ports.commits import Append, Rows
from service.store.ports.waiting import REQUEST, Work
from service.store.shared import lists
from service.store.shared.system import due_submission, seat_of_due
from workers.commits.settling import Settling


class PendingCommands:
    """The commands of one game in the order in which they are settled.

    ``ahead`` allows commands that were never in the stream; ``spoiled`` are games and ids of commands that are settled
    only after they were read from it.
    """

    def __init__(self, work: Work, *, ahead: bool, spoiled: Container[tuple[GameId, str]] = ()) -> None:
        self._game = work.game_id
        self._pending: list[lists.Entry] = list(work.pending)
        self._known = {document["id"] for _, document in work.pending}
        self._ahead, self._spoiled = ahead, spoiled
        self._settled, self._over = False, False
        self._held: set[str] = set()
        """Deadlines that had passed when a seat was asked: only the store knows whether a follower answers first."""
        self.waited = tuple(entry for entry, _ in work.pending)
        """The entries that were read."""

    def first(self) -> lists.Entry | None:
        """The next command, if the worker can know it: its entry ('' if it was never in the stream) and document."""
        if not self:
            return None
        entry, document = self._pending[self._place()]
        if self._ahead:
            return None if not entry and self._must_be_read(document) else (entry, document)
        # Commands may be before it that are unknown here, caused by earlier commits.
        return None if not entry or (self._settled and lists.goes_on(document)) else (entry, document)

    def put_off(self) -> set[str]:
        """Questions whose deadlines are put off by commands behind the first: these must not pass before."""
        first = self._place()
        return {
            document["command"]["question"]
            for place, (_, document) in enumerate(self._pending)
            if place != first and document["seat"] == SYSTEM and document["command"]["type"] == "put_off"
        }

    def settled(self, append: Append) -> None:
        """Replace the first command by those that its commit makes due or lets follow."""
        del self._pending[self._place()]
        self._settled = True
        if append.over:
            # Lists that would have continued still get an outcome.
            self._over = True
            self._pending = [each for each in self._pending if not each[0] and each[1]["seat"] != SYSTEM]
            return
        at = append.sealed.at
        caused = {REQUEST: append.request} if append.request else {}
        for due in append.due:
            document = due_submission(self._game, due)
            if due.when <= at and document["id"] not in self._known:
                self._known.add(document["id"])
                if due.what == "expire" and seat_of_due(due.question) != SYSTEM:
                    self._held.add(document["id"])
                self._pending.append(("", {**document, "asked_at": at, **caused}))
        if append.follows is not None:
            self._pending.append(("", {**append.follows, "asked_at": at}))

    def left(self, last: Append) -> tuple[Mapping[str, Any], ...]:
        """The commands that commits before the last one caused and that no commit settles."""
        own = None if last.follows is None else last.follows["id"]
        return tuple(
            {name: value for name, value in document.items() if name != "asked_at"}
            for entry, document in self._pending
            if not entry and document["id"] != own
        )

    def __bool__(self) -> bool:
        return bool(self._pending) and not self._over

    @property
    def goes_on(self) -> bool:
        """Whether SYSTEM has a command to submit at once, to the worker's knowledge."""
        return any(
            not entry and document["seat"] == SYSTEM and not self._must_be_read(document)
            for entry, document in self._pending
        )

    def _must_be_read(self, document: Mapping[str, Any]) -> bool:
        """Whether a command that was never in the stream may be settled only after it was read from there."""
        return document["id"] in self._held or (self._game, document["id"]) in self._spoiled

    def _place(self) -> int:
        # Commands that were never in the stream come after all that were read, so the order of the others is
        # unaffected.
        return lists.first_in_turn(self._pending)


class Settled:
    """The commits of a pass for one game: ``joined`` in one call, or each in its own."""

    def __init__(self, line: PendingCommands, *, joined: bool) -> None:
        self.line, self.joined = line, joined
        self.appends: list[Append] = []
        self.steps: list[CommitStep] = []
        """The commits of the appends, with the positions before and after them."""
        self.rows: Rows | None = None
        """The rows after the last commit, if they were not computed with it."""
        self.whole = True
        """Whether the worker may continue the game."""
        self._read: tuple[int, CachedPosition, tuple[Mapping[str, Any], ...]] | None = None
        """Number of commits, position and `PendingCommands.left` before the first command that was never in the stream."""

    def add(self, append: Append, before: CachedPosition, step: CommitStep) -> None:
        """Add the commit of the first command; ``before`` is the position before it."""
        if not append.entry and self._read is None:
            self._read = len(self.appends), before, self.line.left(self.appends[-1])
        self.appends.append(append)
        self.steps.append(step)
        self.line.settled(append)

    def close(self, settling: Settling, *, signed: bool, done: bool) -> None:
        """End the pass: the last commit describes the state after all of them."""
        last = self.appends[-1]
        left = self.line.left(last) if self.joined else ()
        rows = last.rows if self.rows is None else self.rows
        self.appends[-1] = settling.last(last, rows, left, self.line.waited, signed=signed, done=done)

    def cut(self, settling: Settling, facts: GameConfig | None) -> CachedPosition:
        """Drop the commits from the first command that was never in the stream on; returns the position before them."""
        assert self._read is not None
        count, stands, left = self._read
        del self.appends[count:], self.steps[count:]
        last = self.appends[-1]
        rows = last.rows
        if rows is None and facts is not None:
            with suppress(Exception, TooLong):  # without rows, the next reader computes them
                rows = settling.rows(facts, stands.position, last.sealed.seq, watched=False)
        self.appends[-1] = settling.last(last, rows, left, (), signed=True, done=False)
        return stands
