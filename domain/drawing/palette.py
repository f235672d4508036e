"""The colors of all pictures, each as a pair for light and dark, with enough contrast for text."""

from __future__ import annotations

from domain.drawing.svg import Tone

PAGE = Tone("#f6f0e2", "#17150f")
PAPER = Tone("#fffaf0", "#27231b")
INK = Tone("#2d2418", "#f1e9d8")
PALE = Tone("#665a46", "#b9ad95")
LINE = Tone("#cdbf9f", "#4d4536")
MOVED = Tone("#b3128f", "#ff7fe0")
"""Marks the last moves."""
BANNER = Tone("#1f5c36", "#a6e0b8")
BATTLE = Tone("#a3100f", "#ff8d85")
NOBODY = Tone("#51493d", "#cfc6b4")
"""For things that belong to no player."""
TURN = Tone("#7a4a00", "#ffd27a")
WHITE = Tone("#ffffff", "#17150f")
"""For text on colored backgrounds."""

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
"""Colors of the seats, in order."""
