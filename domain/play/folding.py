"""Folding the log: what the events of commits make of a position, one after another. It never rolls and never refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from domain.game import AnyGame
from domain.play import table
from domain.play.parts import around, timekeeping
from domain.play.record import NO_COMMIT, Asked, Clock, Commit, Held, Position
from domain.terms import SYSTEM, Question, QuestionId, Seat, Seq

_TABLE = frozenset(around.EVENTS.values())
_NONE_DUE: Mapping[QuestionId, int] = {}
_NO_HALTS: Mapping[Seat, int] = {}


class Folding:
    """A position while commits are folded onto it: its parts change in place, and `position` puts them together.

    A copy of the position for every commit of a long log would cost as much as the small events in it.
    """

    def __init__(self, game: AnyGame, position: Position) -> None:
        self._game = game
        self.state, self._table = position.state, position.table
        self.drawn, self.rolled, self._asked = position.drawn, position.rolled, position.asked
        self._seen = list(position.seen)
        self._at, self._head = position.at, position.head
        self.seq = position.seq
        """The last commit that was taken."""

    def take(self, commit: Commit) -> None:
        """Fold the next commit. One that breaks off half way leaves nothing that could be gone on from."""
        if commit.refusal is not None:
            self.seq, self._at = commit.seq, commit.at
            return
        self.happen(commit.seq, commit.at, commit.seat, commit.events, dict(commit.due) if commit.due else _NONE_DUE)
        self.drawn, self.rolled = commit.drawn, commit.rolled

    def happen(
        self, seq: Seq, at: int, actor: Seat, events: Sequence[Any], due: Mapping[QuestionId, int] = _NONE_DUE
    ) -> None:
        """Let the events of a command of ``actor`` happen; ``due`` are the deadlines that its commit sets."""
        self.follow(seq, at, events)
        self.ask(actor, due)

    def follow(self, seq: Seq, at: int, events: Sequence[Any], state: Any = None) -> None:
        """What the events of a commit change of the table, the state, and what each reader has seen; nobody is asked yet.

        ``state`` is the game's after them, where deciding has already arrived at it: then they do not happen a second time.
        """
        self.seq, self._at = seq, at
        game, decided, board = self._game, state is not None, self._table
        state = state if decided else self.state
        shown: set[int] = set()
        everybody = False
        for event in events:
            if type(event) in _TABLE:
                board = around.after(board, event, seq, at)
                if isinstance(event, table.PositionSet):
                    state = event.position
                audience = around.audience(event)
            else:
                if not decided:
                    state = game.evolve(state, event)
                audience = None if everybody else game.audience(event)
            if not everybody:
                if audience is None:
                    everybody = True
                else:
                    shown.update(audience)
        assert board is not None
        self.state, self._table = state, board
        self._show(len(board.controllers) + 1, everybody, shown)

    def _show(self, readers: int, everybody: bool, shown: set[int]) -> None:
        if everybody:
            self._seen = [self.seq] * (len(self._seen) or readers)
            return
        before = self._seen or [NO_COMMIT] * readers
        self._seen = [self.seq if reader in shown else seq for reader, seq in enumerate(before)]

    def ask(self, actor: Seat, due: Mapping[QuestionId, int] = _NONE_DUE, clock: Clock | None = None) -> None:
        """What stands now: a question that stood before keeps its id, and a new one is named after this commit.

        ``due`` are the deadlines that the commit sets; with ``clock``, that of a new question is what the clock says.
        """
        assert self._table is not None
        over = self._table.outcome is not None
        questions = () if over else self._game.awaiting(self.state)
        known = {(asked.question.serial, asked.question.seat): asked for asked in self._asked}
        parted = bool(self._table.memories)
        halts = timekeeping.halts(self._table) if parted else _NO_HALTS
        if clock is not None and parted and (stops := timekeeping.stops(self._table)):
            clock = clock.stood(stops)
        standing = []
        for question in questions:
            old = known.get((question.serial, question.seat))
            if old is None:
                standing.append(self._first_asked(question, due, clock, halts))
                continue
            acted = self.seq if question.seat == actor else old.acted
            when, held, dated = due.get(old.id, old.due), old.held, old.dated
            if parted and (halts or held is not None or when != old.due):
                if when != old.due:
                    held, dated = None, self.seq
                if question.seat in halts and when is not None and when > self._at:
                    held, when = Held(self._at, when), None
            if (
                acted == old.acted
                and when == old.due
                and held is old.held
                and (old.question is question or old.question == question)
            ):
                standing.append(old)
            else:
                standing.append(Asked(old.id, question, old.since, when, acted, dated, held))
        if parted and not over:
            standing += self._asked_by_parts(known, due)
        self._asked = tuple(standing)

    def _first_asked(
        self, question: Question, due: Mapping[QuestionId, int], clock: Clock | None, halts: Mapping[Seat, int]
    ) -> Asked:
        """A new question. Where its clock stands it has all the time that it would have had when that was stopped."""
        id_ = QuestionId(f"{self.seq}:{question.place}:{question.seat}")
        when = due.get(id_) if clock is None else clock(question, self._at)
        since = halts.get(question.seat) if halts else None
        if since is None or when is None or (question.seat == SYSTEM and when == self._at):
            return Asked(id_, question, self._at, when)
        planned = when if clock is None else clock(question, since)
        assert planned is not None
        return Asked(id_, question, self._at, held=Held(since, planned))

    def _asked_by_parts(
        self, known: Mapping[tuple[int, Seat], Asked], put_off: Mapping[QuestionId, int]
    ) -> Iterator[Asked]:
        """What the parts of the table ask: when it is due they say themselves, unless it is put off."""
        assert self._table is not None
        for question, due in around.awaiting(self._table):
            old = known.get((question.serial, question.seat))
            if old is None:
                id_ = QuestionId(f"{self.seq}:{question.place}:{question.seat}")
                yield Asked(id_, question, self._at, due)
            else:
                yield Asked(old.id, question, old.since, put_off.get(old.id, old.due))

    @property
    def seated(self) -> table.Table:
        """Who sits where after the commits that were taken."""
        assert self._table is not None
        return self._table

    def position(self, head: str | None = None) -> Position:
        """The position after the commits that were taken; with ``head``, the newest one's."""
        return Position(
            self.state,
            self._table,
            self.seq,
            self._head if head is None else head,
            self.drawn,
            self.rolled,
            self._at,
            self._asked,
            tuple(self._seen),
        )


def fold(game: AnyGame, position: Position, commit: Commit) -> Position:
    """The position after a commit that stands in the log: never rolls, never refuses."""
    folding = Folding(game, position)
    folding.take(commit)
    return folding.position()


def replay(game: AnyGame, commits: Iterable[Commit], position: Position | None = None) -> Position:
    """Fold commits in order."""
    folding = Folding(game, position or Position())
    for commit in commits:
        folding.take(commit)
    return folding.position()
