"""What deciding one command does: events happen, the agenda runs on, until the next question is put."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from domain.dice import Dice
from domain.fronela import events as ev
from domain.fronela.commands import Auto
from domain.fronela.state import State
from domain.play import questions
from domain.play.unfold import Unfolding
from domain.terms import Seat

Step = Callable[["Decision", str], None]
"""Does one item of the agenda; the string is its argument, empty for none."""

React = Callable[[Unfolding[State, Any], Any], Iterable[Any]]
"""The events that an event sets off."""


class QuestionKind(questions.QuestionKind[State, "Decision"]):
    """One kind of question; who is asked, and about what, stands in ``state.asking``.

    `answer` closes the decision's question when it is fully answered.
    """

    several: bool = False
    """Whether it takes several commands; then ``auto`` gives the usual answer to all that is left."""

    @abstractmethod
    def usual(self, state: State) -> Any:
        """The usual answer, or the next part of it."""

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
    ) -> None:
        self._unfolding: Unfolding[State, Any] = Unfolding(state, evolve, react)
        self._steps = steps
        self.dice = dice
        self.agenda: list[str] = list(state.asking.agenda) if state.asking is not None else []
        self.waits = state.asking is not None

    @property
    def state(self) -> State:
        return self._unfolding.state

    @property
    def events(self) -> list[Any]:
        return self._unfolding.events

    def happen(self, *events: Any) -> None:
        self._unfolding.happen(*events)

    def first(self, *items: str) -> None:
        """Put these before what is on the agenda."""
        self.agenda[:0] = items

    def ask(
        self, seat: Seat, kind: str, clause: str, *, nation: str = "", area: str = "", havens: tuple[str, ...] = ()
    ) -> None:
        self.waits = True
        self.happen(ev.Asked(seat, kind, clause, nation, area, havens, tuple(self.agenda)))

    def close(self) -> None:
        """The question that stood is answered; the agenda goes on."""
        self.waits = False

    def run(self) -> None:
        """Do what is on the agenda until a question stands or the game is over."""
        while not self.waits and not self.state.ended:
            item = self.agenda.pop(0) if self.agenda else "next"
            word, _, about = item.partition(":")
            self._steps[word](self, about)
