"""The moments of the calendar: what may stand on a day's agenda, as ``moment`` or ``moment:owner`` (DAY-02, DAY-04)."""

from __future__ import annotations

# -- when modules act (`Npc.moments`); the owner is the module's key ---------------------------------------------------

EFFECTS = "effects"
"""DAY-05: first thing in the day."""
WEEK = "week"
"""DAY-04: at the check-point, before anybody enters."""
ENTER = "enter"
"""DAY-04: at the check-point, for who comes onto the map."""
MOVE = "move"
"""DAY-02: after the check-point and before the first turn."""
TURN_END = "turn_end"
"""TURN-06: after every turn."""

# -- when the core acts ------------------------------------------------------------------------------------------------

WEEKS = "weeks"
"""END-04: the check-point counts the weeks."""
TURN = "turn"
"""The owner is the seat whose turn it is."""
CLEAN = "clean"
"""TURN-06: the owner is the seat whose turn has ended."""
LEAVE = "leave"
"""END-06: the owner is a seat that has been left."""
NIGHT = "night"
"""The last of every day."""

CHECK_POINT = (WEEKS, WEEK, ENTER)
"""DAY-04: END-04, the modules' new strengths, who enters; in this order."""


def item(moment: str, owner: object) -> str:
    """An item of the agenda: a moment, and whose it is."""
    return f"{moment}:{owner}"
