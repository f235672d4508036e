"""The episode socket: how a piece of history is plugged into some rounds, without the core naming any of them.

An episode moves the board only through the events of `events`; what it must remember lies in persons and tokens.
Events of its own (a die that it rolls) change no state.
"""

# ruff: noqa: ARG002 - a hook takes what its socket gives, whether it needs it or not

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from domain.fronela.episode.decision import Decision, QuestionKind, Step
from domain.fronela.episode.queries import Query
from domain.fronela.state import State
from domain.terms import Seat


class Fighter(ABC):
    """A person who fights like a nation but is none (FRO-D43)."""

    @abstractmethod
    def dice(self, state: State) -> tuple[int, int]:
        """How many dice, and what is added to each."""

    @abstractmethod
    def foes(self, state: State) -> Mapping[str, tuple[str, ...]]:
        """The nations that it attacks, by area."""

    @abstractmethod
    def suffer(self, decision: Decision, hits: int) -> None:
        """Take the hits of a battle round."""


class Episode:
    """One piece of history; overrides only the hooks that it needs."""

    key: str
    clause: str
    commands: ClassVar[Mapping[str, type[Any]]] = {}
    events: ClassVar[Mapping[str, type[Any]]] = {}
    sentences: ClassVar[Mapping[str, str | Sequence[str]]] = {}
    questions: ClassVar[Mapping[str, QuestionKind]] = {}
    """The kinds of question that it puts."""
    steps: ClassVar[Mapping[str, Step]] = {}
    """The items that it can put on an agenda."""
    names: ClassVar[Mapping[str, str]] = {}
    """Its persons and tokens, for telling."""
    queries: ClassVar[Collection[type[Query]]] = ()
    """The kinds of query that it adjusts; it is asked no others."""
    reacts: ClassVar[Collection[type[Any]]] = ()
    """The kinds of event that set something off in it; `react` is handed no others."""
    lasting: ClassVar[Collection[str]] = ()
    """Its persons who are in the state, on the map or gone, in every round of the episode."""

    def facts(self, state: State) -> Mapping[str, Any]:
        """Its own table in the scenario."""
        return state.tables.episodes[self.key]

    def on_round_start(self, decision: Decision) -> None:
        """A round has begun; its order is not yet fixed."""

    def on_round_end(self, decision: Decision) -> None:
        """A round ends; its points come after this (FRO-D52)."""

    def order(self, state: State, slots: tuple[str, ...]) -> tuple[str, ...]:
        """The slots of the round that begins."""
        return slots

    def plays(self, state: State, slot: str) -> bool:
        """Whether this slot, which is no nation, has a turn now."""
        return False

    def owner(self, state: State, slot: str) -> Seat | None:
        """Who plays this slot, which is no nation."""
        return None

    def fighter(self, slot: str) -> Fighter | None:
        """Who fights in this slot, which is no nation."""
        return None

    def agenda(self, state: State, slot: str, items: tuple[str, ...]) -> tuple[str, ...]:
        """What the turn of this slot consists of."""
        return items

    def after_turn(self, decision: Decision, slot: str) -> None:
        """A turn that was really played is over."""

    def adjust(self, state: State, query: Query, value: Any) -> Any:
        """The value that answers a rule's query; ``value`` is the answer so far. Returned as it is if it is not this episode's."""
        return value

    def forbids(self, state: State, nation: str, area: str, to: str) -> str:
        """What is said to who would take a step or retreat that this episode bars (`Barred`); empty if it does not."""
        return ""

    def react(self, state: State, event: Any) -> Iterable[Any]:
        """What an event sets off that is one of ``reacts``."""
        return ()
