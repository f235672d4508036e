"""Decides one command: events happen and the agenda runs until the next question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from domain.games.fronela import events as ev
from domain.games.fronela.commands import Auto
from domain.games.fronela.episode_api.sparing import spared
from domain.games.fronela.state import FronelaState
from domain.kernel import questions
from domain.kernel.dice import Dice
from domain.kernel.options import count
from domain.kernel.terms import Seat
from domain.kernel.unfold import Unfolded, Unfolding

Step = Callable[["FronelaDecision", str], None]
"""Runs one item of the agenda. The string is its argument, empty for none."""

Forced = Callable[["FronelaDecision", ev.Asked], bool]
"""Whether the next question had a single answer, which was then given."""

React = Callable[[Unfolding[FronelaState, Any], Any], Iterable[Any]]
"""The events that an event triggers."""


class FronelaQuestionKind(questions.QuestionKind[FronelaState, "FronelaDecision"]):
    """One kind of question. The asked seat and the subject are in ``state.asking``.

    `answer` closes the decision's question when it is fully answered.
    """

    several: bool = False
    """Whether it takes several commands. Then ``auto`` gives the default answer for the rest."""
    chosen: bool = False
    """Whether it takes one command, and is asked even if there is a single answer (FRO-D58)."""

    @abstractmethod
    def usual(self, state: FronelaState) -> Any:
        """The default answer, or the next part of it."""

    def idle(self, state: FronelaState) -> Any:  # noqa: ARG002 - most questions need a real answer
        """The answer that does nothing and loses nothing. None if there is no such answer (FRO-D59)."""
        return None

    def forced(self, state: FronelaState, seat: Seat) -> bool:
        """Whether the default answer is the only one (FRO-D58). Used only for questions that take one command."""
        return sum(map(count, self.legal(state, seat))) == 1

    def finish(self, decision: FronelaDecision, seat: Seat) -> None:
        """Handle ``done`` if it answers no question: give the default answers up to the end of the phase (FRO-D57)."""
        self.answer_as_usual(decision, seat)

    def answer_as_usual(self, decision: FronelaDecision, seat: Seat) -> None:
        """Give the default answer to the rest of the question."""
        while decision.waits:
            self.answer(decision, seat, self.usual(decision.state))

    def default(self, state: FronelaState, seat: Seat, dice: Dice) -> Any:  # noqa: ARG002 - not random
        """The default answer to the complete question."""
        return Auto() if self.several else self.usual(state)


class FronelaDecision:
    """The events while one command is decided.

    Items of the agenda are keys of ``steps``, optionally with an argument after a colon. Each step does its part and
    may put new items first, or ask. The agenda is stored in the state only together with a question (`Asked`).

    The steps and `evolve` are passed in, because steps, questions and episodes depend on this class.
    `domain.games.fronela.turn.deciding` passes them.
    """

    def __init__(
        self,
        state: FronelaState,
        dice: Dice,
        evolve: Callable[[FronelaState, Any], FronelaState],
        react: React,
        steps: Mapping[str, Step],
        forced: Forced,
    ) -> None:
        self._unfolding: Unfolding[FronelaState, Any] = Unfolding(state, evolve, react)
        self._in_full = state.tables.reads("telling") == "full"
        self._steps = steps
        self._forced = forced
        self.dice = dice
        self.agenda: list[str] = list(state.asking.agenda) if state.asking is not None else []
        self.waits = state.asking is not None

    @property
    def state(self) -> FronelaState:
        return self._unfolding.state

    @property
    def events(self) -> list[Any]:
        return self._unfolding.events

    @property
    def unfolded(self) -> Unfolded:
        """All events with the resulting state."""
        return self._unfolding.unfolded

    def happen(self, *events: Any) -> None:
        self._unfolding.happen(*(events if self._in_full else map(spared, events)))

    def first(self, *items: str) -> None:
        """Put these items before the rest of the agenda."""
        self.agenda[:0] = items

    def ask(
        self, seat: Seat, kind: str, clause: str, *, nation: str = "", area: str = "", havens: tuple[str, ...] = ()
    ) -> None:
        """Ask the question. If it has a single answer, that is given at once and nothing is asked (FRO-D58)."""
        self.waits = True
        asked = ev.Asked(seat, kind, clause, nation, area, havens, tuple(self.agenda))
        if not self._forced(self, asked):
            self.happen(asked)

    def close(self) -> None:
        """Mark the pending question as answered, so that the agenda continues."""
        self.waits = False

    def run(self) -> None:
        """Run the agenda until a question is pending or the game is over."""
        while not self.waits and not self.state.ended:
            item = self.agenda.pop(0) if self.agenda else "next"
            word, _, about = item.partition(":")
            self._steps[word](self, about)
