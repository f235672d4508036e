"""What deciding one command does: events happen, the agenda runs on, until the next question is put."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from domain.dice import Dice
from domain.fronela import events as ev
from domain.fronela.commands import Auto
from domain.fronela.episode.sparing import spared
from domain.fronela.state import State
from domain.options import count
from domain.play import questions
from domain.play.unfold import Unfolded, Unfolding
from domain.terms import Seat

Step = Callable[["Decision", str], None]
"""Does one item of the agenda; the string is its argument, empty for none."""

Forced = Callable[["Decision", ev.Asked], bool]
"""Whether the question that is about to be put had one answer only, which is then given."""

React = Callable[[Unfolding[State, Any], Any], Iterable[Any]]
"""The events that an event sets off."""


class QuestionKind(questions.QuestionKind[State, "Decision"]):
    """One kind of question; who is asked, and about what, stands in ``state.asking``.

    `answer` closes the decision's question when it is fully answered.
    """

    several: bool = False
    """Whether it takes several commands; then ``auto`` gives the usual answer to all that is left."""
    chosen: bool = False
    """Whether it takes one command, and is put even where there is one answer only (FRO-D58)."""

    @abstractmethod
    def usual(self, state: State) -> Any:
        """The usual answer, or the next part of it."""

    def idle(self, state: State) -> Any:  # noqa: ARG002 - most questions want something done
        """The answer by which nothing is done and nothing lost, if there is one; else None (FRO-D59)."""
        return None

    def forced(self, state: State, seat: Seat) -> bool:
        """Whether the usual answer is the only one (FRO-D58); asked of a question that takes one command."""
        return sum(map(count, self.legal(state, seat))) == 1

    def finish(self, decision: Decision, seat: Seat) -> None:
        """Answer by ``done``, where it is no answer of its own: as usual, to the end of the phase (FRO-D57)."""
        self.answer_as_usual(decision, seat)

    def answer_as_usual(self, decision: Decision, seat: Seat) -> None:
        """Give the usual answer to all that is left of the question."""
        while decision.waits:
            self.answer(decision, seat, self.usual(decision.state))

    def default(self, state: State, seat: Seat, dice: Dice) -> Any:  # noqa: ARG002 - chance decides nothing
        """The usual answer, to all of the question."""
        return Auto() if self.several else self.usual(state)


class Decision:
    """What happens while one command is decided.

    Items of the agenda are keys of ``steps``, perhaps with an argument after a colon. Each step does its part and may
    put new items first, or ask. The agenda is kept in the state only together with a question (`Asked`).

    What it works with is handed to it, so that the steps, the questions and the episodes can be written in terms of
    it; `domain.fronela.turn.deciding` does so.
    """

    def __init__(
        self,
        state: State,
        dice: Dice,
        evolve: Callable[[State, Any], State],
        react: React,
        steps: Mapping[str, Step],
        forced: Forced,
    ) -> None:
        self._unfolding: Unfolding[State, Any] = Unfolding(state, evolve, react)
        self._in_full = state.tables.reads("telling") == "full"
        self._steps = steps
        self._forced = forced
        self.dice = dice
        self.agenda: list[str] = list(state.asking.agenda) if state.asking is not None else []
        self.waits = state.asking is not None

    @property
    def state(self) -> State:
        return self._unfolding.state

    @property
    def events(self) -> list[Any]:
        return self._unfolding.events

    @property
    def unfolded(self) -> Unfolded:
        """All that has happened, with the state that it has come to: what deciding answers."""
        return self._unfolding.unfolded

    def happen(self, *events: Any) -> None:
        self._unfolding.happen(*(events if self._in_full else map(spared, events)))

    def first(self, *items: str) -> None:
        """Put these before what is on the agenda."""
        self.agenda[:0] = items

    def ask(
        self, seat: Seat, kind: str, clause: str, *, nation: str = "", area: str = "", havens: tuple[str, ...] = ()
    ) -> None:
        """Put the question; one that has a single answer is answered at once, and never put (FRO-D58)."""
        self.waits = True
        asked = ev.Asked(seat, kind, clause, nation, area, havens, tuple(self.agenda))
        if not self._forced(self, asked):
            self.happen(asked)

    def close(self) -> None:
        """The question that stood is answered; the agenda goes on."""
        self.waits = False

    def run(self) -> None:
        """Do what is on the agenda until a question stands or the game is over."""
        while not self.waits and not self.state.ended:
            item = self.agenda.pop(0) if self.agenda else "next"
            word, _, about = item.partition(":")
            self._steps[word](self, about)
