"""The episode socket: plugs an episode into some rounds without naming it in the core.

An episode changes the board only through the events of `events`. It keeps its data in persons and tokens. Its own
events (such as a die roll) change no state.
"""

# ruff: noqa: ARG002 - hooks do not need all their arguments

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from domain.games.fronela.episode_api.decision import FronelaDecision, FronelaQuestionKind, Step
from domain.games.fronela.episode_api.queries import Query
from domain.games.fronela.state import FronelaState
from domain.kernel.terms import Seat


class Fighter(ABC):
    """A person who fights like a nation (FRO-D43)."""

    @abstractmethod
    def dice(self, state: FronelaState) -> tuple[int, int]:
        """The number of dice, and the bonus of each."""

    @abstractmethod
    def foes(self, state: FronelaState) -> Mapping[str, tuple[str, ...]]:
        """The nations that the person attacks, by area."""

    @abstractmethod
    def suffer(self, decision: FronelaDecision, hits: int) -> None:
        """Apply the hits of a battle round."""


class Episode:
    """One episode. Override only the hooks that it needs."""

    key: str
    clause: str
    commands: ClassVar[Mapping[str, type[Any]]] = {}
    events: ClassVar[Mapping[str, type[Any]]] = {}
    sentences: ClassVar[Mapping[str, str | Sequence[str]]] = {}
    questions: ClassVar[Mapping[str, FronelaQuestionKind]] = {}
    """The kinds of question that it asks."""
    steps: ClassVar[Mapping[str, Step]] = {}
    """The agenda items that it can add."""
    names: ClassVar[Mapping[str, str]] = {}
    """The display names of its persons and tokens."""
    queries: ClassVar[Collection[type[Query]]] = ()
    """The kinds of query that it adjusts. It receives no others."""
    reacts: ClassVar[Collection[type[Any]]] = ()
    """The kinds of event to which it reacts. `react` receives no others."""
    lasting: ClassVar[Collection[str]] = ()
    """Its persons that are in the state, on the map or gone, in every round of the episode."""

    def facts(self, state: FronelaState) -> Mapping[str, Any]:
        """Its table in the scenario."""
        return state.tables.episodes[self.key]

    def on_round_start(self, decision: FronelaDecision) -> None:
        """A round has begun. Its order is not yet fixed."""

    def on_round_end(self, decision: FronelaDecision) -> None:
        """A round ends. Its points are scored after this (FRO-D52)."""

    def order(self, state: FronelaState, slots: tuple[str, ...]) -> tuple[str, ...]:
        """The slots of a new round."""
        return slots

    def plays(self, state: FronelaState, slot: str) -> bool:
        """Whether this slot, which is not a nation, has a turn now."""
        return False

    def owner(self, state: FronelaState, slot: str) -> Seat | None:
        """The seat that plays this slot, which is not a nation; None if it is not this episode's."""
        return None

    def fighter(self, slot: str) -> Fighter | None:
        """The fighter in this slot, which is not a nation; None if it is not this episode's."""
        return None

    def agenda(self, state: FronelaState, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        """The agenda of this slot's turn."""
        return items

    def after_turn(self, decision: FronelaDecision, slot: str) -> None:
        """A turn that was not skipped has ended."""

    def adjust(self, state: FronelaState, query: Query, value: Any) -> Any:
        """The adjusted answer to a rule's query. ``value`` is the answer so far; return it unchanged if it does not apply."""
        return value

    def forbids(self, state: FronelaState, nation: str, area: str, to: str) -> str:
        """The refusal text for a step or retreat that this episode blocks (`Barred`); empty if it does not."""
        return ""

    def react(self, state: FronelaState, event: Any) -> Iterable[Any]:
        """The events triggered by an event whose class is in ``reacts``."""
        return ()
