"""Dice in words: faces, modifiers with reasons, and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from domain.games.fronela.readers.naming import HELP, NAMES, ground, listed, units
from domain.kernel.game.presentation import Named

JSON = Mapping[str, Any]
MINUS = "\N{MINUS SIGN}"


def signed(number: int) -> str:
    """``+1``, or a negative number with a true minus sign."""
    return f"+{number}" if number >= 0 else f"{MINUS}{-number}"


def dice(thrown: Any, _: Named | None = None) -> str:
    """Every face, with the result if it was modified: ``6, 3-1=2 and 5`` (with a true minus sign)."""
    return listed(_die(die) for die in thrown) if thrown else "no dice"


def _die(die: JSON) -> str:
    if not die["modifier"]:
        return str(die["face"])
    result = die["result"]
    return f"{die['face']}{signed(die['modifier'])}={result if result >= 0 else signed(result)}"


def roll(die: Any, _: Named) -> str:
    """A growth roll in full: ``3, plus 2 for their farmers, makes 5``."""
    if not die["modifier"]:
        return str(die["face"])
    because = [f"{more} for {HELP.get(key, NAMES.get(key, key))}" for key, more in die["because"].items()]
    if not because:  # an older game, which records no reasons
        return f"{die['face']} plus {die['modifier']} makes {die['result']}"
    return f"{die['face']}, plus {listed(because)}, makes {die['result']}"


def aid(added: Any, named: Named) -> str:
    """Modifiers of dice with their reasons: ``-1 for attackers in rough land, +1 by a wizard``."""
    return ", ".join(f"{signed(one['by'])} {_why(one, named)}" for one in added)


def _why(added: JSON, named: Named) -> str:
    match added["key"]:
        case "terrain":
            return f"for attackers in {ground(added['area'])}"
        case "unit":
            return f"for the strength of {named('folk', added['who'])}"
        case "defence":
            return f"for {named('folk', added['who'])} in defense"
        case "wizards":
            return f"by a wizard of {named('folk', added['who'])}"
        case key:
            return f"with {HELP.get(key, NAMES.get(key, key))}"


def forces(sides: Any, _: Named) -> str:
    """``three soldiers and a lord against two units``. For a person who fights alone, only the defenders."""
    there = units(sides["defenders"])
    return f"{units(sides['attackers'])} against {there}" if sides["attackers"] else f"who have {there} there"


def rounds(fought: Any, _: Named) -> str:
    """Rounds of one battle: the dice and the hits of both sides."""
    return "; then ".join(_round(one) for one in fought)


def _round(one: JSON) -> str:
    hits = f"{one['dealt']} {'hit' if one['dealt'] == 1 else 'hits'} to {one['suffered'] or 'none'}"
    hits = hits if one["dealt"] else f"no hits to {one['suffered']}" if one["suffered"] else "no hits"
    return f"{dice(one['attack'])} against {dice(one['defence'])} ({hits})"


def toll(hits: Any, _: Named) -> str:
    """The hits on both sides."""
    if not hits["dealt"] and not hits["suffered"]:
        return "no hits on either side"
    dealt = f"{hits['dealt'] or 'no'} {'hit' if hits['dealt'] == 1 else 'hits'} on the defenders"
    return f"{dealt}, {hits['suffered'] or 'none'} on the attackers"
