"""Parts that all boards share: heading with the player to move, banner at the end, legend, badges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.drawing.lettering import isolated, width, wrapped
from domain.drawing.palette import BANNER, INK, PALE, TURN, WHITE
from domain.drawing.svg import LEADING, WIDTH, SvgGroup, Tone, counted

View = Mapping[str, Any]
EDGE = 20
"""Margin at the sides."""
ROOM = WIDTH - 2 * EDGE


def name_of(seats: Mapping[str, str], seat: object) -> str:
    """The name of a seat's player, or the seat's number."""
    return seats.get(str(seat), f"seat {seat}")


def listed(names: Sequence[str]) -> str:
    """Joins names: ``Ash, Birk and Cy``."""
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]])


def ending(view: View, seats: Mapping[str, str], ends: Mapping[str, str]) -> list[str]:
    """The winners with their points, and the reason for the end (`Presentation.ends`); empty until the game ends."""
    outcome = view.get("table", {}).get("outcome")
    if outcome is None:
        return []
    scores = {str(seat): points for seat, points in outcome["scores"].items()}
    names = {str(seat): isolated(name_of(seats, seat)) for seat in outcome["winners"]}
    with_points = {seat: counted(scores.get(seat, 0), "point") for seat in names}
    match list(names):
        case []:
            won = "No one has won"
        case [seat] if not scores:
            won = f"{names[seat]} has won"
        case [seat]:
            won = f"{names[seat]} has won, with {with_points[seat]}"
        case several:
            won = f"{listed([f'{names[seat]} ({with_points[seat]})' for seat in several])} have won"
    return [f"{won}.", f"The game is over: {why(str(outcome['reason']), ends)}."]


BY_VOTE = {"aborted": "its players have agreed to end it", "conceded": "the others have conceded"}
"""Reasons that can end any game."""


def why(reason: str, ends: Mapping[str, str]) -> str:
    """The reason in the game's words; if it has none, the reason itself without hyphens and underscores."""
    return ends.get(reason, BY_VOTE.get(reason) or reason.replace("_", " ").replace("-", " "))


def heading(group: SvgGroup, view: View, title: str, aside: str, standing: str, over: Sequence[str]) -> float:
    """Draw the title, the text at its right, and the player to move or the winner. Returns the bottom edge.

    The text at the right also says whether the game is a sandbox.
    """
    aside = " · ".join([*([aside] if aside else []), *(["sandbox"] if view.get("table", {}).get("sandbox") else [])])
    beside = width(aside, 17, bold=False) + 16 if aside else 0
    size = 26 if width(title, 26) <= ROOM - beside else 21
    tall = group.lines(EDGE, 40, title, size, ROOM - beside, font_weight="bold", fill=INK)
    if aside:
        group.text(WIDTH - EDGE, 40, aside, 17, anchor="end", fill=PALE)
    y = 56.0 + tall - size * LEADING
    if over:
        sizes = (22, 17)
        tall = 16 + sum(_tall(words, size) for words, size in zip(over, sizes, strict=False))
        banner = group.group(kind="banner", ref="outcome")
        banner.rectangle(EDGE, y, ROOM, tall, rx=8, fill=BANNER)
        line = y + 8
        for words, size in zip(over, sizes, strict=False):
            weight = "bold" if size == 22 else None
            line += banner.lines(EDGE + 16, line + size, words, size, ROOM - 32, fill=WHITE, font_weight=weight)
        return y + tall + 12
    if standing:
        group.polygon([(EDGE, y + 2), (EDGE + 14, y + 10), (EDGE, y + 18)], fill=TURN)
        y += group.lines(EDGE + 24, y + 17, standing, 18, ROOM - 24, fill=TURN, font_weight="bold")
    return y + 12


def _tall(words: str, size: int) -> float:
    return len(wrapped(words, size, ROOM - 32, bold=size == 22)) * size * LEADING


class Flow:
    """Positions from left to right, continued on the next line when a line is full."""

    def __init__(self, y: float, tall: float, left: float = EDGE, right: float = WIDTH - EDGE, gap: float = 10) -> None:
        self.x, self.y, self.tall = left, y, tall
        self.left, self.right, self.gap = left, right, gap

    def place(self, wide: float) -> tuple[float, float]:
        """The upper left corner of the next position."""
        if self.x > self.left and self.x + wide > self.right:
            self.x, self.y = self.left, self.y + self.tall
        found = self.x, self.y
        self.x += wide + self.gap
        return found

    @property
    def bottom(self) -> float:
        """The bottom edge of the current line."""
        return self.y + self.tall


Sign = tuple[str, Callable[[SvgGroup, float, float], None], Mapping[str, object]]
"""The meaning of a sign, a function that draws it in 32 by 22 units from a corner, and the group's attributes."""


def legend(group: SvgGroup, y: float, title: str, signs: Sequence[Sign]) -> float:
    """Draw every sign with its meaning. Returns the bottom edge."""
    group.text(EDGE, y + 16, title, 17, font_weight="bold", fill=INK)
    flow = Flow(y + 28, 30, gap=18)
    for words, draw, attributes in signs:
        wide = min(38 + width(words, 15, bold=False), ROOM)
        left, top = flow.place(wide)
        one = group.group(**attributes)
        draw(one, left, top)
        one.text(left + 38, top + 16, words, 15, fill=INK, fit=ROOM - 38)
    return flow.bottom


def badge(
    group: SvgGroup,
    x: float,
    y: float,
    wide: float,
    tall: float,
    words: str,
    size: float,
    fill: Tone,
    **attributes: object,
) -> None:
    """A small plate with a sign, never covered by anything else; ``words`` shrink to fit."""
    ink = attributes.pop("ink", WHITE)
    shown = group.group(**{"class": "badge"})
    shown.rectangle(x, y, wide, tall, fill=fill, **attributes)
    fitting = min(size, size * (wide - 4) / max(1.0, width(words, size)))
    shown.text(
        x + wide / 2, y + tall / 2 + fitting * 0.36, words, fitting, anchor="middle", font_weight="bold", fill=ink
    )
