"""Applies events one after another, each followed by its reactions."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

S = TypeVar("S")
E = TypeVar("E")


class EndlessReactions(RuntimeError):
    """Reactions trigger each other without end: a fault of the rules."""


class Unfolded(tuple[Any, ...]):  # noqa: SLOT001 - a tuple has no slot for the state
    """Events in order, and in ``state`` the result of applying them to the state at the start.

    A game's `decide` may return one. The kernel then uses the state that deciding has computed and does not apply the
    events again. Anything derived from it (a slice, a list) is an ordinary sequence and is folded.
    """

    state: Any

    @classmethod
    def of(cls, state: Any, events: Iterable[Any]) -> Unfolded:
        """These events, and the state after the last of them."""
        unfolded = cls(events)
        unfolded.state = state
        return unfolded


class Unfolding(Generic[S, E]):
    """The state while one command is decided, and the events so far.

    ``react`` is called after every event for its reactions. Reactions are applied first in, first out, and before the
    caller's next events. ``ends`` is called after every event for the final one: what it returns is applied at once,
    pending reactions lapse, and nothing is applied after it. Everything within `together` is one event for ``ends``.
    Raises `EndlessReactions` after ``cap`` events of one command.
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
        """Everything applied so far, and the resulting state."""
        return Unfolded.of(self.state, self.events)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Everything within is applied before ``ends`` is called. Nested scopes are one, and reactions open none."""
        self._together += 1
        try:
            yield
        finally:
            self._together -= 1
        self._end()

    def happen(self, *events: E) -> None:
        """Apply these events now, with all reactions. If called from a reaction, they are queued."""
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
