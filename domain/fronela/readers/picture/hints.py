"""How Fronela may be shown by a client that knows no game: its commands in order, and what their parameters are."""

from __future__ import annotations

from collections.abc import Mapping

from domain.drawing.hints import Hint, Parameter

_MOVE, _FIGHT, _END = "Move", "Fight", "Go on"

HINTS: Mapping[str, Hint] = {
    "grow": Hint("Let a unit grow", icon="+"),
    "place": Hint("Place the unit", icon="⌂"),
    "guide": Hint("Guide them", icon="➜"),
    "rally": Hint("Rally", icon="⚑"),
    "land": Hint("Land", icon="⚓"),
    "ride": Hint("Ride", icon="➜"),
    "sacrifice": Hint("Sacrifice", icon="✦"),
    "go": Hint("Go all the way", _MOVE, "➜", "to any area that they reach without being stopped"),
    "march": Hint("March one step", _MOVE, "→"),
    "fight": Hint("Fight a round", _FIGHT, "⚔"),
    "fight_on": Hint("Fight on", _FIGHT, "⚔", "several rounds, one after another"),
    "retreat": Hint("Retreat", _FIGHT, "←"),
    "take": Hint("Take losses", _FIGHT, "↓"),
    "bend_die": Hint("Bend a die", _FIGHT, "⚄"),
    "auto": Hint("The usual answer", _END, "↻", "as silence would give it, for all that is left of the question"),
    "pass_nations": Hint("Pass all my nations", _END, "»", "up to the next thing that must be decided"),
    "done": Hint("Done", _END, "✓"),
}

PARAMETERS: Mapping[str, Parameter] = {
    "area": Parameter("Area"),
    "unit": Parameter("Units"),
    "kind": Parameter("Unit"),
    "to": Parameter("To", "area"),
    "via": Parameter("By way of", "area"),
    "count": Parameter("How many"),
    "against": Parameter("Against", "nation"),
    "until": Parameter("Until"),
    "rounds": Parameter("Rounds at most"),
}
