"""Pictures of a view: the same JSON that a reader gets, drawn as SVG."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from domain.battalia.readers import board as battalia
from domain.fronela.readers import board as fronela

Seats = Mapping[str, str]
"""The name of who sits in each seat, by the seat's number."""

BOARDS: dict[str, Callable[[Mapping[str, Any], Seats], str]] = {
    "battalia": battalia.board,
    "fronela": fronela.board,
}
"""One line for each game: from the public part of a view to an SVG document."""
