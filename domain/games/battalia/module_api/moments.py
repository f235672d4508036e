"""The moments of the calendar: possible items of a day's agenda, as ``moment`` or ``moment:owner`` (DAY-02, DAY-04)."""

from __future__ import annotations

# -- moments at which modules act (`Npc.moments`); the owner is the module's key -------------------------------------

EFFECTS = "effects"
"""DAY-05: first item of the day."""
WEEK = "week"
"""DAY-04: at the check-point, before any NPC enters."""
ENTER = "enter"
"""DAY-04: at the check-point, when NPCs enter."""
MOVE = "move"
"""DAY-02: after the check-point and before the first turn."""
TURN_END = "turn_end"
"""TURN-06: after every turn."""

# -- moments at which the core acts ---------------------------------------------------------------------------------

WEEKS = "weeks"
"""END-04: the check-point counts the weeks."""
TURN = "turn"
"""The owner is the seat whose turn it is."""
CLEAN = "clean"
"""TURN-06: the owner is the seat whose turn has ended."""
LEAVE = "leave"
"""END-06: the owner is a seat whose player has left."""
NIGHT = "night"
"""The last item of every day."""

CHECK_POINT = (WEEKS, WEEK, ENTER)
"""DAY-04: END-04, the modules' new strengths, entering NPCs; in this order."""


def item(moment: str, owner: object) -> str:
    """An item of the agenda: a moment and its owner."""
    return f"{moment}:{owner}"
