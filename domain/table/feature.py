"""A feature of the table: play by post around any game, such as chat, votes and undo.

A feature has its own commands and events in the same log, and its own memory under its key in
`domain.kernel.lifecycle.Table`. A game has a feature if its first commit names the feature's settings. Games that are
older than a feature, or were created without it, are not affected by it. Features never see the game's secrets. They call
methods of the objects they get and do not read the game's state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from domain.kernel.errors import FeatureDisabled
from domain.kernel.game import AnyGame
from domain.kernel.lifecycle import PLAYER, Table
from domain.kernel.record import Clock, Position
from domain.kernel.settings import Setting
from domain.kernel.terms import Seat, Seq

M = TypeVar("M")

PLACE = 100
"""The lowest place of features' questions, above any stack of a game.

Their serials are minus the seq of the commit that asked, so they are unique.
"""


@dataclass(frozen=True, slots=True)
class Moment:
    """The game when a command to a feature is decided."""

    game: AnyGame
    position: Position
    seq: Seq
    """The seq of the commit in progress."""
    at: int
    """When it is settled, milliseconds of Unix time."""
    clock: Clock | None = None
    """The clock of the pace. None if options are listed by a caller that ignores the last minutes of a calendar day."""
    by: str = PLAYER
    """The listing party: the seat's player, or its `SITTER`, who has fewer options."""

    @property
    def table(self) -> Table:
        """The seats and settings of the table."""
        assert self.position.table is not None
        return self.position.table

    def at_table(self, table: Table) -> Moment:
        """The moment with the table after events of its commit that have been decided already."""
        return replace(self, position=replace(self.position, table=table))


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFeature(Generic[M]):
    """What a feature declares, and the functions that every feature has. Its memory ``M`` is a frozen dataclass."""

    key: str
    memory: type[M]
    is_on: Callable[[Mapping[str, Any]], bool]
    """Whether a game created with these table settings has the feature."""
    begin: Callable[[Mapping[str, Any], int], M]
    """The memory when the game begins, from every setting of the feature and the number of seats."""
    decide: Callable[[M, Moment, Seat, Any], Sequence[Any]]
    """The events of a command, at least one. May refuse with `RuleViolation`, never rolls, knows only the moment's time.
    """
    evolve: Callable[[M, Any, Seq, int], M]
    """The memory after any event of the table, its own or another feature's, in the commit of this seq and time."""
    view: Callable[[M], Mapping[str, Any]]
    """Its public view, under its key in the view's ``table``."""
    settings: Sequence[Setting] = ()
    """The settings for the creator of a game."""
    commands: Mapping[str, type[Any]] = field(default_factory=dict)
    """Commands that a seat may send, with or without a question (`domain.kernel.shape.catalogue`)."""
    routed: Mapping[str, type[Any]] = field(default_factory=dict)
    """Commands made by a route of their own. Clients cannot send them directly."""
    unasked: Collection[str] = ()
    """Types of commands that need no question. A seat may send only a limited number of them in a period."""
    system: Mapping[str, type[Any]] = field(default_factory=dict)
    """Commands of SYSTEM about a seat, submitted on request of the service. Each has a ``seat``; `decide` handles them."""
    events: Mapping[str, type[Any]] = field(default_factory=dict)
    sentences: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    asks: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """The kinds of its questions, and their texts as in `domain.kernel.game.presentation.Presentation.asks`."""
    names: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    """As `domain.kernel.game.presentation.Presentation.names`."""

    def memory_at(self, table: Table | None) -> M | None:
        """The table's memory of the feature. None in a game without it."""
        return None if table is None else table.memories.get(self.key)

    def required_at(self, table: Table) -> M:
        """As `memory_at`. Raises `FeatureDisabled` in a game without the feature."""
        memory = self.memory_at(table)
        if memory is None:
            raise FeatureDisabled("This feature is disabled in this game.")
        return memory
