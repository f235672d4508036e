"""The colours of all pictures: each a pair for light and dark, chosen so that words stand out from what is under them."""

from __future__ import annotations

from domain.drawing.svg import Tone

PAGE = Tone("#f6f0e2", "#17150f")
PAPER = Tone("#fffaf0", "#27231b")
INK = Tone("#2d2418", "#f1e9d8")
PALE = Tone("#665a46", "#b9ad95")
LINE = Tone("#cdbf9f", "#4d4536")
MOVED = Tone("#b3128f", "#ff7fe0")
"""What the last moves are marked with."""
BANNER = Tone("#1f5c36", "#a6e0b8")
BATTLE = Tone("#a3100f", "#ff8d85")
NOBODY = Tone("#51493d", "#cfc6b4")
"""What belongs to no player."""
TURN = Tone("#7a4a00", "#ffd27a")
WHITE = Tone("#ffffff", "#17150f")
"""Words on what is coloured."""

SEATS = (
    Tone("#15598c", "#82c4f5"),
    Tone("#a8281c", "#ff9d8f"),
    Tone("#1f6b40", "#86d9a8"),
    Tone("#7a5600", "#efc65b"),
    Tone("#6d3590", "#d3a6ef"),
    Tone("#9a4300", "#ffb27a"),
    Tone("#0f6a5b", "#7bdac9"),
    Tone("#2c3e50", "#c3d3e4"),
)
"""By seat, the first one's first."""
