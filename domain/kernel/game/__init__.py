"""A game: its key and title, and the four interfaces that the kernel, the store and the API call.

`Rules` is required. `Knowledge`, `Presentation` and `Bots` have defaults for a game without secrets. A caller takes only
the interface that it needs. `domain.registry` finds games; `docs/extending.md` builds one from nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from domain import RELEASE
from domain.kernel.game.bots import Bots
from domain.kernel.game.knowledge import Knowledge
from domain.kernel.game.presentation import Presentation
from domain.kernel.game.rules import Rules

S = TypeVar("S")
C = TypeVar("C")
E = TypeVar("E")


@dataclass(frozen=True, eq=False)
class Game(Generic[S, C, E]):
    """A game with state ``S``, commands ``C`` and events ``E``."""

    key: str
    title: str
    rules: Rules[S, C, E]
    knowledge: Knowledge[S, E] = field(default_factory=Knowledge)
    presentation: Presentation = field(default_factory=Presentation)
    bots: Bots[S] = field(default_factory=Bots)
    release: str = RELEASE
    """The release of these rules, which commits name. Frozen rules have an older one than the current release."""


AnyGame = Game[Any, Any, Any]
