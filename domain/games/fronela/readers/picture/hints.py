"""How a generic client can show Fronela: the order of its commands and the labels of their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from domain.drawing.hints import Hint, Parameter

_MOVE, _FIGHT, _END = "Move", "Fight", "Continue"

HINTS: Mapping[str, Hint] = {
    "grow": Hint("Grow a unit", icon="+"),
    "place": Hint("Place the unit", icon="⌂"),
    "guide": Hint("Lead Hrestol", icon="➜"),
    "rally": Hint("Rally", icon="⚑"),
    "land": Hint("Land", icon="⚓"),
    "ride": Hint("Ride", icon="➜"),
    "sacrifice": Hint("Sacrifice", icon="✦"),
    "go": Hint("Go all the way", _MOVE, "➜", "to any area within reach"),
    "march": Hint("March one step", _MOVE, "→"),
    "fight": Hint("Fight a round", _FIGHT, "⚔"),
    "fight_on": Hint("Fight on", _FIGHT, "⚔", "several rounds in a row"),
    "retreat": Hint("Retreat", _FIGHT, "←"),
    "take": Hint("Take losses", _FIGHT, "↓"),
    "bend_die": Hint("Change a die", _FIGHT, "⚄"),
    "auto": Hint("Play the default", _END, "↻", "as if time had run out, for the rest of this decision"),
    "pass_nations": Hint("Pass all my nations", _END, "»", "up to the next decision that cannot be skipped"),
    "done": Hint("Done", _END, "✓"),
    "set_stance": Hint("Set the stance", note="whether a nation retreats when it is attacked"),
    "set_refuges": Hint("Set the refuges", note="where a nation retreats to"),
    "set_losses": Hint("Set the losses", note="which units are lost first"),
    "set_wizards": Hint("Set the wizards' policy", note="what the wizards of a nation do in battle"),
    "set_growth": Hint("Set the growth", note="whether a nation grows where it can"),
    "set_withdrawal": Hint("Set the withdrawal", note="when a nation leaves a battle"),
}

PARAMETERS: Mapping[str, Parameter] = {
    "area": Parameter("Area"),
    "unit": Parameter("Units"),
    "kind": Parameter("Unit"),
    "to": Parameter("To", "area"),
    "via": Parameter("Via", "area"),
    "count": Parameter("How many"),
    "against": Parameter("Against", "nation"),
    "until": Parameter("Until"),
    "rounds": Parameter("Maximum rounds"),
    "own": Parameter("Own units, first to last"),
    "enemy": Parameter("Enemy units, first to last"),
    "areas": Parameter("Areas, first to last"),
}
