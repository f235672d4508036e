"""Standing orders in stories."""

from __future__ import annotations

from typing import Any

from domain.games.battalia.events import OrderFollowed
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.state import BattaliaState
from tests.battalia.table import command
from tests.story import Story


def ordering(state: BattaliaState, seat: int, type_: str, **said: Any) -> BattaliaState:
    """The state after the seat gave the order."""
    return Story(BATTALIA, state).when(seat, command(type_, **said)).state


def followed(story: Story) -> list[tuple[int, str]]:
    """Orders followed after the last command: pairs of seat and kind of question."""
    return [(event.seat, event.kind) for event in story.of(OrderFollowed)]
