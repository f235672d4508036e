"""What stands in line in a game: what waits in its stream, and what the commits of a pass make due at once or let follow.

The store puts the latter at the end of the stream, with the commits that are the cause of it. As long as nothing else can have
come in, a worker knows that without having read it, and settles it in the same pass; the store looks whether nothing has.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from contextlib import suppress
from typing import Any

from domain.terms import SYSTEM, GameId
from service.projections.positions.cache import CachedPosition
from service.projections.positions.facts import Facts
from service.store.ports.commits import Append, Rows
from service.store.ports.waiting import REQUEST, Work
from service.store.shared import lists
from service.store.shared.system import due_submission, seat_of_due
from workers.commits.alarm import TooLong
from workers.commits.settling import Settling


class Line:
    """The commands of one game in the order in which they are settled.

    ``ahead`` allows what never stood in the stream; ``spoiled`` are games and ids of
    what is only settled when it has been read there.
    """

    def __init__(self, work: Work, *, ahead: bool, spoiled: Container[tuple[GameId, str]] = ()) -> None:
        self._game = work.game_id
        self._pending: list[lists.Entry] = list(work.pending)
        self._known = {document["id"] for _, document in work.pending}
        self._ahead, self._spoiled = ahead, spoiled
        self._settled, self._over = False, False
        self._held: set[str] = set()
        """The deadlines of players that were up when they were asked: the store knows whether a plan of theirs comes first."""
        self.waited = tuple(entry for entry, _ in work.pending)
        """The entries that were read."""

    def first(self) -> lists.Entry | None:
        """Who is next, as long as a worker may know it: the entry ('' for what never stood in the stream) and the document."""
        if not self:
            return None
        entry, document = self._pending[self._place()]
        if self._ahead:
            return None if not entry and self._must_be_read(document) else (entry, document)
        # Of what the commits before it have let come more may stand before it than is known here.
        return None if not entry or (self._settled and lists.goes_on(document)) else (entry, document)

    def put_off(self) -> set[str]:
        """The questions whose deadlines are put off by those who stand behind the first: they must not pass before."""
        first = self._place()
        return {
            document["command"]["question"]
            for place, (_, document) in enumerate(self._pending)
            if place != first and document["seat"] == SYSTEM and document["command"]["type"] == "put_off"
        }

    def settled(self, append: Append) -> None:
        """The first one has come to this commit, and others stand in line because of it."""
        del self._pending[self._place()]
        self._settled = True
        if append.over:
            # Of lists it is still to be said that they would have gone on.
            self._over = True
            self._pending = [each for each in self._pending if not each[0] and each[1]["seat"] != SYSTEM]
            return
        at = append.sealed.at
        players = {seat for seat, _ in append.asked}
        caused = {REQUEST: append.request} if append.request else {}
        for due in append.due:
            document = due_submission(self._game, due)
            if due.when <= at and document["id"] not in self._known:
                self._known.add(document["id"])
                if due.what == "expire" and seat_of_due(due.question) in players:
                    self._held.add(document["id"])
                self._pending.append(("", {**document, "asked_at": at, **caused}))
        if append.follows is not None:
            self._pending.append(("", {**append.follows, "asked_at": at}))

    def left(self, last: Append) -> tuple[Mapping[str, Any], ...]:
        """What the commits before the last one have let come, and none of them settles."""
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
        """Whether SYSTEM has something to say at once, as far as is known."""
        return any(
            not entry and document["seat"] == SYSTEM and not self._must_be_read(document)
            for entry, document in self._pending
        )

    def _must_be_read(self, document: Mapping[str, Any]) -> bool:
        """Whether what never stood in the stream is only settled when it stands there."""
        return document["id"] in self._held or (self._game, document["id"]) in self._spoiled

    def _place(self) -> int:
        # What never stood in the stream stands behind all that was read, so that without it the order is that of what was read.
        return lists.first_in_turn(self._pending)


class Settled:
    """What a pass has settled of one game: ``joined`` in one call, or each commit in a call of its own."""

    def __init__(self, line: Line, *, joined: bool) -> None:
        self.line, self.joined = line, joined
        self.appends: list[Append] = []
        self.rows: Rows | None = None
        """The rows after the last commit, if they were not made with it."""
        self.whole = True
        """Whether the worker may go on with the game."""
        self._read: tuple[int, CachedPosition, tuple[Mapping[str, Any], ...]] | None = None
        """Before the first commit of what never stood in the stream: how many there were, how the game stood, what was left."""

    def add(self, append: Append, before: CachedPosition) -> None:
        """The first in line has come to this commit; ``before`` is how the game stood."""
        if not append.entry and self._read is None:
            self._read = len(self.appends), before, self.line.left(self.appends[-1])
        self.appends.append(append)
        self.line.settled(append)

    def close(self, settling: Settling, *, signed: bool, done: bool) -> None:
        """Nothing more is settled in this pass: the last commit says what is true after all of them."""
        last = self.appends[-1]
        left = self.line.left(last) if self.joined else ()
        rows = last.rows if self.rows is None else self.rows
        self.appends[-1] = settling.last(last, rows, left, self.line.waited, signed=signed, done=done)

    def cut(self, settling: Settling, facts: Facts | None) -> CachedPosition:
        """Leave out what never stood in the stream, and all after it; how the game stands then."""
        assert self._read is not None
        count, stands, left = self._read
        del self.appends[count:]
        last = self.appends[-1]
        rows = last.rows
        if rows is None and facts is not None:
            with suppress(Exception, TooLong):  # without rows, whoever reads the game makes them
                rows = settling.rows(facts, stands.position, last.sealed.seq, watched=False)
        self.appends[-1] = settling.last(last, rows, left, (), signed=True, done=False)
        return stands
