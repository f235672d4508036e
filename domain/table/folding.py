"""Folding the log: applies the events of commits to a position, one after another. It never rolls and never refuses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from domain.kernel import lifecycle
from domain.kernel.game import AnyGame
from domain.kernel.record import (
    NO_COMMIT,
    NO_PAST,
    Bars,
    Clock,
    Commit,
    OpenQuestion,
    Past,
    Position,
    Stood,
    StoppedClock,
)
from domain.kernel.terms import SYSTEM, Question, QuestionId, Seat, Seq
from domain.table import features, undo
from domain.table.clocks import clocks

_TABLE = frozenset(features.EVENTS.values())
_NONE_DUE: Mapping[QuestionId, int] = {}
_NO_HALTS: Mapping[Seat, int] = {}


class Folding:
    """A position while commits are folded onto it. Its parts change in place, and `position` assembles them.

    Copying the position for every commit of a long log would cost as much as the small events in it.
    """

    def __init__(self, game: AnyGame, position: Position) -> None:
        self._game = game
        self.state, self._table = position.state, position.table
        self.drawn, self.rolled, self._asked = position.drawn, position.rolled, position.asked
        self._seen = list(position.seen)
        self._at, self._head = position.at, position.head
        bars = position.bars
        self._told_in, self._hidden, self._acted = (
            (NO_COMMIT, [], []) if bars is None else (bars.told, list(bars.hidden), list(bars.acted))
        )
        self._watched = bars is not None
        """Whether commits can be undone in this game."""
        self._since, self._stood, self._keeps = position.past.since, list(position.past.stood), position.past.keeps
        self._played = self._told = False
        """Whether the game was played in the commit being folded, and whether a secret may have been revealed."""
        self._happened: list[Any] = []
        """The game's events of that commit, if they are judged together (`TableRules.disclosures`)."""
        self.undone: undo.Undone | None = None
        """The undo event of the commit being folded; None without one."""
        self.again: dict[QuestionId, QuestionId] = {}
        self.spans: dict[QuestionId, tuple[int, int]] = {}
        """The questions that it asks again, by their former id.

        Each has the new id, and the start and end of its remaining time.
        """
        self.seq = position.seq
        """The last commit folded."""

    def take(self, commit: Commit) -> None:
        """Fold the next commit. After an exception the object must not be used further."""
        if commit.refusal is not None:
            self.seq, self._at = commit.seq, commit.at
            if self._watched:
                for seat in range(len(self._hidden)):
                    if seat != commit.submission.seat:
                        self._hidden[seat] = commit.seq
            return
        self.happen(commit.seq, commit.at, commit.seat, commit.events, dict(commit.due) if commit.due else _NONE_DUE)
        self.close(commit.seat, commit.drawn, commit.rolled)

    def happen(
        self, seq: Seq, at: int, actor: Seat, events: Sequence[Any], due: Mapping[QuestionId, int] = _NONE_DUE
    ) -> None:
        """Apply the events of a command of ``actor``; ``due`` are the deadlines that its commit sets."""
        self.follow(seq, at, events)
        self.ask(actor, due)

    def follow(self, seq: Seq, at: int, events: Sequence[Any], state: Any = None) -> None:
        """Apply the events of a commit to the table, the state, and what each reader has seen. Asks no questions.

        ``state`` is the game's state after them, if deciding has already computed it; the events are then not applied
        again.
        """
        self.seq, self._at = seq, at
        game, decided, board = self._game, state is not None, self._table
        state = state if decided else self.state
        shown: set[int] = set()
        everybody = False
        judged_alone = judged_together = False
        if self._watched:
            assert board is not None
            judged_together = board.rules.disclosures == "by-commit"
            judged_alone = not judged_together
        for event in events:
            if type(event) in _TABLE:
                board = features.apply_event(board, event, seq, at)
                if isinstance(event, lifecycle.PositionSet):
                    state = event.position
                elif isinstance(event, undo.Undone):
                    state = self._take_back(event)
                audience = features.find_readers(event)
            else:
                if not decided:
                    state = game.rules.evolve(state, event)
                audience = None if everybody else game.knowledge.audience(event)
                self._played = True
                if judged_together:
                    self._happened.append(event)
                elif judged_alone and not self._told:
                    self._told = game.knowledge.gives_away(event)
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
        """Update the pending questions.

        A question that was pending before keeps its id; a new one is named after this commit.

        ``due`` are the deadlines that the commit sets. With ``clock``, a new question gets its deadline from the clock.
        """
        assert self._table is not None
        if self._played and self._table.memories:
            self._table = undo.drop_requests(self._table)
        over = self._table.outcome is not None
        known = {(asked.question.serial, asked.question.seat): asked for asked in self._asked}
        has_features = bool(self._table.memories)
        halts = clocks.halts(self._table) if has_features else _NO_HALTS
        if clock is not None and has_features and (stops := clocks.stops(self._table)):
            clock = clock.stood(stops)
        if self.undone is not None:
            self._asked = (
                *self._asked_again(self.undone, due, clock, halts),
                *(() if over else self._asked_by_features(known, due)),
            )
            return
        questions = () if over else self._game.rules.awaiting(self.state)
        standing = []
        for question in questions:
            old = known.get((question.serial, question.seat))
            if old is None:
                standing.append(self._first_asked(question, due, clock, halts))
                continue
            acted = self.seq if question.seat == actor else old.acted
            when, held, dated = due.get(old.id, old.due), old.held, old.dated
            if has_features and (halts or held is not None or when != old.due):
                if when != old.due:
                    held, dated = None, self.seq
                if question.seat in halts and when is not None and when > self._at:
                    held, when = StoppedClock(self._at, when), None
            if (
                acted == old.acted
                and when == old.due
                and held is old.held
                and (old.question is question or old.question == question)
            ):
                standing.append(old)
            else:
                standing.append(OpenQuestion(old.id, question, old.since, when, acted, dated, held))
        if has_features and not over:
            standing += self._asked_by_features(known, due)
        self._asked = tuple(standing)

    def _first_asked(
        self, question: Question, due: Mapping[QuestionId, int], clock: Clock | None, halts: Mapping[Seat, int]
    ) -> OpenQuestion:
        """A new question. If its clock is stopped, it has the time that it would have had at the stop."""
        id_ = QuestionId(f"{self.seq}:{question.place}:{question.seat}")
        when = due.get(id_) if clock is None else clock(question, self._at)
        since = halts.get(question.seat) if halts else None
        if since is None or when is None or (question.seat == SYSTEM and when == self._at):
            return OpenQuestion(id_, question, self._at, when)
        planned = when if clock is None else clock(question, since)
        assert planned is not None
        return OpenQuestion(id_, question, self._at, held=StoppedClock(since, planned))

    def _asked_by_features(
        self, known: Mapping[tuple[int, Seat], OpenQuestion], put_off: Mapping[QuestionId, int]
    ) -> Iterator[OpenQuestion]:
        """The questions of the table's features, with the deadlines of these, unless they are put off."""
        assert self._table is not None
        for question, due in features.awaiting(self._table):
            old = known.get((question.serial, question.seat))
            if old is None:
                id_ = QuestionId(f"{self.seq}:{question.place}:{question.seat}")
                yield OpenQuestion(id_, question, self._at, due)
            else:
                yield OpenQuestion(old.id, question, old.since, put_off.get(old.id, old.due))

    @property
    def seated(self) -> lifecycle.Table:
        """The table after the commits folded."""
        assert self._table is not None
        return self._table

    def _take_back(self, event: undo.Undone) -> Any:
        """The state before the undone commits. Raises `PastNotKept`."""
        self.undone, self.again, self.spans = event, {}, {}
        return self._known().before(event.first).state

    def _asked_again(
        self, event: undo.Undone, due: Mapping[QuestionId, int], clock: Clock | None, halts: Mapping[Seat, int]
    ) -> Iterator[OpenQuestion]:
        """The game's questions as they were before the undone commits.

        A question that has been pending all the time continues. Any other is a new one with its old serial. Its seat
        has the time that was left when the game first changed, and at least an hour if others have agreed.
        """
        stands = {asked.id: asked for asked in self._asked}
        past, least = self._known(), undo.LEAST if event.agreed else 0
        changed_at = past.changed_at(event.first)
        for old in past.before(event.first).asked:
            now = stands.get(old.id)
            if features.is_asking(old.question):
                continue
            if now is not None:
                yield OpenQuestion(now.id, old.question, now.since, now.due, now.acted, now.dated, now.held)
                continue
            assert changed_at is not None  # otherwise it would be pending
            id_ = QuestionId(f"{self.seq}:{old.question.place}:{old.question.seat}")
            since, until = (changed_at, old.due) if old.held is None else (old.held.since, old.held.due)
            self.again[old.id] = id_
            again = OpenQuestion(id_, old.question, self._at)
            if until is not None:
                self.spans[old.id] = since, until
                when = due.get(id_) if clock is None else undo.due_again(clock, again, (since, until), self._at, least)
                if when is not None and old.question.seat in halts:
                    again = replace(again, held=StoppedClock(self._at, when))
                else:
                    again = replace(again, due=when)
            yield again

    def date_again(self, due: Mapping[QuestionId, int]) -> None:
        """Set other deadlines for questions that the commit asks again; a log stores them like those of new questions."""
        self._asked = tuple(undo.redate(asked, due.get(asked.id)) for asked in self._asked)

    def close(self, actor: Seat, drawn: int, rolled: int) -> None:
        """Finish the commit of ``actor`` with these counts of used randomness."""
        told = self._told or (bool(self._happened) and self._game.knowledge.discloses(self._happened))
        played, undone = self._played, self.undone
        chance = (drawn, rolled) != (self.drawn, self.rolled)
        self.drawn, self.rolled = drawn, rolled
        self._told = self._played = False
        self._happened = []
        self.undone = None
        assert self._table is not None
        if not self._watched:
            if self.seq == 1 and undo.can_undo(self._table):
                self._watch(len(self._table.controllers) + 1)
            return
        seq = self.seq
        if told or chance:
            self._told_in = seq
        if played:
            self._acted[actor] = seq
        if undone is not None:
            for seat in (undone.seat, *undone.agreed):
                self._acted[seat] = seq
        if seq not in self._seen or min(self._seen) != seq:
            self._hidden = [old if shown == seq else seq for old, shown in zip(self._hidden, self._seen, strict=True)]
        last = self._stood[-1]
        if last.state is not self.state or last.asked != self._asked:
            self._stood.append(Stood(seq, self._at, self.state, self._asked))
            if len(self._stood) > self._keeps + self._keeps // 4:
                del self._stood[: -self._keeps]
                self._since = self._stood[0].seq

    def _watch(self, places: int) -> None:
        self._watched, self._told_in = True, self.seq
        self._hidden, self._acted = [NO_COMMIT] * places, [NO_COMMIT] * places
        self._stood.append(Stood(self.seq, self._at, self.state, self._asked))

    def _known(self) -> Past:
        return Past(self._since, tuple(self._stood), self._keeps).newest(self._keeps)

    def position(self, head: str | None = None) -> Position:
        """The position after the commits folded; ``head`` is the newest one's."""
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
            Bars(self._told_in, tuple(self._hidden), tuple(self._acted)) if self._watched else None,
            self._known() if self._watched else NO_PAST,
        )


def fold(game: AnyGame, position: Position, commit: Commit) -> Position:
    """The position after a commit of the log. Never rolls, never refuses."""
    folding = Folding(game, position)
    folding.take(commit)
    return folding.position()


def replay(game: AnyGame, commits: Iterable[Commit], position: Position | None = None) -> Position:
    """Fold commits in order."""
    folding = Folding(game, position or Position())
    for commit in commits:
        folding.take(commit)
    return folding.position()
