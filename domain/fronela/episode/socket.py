"""The episode socket: how a piece of history is plugged into some rounds, without the core naming any of them.

An episode moves the board only through the events of `events`; what it must remember lies in persons and tokens.
Events of its own (a die that it rolls) change no state.
"""

# ruff: noqa: ARG002 - a hook takes what its socket gives, whether it needs it or not

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from domain.fronela.episode.decision import Decision, QuestionKind, Step
from domain.fronela.scenarios import SCENARIOS
from domain.fronela.scenarios.tables import Arrival
from domain.fronela.state import Group, State
from domain.terms import Seat

V = TypeVar("V")


# -- what a rule queries ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Steps:
    """How many steps a unit has that may move: int."""

    nation: str
    kind: str


@dataclass(frozen=True, slots=True)
class GrowthBonus:
    """What is added to a growth roll: int."""

    nation: str
    area: str


@dataclass(frozen=True, slots=True)
class DieBonus:
    """What is added to a combat die: int."""

    fighter: str
    area: str
    die: int
    """1 for the fighter's first."""


@dataclass(frozen=True, slots=True)
class Maximum:
    """How many units of a kind may stay: int."""

    nation: str
    kind: str
    area: str


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Who arrives for the nation in this round: tuple of Arrival."""

    nation: str


@dataclass(frozen=True, slots=True)
class ArrivalAreas:
    """Where an arrival may come to, the best first: tuple of areas."""

    arrival: Arrival


@dataclass(frozen=True, slots=True)
class Crossings:
    """Where else a group can step to, not being adjacent: tuple of areas."""

    nation: str
    area: str
    group: Group


@dataclass(frozen=True, slots=True)
class Barred:
    """Which clause forbids the nation this step or retreat: str, empty for none."""

    nation: str
    area: str
    to: str


@dataclass(frozen=True, slots=True)
class SpecialRetreat:
    """Whether the nation may leave before the first roll: bool."""

    nation: str
    area: str
    attacker: str


Query = Steps | GrowthBonus | DieBonus | Maximum | Arrivals | ArrivalAreas | Crossings | Barred | SpecialRetreat


# -- the socket -------------------------------------------------------------------------------------------------------


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

    def react(self, state: State, event: Any) -> Iterable[Any]:
        """What an event sets off."""
        return ()


# -- the registry -----------------------------------------------------------------------------------------------------


_registered: dict[str, Episode] = {}


def register(*episodes: Episode) -> Mapping[str, Episode]:
    """Enter the episodes, and return all there are, by key; raises `ValueError` for a key that is taken.

    `domain.fronela.episodes` does this when it is imported, once.
    """
    for episode in episodes:
        if episode.key in _registered:
            raise ValueError(f"two episodes are called {episode.key}")
        _registered[episode.key] = episode
    return MappingProxyType(_registered)


@lru_cache(maxsize=256)
def _live(scenario: str, number: int) -> tuple[Episode, ...]:
    tables = SCENARIOS[scenario].episodes
    missing = sorted(tables.keys() - _registered.keys())
    if missing:
        raise LookupError(
            f"no such episodes: {', '.join(missing)}; has domain.fronela.episodes, which registers them, been imported?"
        )
    return tuple(
        _registered[key] for key, facts in tables.items() if facts["rounds"][0] <= number <= facts["rounds"][1]
    )


def live(state: State) -> tuple[Episode, ...]:
    """The episodes of this round, in the scenario's order; raises `LookupError` if one is not registered."""
    return _live(state.scenario, state.round)


def adjusted(state: State, query: Query, value: V) -> V:
    """The value after every episode of the round has adjusted it."""
    for episode in live(state):
        value = episode.adjust(state, query, value)
    return value


def seat_of(state: State, slot: str) -> Seat:
    """Who plays a nation, or a person that has turns."""
    nation = state.tables.nations.get(slot)
    if nation is not None:
        return nation.seat
    return next(seat for episode in live(state) if (seat := episode.owner(state, slot)) is not None)
