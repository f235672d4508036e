"""Things in words that are more than a name: units, dice and what was added to them, ways, losses, who holds what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.fronela.readers.naming import HELP, NAMES, ONE, ground
from domain.game import Form, Named

JSON = Mapping[str, Any]
KINDS = ("unit", "lord_death", "soldier", "lord", "wizard", "farmer")
"""Kinds of unit in the order in which they are told."""
MINUS = "\N{MINUS SIGN}"


def listed(words: Iterable[str]) -> str:
    """Words with commas, and the last with ``and``."""
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last


def begun(text: str) -> str:
    """The text with a capital letter."""
    return text[:1].upper() + text[1:]


def units(counts: Any, _: Named | None = None) -> str:
    """``2 soldiers and a lord``; of nobody ``nobody``."""
    words = [_unit(kind, counts[kind]) for kind in sorted(counts, key=_order) if counts[kind]]
    return listed(words) if words else "nobody"


def _order(kind: str) -> int:
    return KINDS.index(kind) if kind in KINDS else len(KINDS)


def _unit(kind: str, number: int) -> str:
    name = NAMES.get(kind, kind)
    if number == 1:
        return name if kind == "lord_death" else f"a {name}"
    return f"{number} {name}s"


def them(group: Any, named: Named) -> str:
    """``2 soldiers of the Grey Malkioni``; of Gonn Orta his name."""
    folk = named("folk", group["nation"])
    return folk if group["nation"] in ONE else f"{units(group['units'])} of {folk}"


def total(counts: JSON) -> int:
    """How many units these are."""
    return sum(counts.values())


def signed(number: int) -> str:
    """``+1``, or with a true minus sign."""
    return f"+{number}" if number >= 0 else f"{MINUS}{-number}"


# -- dice -------------------------------------------------------------------------------------------------------------


def dice(thrown: Any, _: Named | None = None) -> str:
    """Every face, and where something was added what it came to: ``6, 3-1=2 and 5`` (with a true minus)."""
    return listed(_die(die) for die in thrown) if thrown else "no dice"


def _die(die: JSON) -> str:
    return f"{die['face']}{signed(die['modifier'])}={die['result']}" if die["modifier"] else str(die["face"])


def roll(die: Any, _: Named) -> str:
    """A growth roll in full: ``3, and 2 for their farmers, makes 5``."""
    if not die["modifier"]:
        return str(die["face"])
    because = [f"{more} for {HELP.get(key, NAMES.get(key, key))}" for key, more in die["because"].items()]
    return f"{die['face']}, and {listed(because) if because else str(die['modifier']) + ' more'}, makes {die['result']}"


def aid(added: Any, named: Named) -> str:
    """What is added to dice, and why: ``-1 for attackers in rough land, +1 by a wizard``."""
    return ", ".join(f"{signed(one['by'])} {_why(one, named)}" for one in added)


def _why(added: JSON, named: Named) -> str:
    match added["key"]:
        case "terrain":
            return f"for attackers in {ground(added['area'])}"
        case "unit":
            return f"for the strength of {named('folk', added['who'])}"
        case "defence":
            return f"for {named('folk', added['who'])} in defence"
        case "wizards":
            return f"by a wizard of {named('folk', added['who'])}"
        case key:
            return f"with {HELP.get(key, NAMES.get(key, key))}"


def forces(sides: Any, _: Named) -> str:
    """``3 soldiers and a lord against 2 units``; of one who fights alone only who is there."""
    there = units(sides["defenders"])
    return f"{units(sides['attackers'])} against {there}" if sides["attackers"] else f"who have {there} there"


def rounds(fought: Any, _: Named) -> str:
    """Rounds of one battle: the dice of both sides, and the hits that each side makes."""
    return "; then ".join(_round(one) for one in fought)


def _round(one: JSON) -> str:
    hits = f"{one['dealt']} {'hit' if one['dealt'] == 1 else 'hits'} to {one['suffered'] or 'none'}"
    hits = hits if one["dealt"] else f"no hit to {one['suffered']}" if one["suffered"] else "no hit"
    return f"{dice(one['attack'])} against {dice(one['defence'])} ({hits})"


def toll(hits: Any, _: Named) -> str:
    """The hits on both sides."""
    if not hits["dealt"] and not hits["suffered"]:
        return "no hit on either side"
    dealt = f"{hits['dealt'] or 'no'} {'hits' if hits['dealt'] > 1 else 'hit'} on the defenders"
    return f"{dealt}, {hits['suffered'] or 'none'} on the attackers"


# -- a turn -----------------------------------------------------------------------------------------------------------


def growth(rolls: Any, named: Named) -> str:
    """Where it succeeds, with what it brings, and where it fails, each with its die: ``brings a unit in Charg (5)``."""
    told = []
    for fate, words in (("brought", "brings"), ("declined", "is declined in"), ("no-counter", "finds no counter for")):
        if there := [_grown(one, fate, named) for one in rolls if _fate(one) == fate]:
            told.append(f"{words} {listed(there)}")
    if open_ := [_grown(one, "", named) for one in rolls if _fate(one) == ""]:
        told.append(f"succeeds in {listed(open_)}")
    if failed := [_grown(one, "", named) for one in rolls if _fate(one) == "failed"]:
        told.append(f"fails in {listed(failed)}")
    return ", ".join(told)


def _fate(one: JSON) -> str:
    if not one["grows"]:
        return "failed"
    return "brought" if one["units"] else str(one["why"])


def _grown(one: JSON, fate: str, named: Named) -> str:
    what = f"{units(one['units'])} in " if fate == "brought" else ""
    return f"{what}{named('place', one['area'])} ({_brief(one)})"


def _brief(one: JSON) -> str:
    return f"{one['face']}{signed(one['modifier'])}" if one["modifier"] else str(one["face"])


def moves(marches: Any, named: Named) -> str:
    """Who went which way: ``a soldier goes from Arnstor to Perfe; a lord from Arnstor by Perfe to Junora``."""
    told = []
    for place, march in enumerate(marches):
        start, *between, end = (named("place", area) for area in march["way"])
        verb = "" if place else " goes" if total(march["units"]) == 1 else " go"
        by = f" by {listed(between)}" if between else ""
        who = named("folk", march["who"]) if march["who"] else units(march["units"])
        told.append(f"{who}{verb} from {start}{by} to {end}")
    return "; ".join(told)


def ends(battle: Any, named: Named) -> str:
    """What a battle came to: losses of both sides, who went where, and who holds the area, as far as it is known."""
    told = _losses(battle["lost"], named)
    told += [_went(one, named) for one in battle["went"]]
    if battle["holder"] is not None:
        place = named("place", battle["area"])
        told.append(f"{_holds(battle['holder'], named)} {place}" if battle["holder"] else f"nobody is left in {place}")
    return begun("; ".join(told))


def _losses(lost: JSON, named: Named) -> list[str]:
    told = [
        f"{named('folk', nation)}{'' if place else ' lose'} {units(counts)}"
        for place, (nation, counts) in enumerate((n, c) for n, c in lost.items() if n not in ONE)
    ]
    fallen = [f"{named('folk', nation)} falls" for nation in lost if nation in ONE]
    return [*([", ".join(told)] if told else []), *fallen]


def _went(one: JSON, named: Named) -> str:
    who = them(one, named)
    few = total(one["units"]) == 1
    match one["how"]:
        case "special":
            return f"before a die is thrown {who} {'slips' if few else 'slip'} away to {named('place', one['to'])}"
        case "forced":
            return f"{who} must go back to {named('place', one['to'])}"
        case "no-retreat":
            return f"{who} {'finds' if few else 'find'} no way out and {'is' if few else 'are'} lost"
        case "farmers":
            return f"{who}, left alone, {'is' if few else 'are'} killed"
        case "taken":
            return f"{who} {'is' if few else 'are'} taken over"
        case "back":
            return f"{named('folk', one['nation'])} is driven back to {named('place', one['to'])}"
        case _:
            return f"{who} {'retreats' if few else 'retreat'} to {named('place', one['to'])}"


def _holds(nation: str, named: Named) -> str:
    return f"{named('folk', nation)} {'holds' if nation in ONE else 'hold'}"


def crowded(lost: Any, named: Named) -> str:
    """Units for which there is no room, by area."""
    return listed(f"{units(counts)} in {named('place', area)}" for area, counts in lost.items())


def held(holders: Any, named: Named) -> str:
    """Who holds the areas that were fought for."""
    by: dict[str, list[str]] = {}
    for area, nation in holders.items():
        by.setdefault(nation, []).append(named("place", area))
    return ", ".join(
        f"{_holds(nation, named)} {listed(areas)}" if nation else f"nobody is left in {listed(areas)}"
        for nation, areas in by.items()
    )


def scores(entries: Any, named: Named) -> str:
    """Points of several nations, each with what they are for."""
    return "; ".join(_score(one, named) for one in entries)


def _score(one: JSON, named: Named) -> str:
    verb, points = "scores" if one["nation"] in ONE else "score", sum(one["reasons"].values())
    reasons = listed(
        named("reason" if more == 1 else "reasons", reason) + (f" ({more})" if len(one["reasons"]) > 1 else "")
        for reason, more in one["reasons"].items()
    )
    return f"{named('folk', one['nation'])} {verb} {points} {'point' if points == 1 else 'points'} {reasons}"


def tally(entries: Any, named: Named) -> str:
    """Nations with their points: ``the Owl People 4 and the Trolls 2``."""
    return listed(f"{named('folk', one['nation'])} {one['points']}" for one in entries)


# -- orders, and what has changed ---------------------------------------------------------------------------------------


def losses(order: Any, _: Named) -> str:
    """An order of losses in words."""
    if not order:
        return "as the player says each time"
    return "in the usual order" if order == "usual" else ", then ".join(f"{kind}s" for kind in str(order).split(","))


def holders(areas: Any, named: Named) -> str:
    """Areas, each with who stands there now."""
    return listed(
        f"{named('place', one['area'])} ({listed(named('folk', nation) for nation in one['by'])})"
        if one["by"]
        else f"{named('place', one['area'])} (nobody stands there)"
        for one in areas
    )


def balance(nations: Any, named: Named) -> str:
    """Nations with how many units more or fewer they have."""
    return "; ".join(
        f"{named('folk', one['nation'])} {'has' if one['nation'] in ONE else 'have'} "
        + listed(
            [
                *([f"{units(one['more'])} more"] if one["more"] else []),
                *([f"{units(one['fewer'])} fewer"] if one["fewer"] else []),
            ]
        )
        for one in nations
    )


def standing(colours: Any, _: Named) -> str:
    """The points of every colour, with what has been added."""
    return ", ".join(
        f"{one['colour']} {one['points']}" + (f" ({one['more']} more)" if one["more"] else "") for one in colours
    )


FORMS: Mapping[str, Form] = {
    "balance": balance,
    "crowded": crowded,
    "dice": dice,
    "ends": ends,
    "folks": lambda nations, named: listed(named("folk", nation) for nation in nations),
    "forces": forces,
    "growth": growth,
    "held": held,
    "help": aid,
    "holders": holders,
    "losses": losses,
    "moves": moves,
    "places": lambda areas, named: listed(named("place", area) for area in areas),
    "roll": roll,
    "rounds": rounds,
    "scores": scores,
    "standing": standing,
    "tally": tally,
    "them": them,
    "toll": toll,
    "units": units,
}
"""By how a field is told; see `Game.forms`."""
