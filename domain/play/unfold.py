"""Letting events happen one after another, each followed by what it sets off."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

S = TypeVar("S")
E = TypeVar("E")


class EndlessReactions(RuntimeError):
    """Reactions set each other off without end: a fault of the rules."""


class Unfolded(tuple[Any, ...]):  # noqa: SLOT001 - a tuple has no slot for the state
    """Events in their order, and under ``state`` what they have made of the state that they began at.

    A game's `decide` may answer with one: the kernel then takes the state that deciding has arrived at, and does not let all
    events happen a second time. What is made of its events (a slice, a list) is an ordinary sequence again, and is folded.
    """

    state: Any

    @classmethod
    def of(cls, state: Any, events: Iterable[Any]) -> Unfolded:
        """These events, and the state after the last of them."""
        unfolded = cls(events)
        unfolded.state = state
        return unfolded


class Unfolding(Generic[S, E]):
    """The state as it becomes while one command is decided, and the events that made it so.

    ``react`` is asked after every event what it sets off; reactions happen first in, first out, and before whatever
    the caller lets happen next. ``ends`` is asked after every event for the last one: what it returns happens at
    once, whatever still waits lapses, and nothing happens any more. What happens within `together` is one event to
    ``ends``. Raises `EndlessReactions` after ``cap`` events of one command.
    """

    def __init__(
        self,
        state: S,
        evolve: Callable[[S, E], S],
        react: Callable[[Unfolding[S, E], E], Iterable[E]] | None = None,
        cap: int = 2000,
        ends: Callable[[S], E | None] | None = None,
    ) -> None:
        self.state = state
        self.events: list[E] = []
        self.over = False
        self._evolve = evolve
        self._react = react
        self._ends = ends
        self._cap = cap
        self._waiting: deque[E] = deque()
        self._busy = False
        self._together = 0

    @property
    def unfolded(self) -> Unfolded:
        """All that has happened so far, and the state that it has come to."""
        return Unfolded.of(self.state, self.events)

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that happens within happens before ``ends`` is asked; scopes within scopes are one, reactions open none."""
        self._together += 1
        try:
            yield
        finally:
            self._together -= 1
        self._end()

    def happen(self, *events: E) -> None:
        """Let these happen now, with all they set off; called from within a reaction, they wait for their turn."""
        if self.over:
            return
        self._waiting.extend(events)
        if self._busy:
            return
        self._busy = True
        waiting, evolve, react = self._waiting, self._evolve, self._react
        try:
            while waiting:
                event = waiting.popleft()
                self.state = evolve(self.state, event)
                self.events.append(event)
                if len(self.events) > self._cap:
                    raise EndlessReactions(f"more than {self._cap} events from one command")
                self._end()
                if react is not None and not self.over:
                    waiting.extend(react(self, event))
        finally:
            self._busy = False

    def _end(self) -> None:
        if self.over or self._together or self._ends is None:
            return
        last = self._ends(self.state)
        if last is not None:
            self.state = self._evolve(self.state, last)
            self.events.append(last)
            self.over = True
            self._waiting.clear()
