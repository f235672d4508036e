"""Phrases longer than a name: units, dice with modifiers, routes, losses, holders of areas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from domain.games.fronela.readers.naming import ONE, listed, units
from domain.games.fronela.readers.thrown import aid, dice, forces, roll, rounds, signed, toll
from domain.kernel.game.presentation import Form, Named

JSON = Mapping[str, Any]


def begun(text: str) -> str:
    """The text with its first letter capitalized."""
    return text[:1].upper() + text[1:]


def them(group: Any, named: Named) -> str:
    """``two soldiers of the Grey Malkioni``; for Gonn Orta only the name."""
    folk = named("folk", group["nation"])
    return folk if group["nation"] in ONE else f"{units(group['units'])} of {folk}"


def total(counts: JSON) -> int:
    return sum(counts.values())


def _joined(clauses: Iterable[str]) -> str:
    """Clauses that may contain ``and`` themselves, so the last follows a comma: ``grows in A and B, and fails in C``."""
    *before, last = clauses
    return f"{', '.join(before)}, and {last}" if before else last


# -- a turn -----------------------------------------------------------------------------------------------------------


def growth(rolls: Any, named: Named) -> str:
    """Successful growth with its results, then failures, each with its die: ``brings a unit in Charg (5)``."""
    told = []
    for fate, words in (("brought", "brings"), ("declined", "is declined in"), ("no-counter", "finds no counter for")):
        if there := [_grown(one, fate, named) for one in rolls if _fate(one) == fate]:
            told.append(f"{words} {listed(there)}")
    if open_ := [_grown(one, "", named) for one in rolls if _fate(one) == ""]:
        told.append(f"succeeds in {listed(open_)}")
    if failed := [_grown(one, "", named) for one in rolls if _fate(one) == "failed"]:
        told.append(f"fails in {listed(failed)}")
    return _joined(told)


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
    """Moves with their routes: ``a soldier goes from Arnstor to Perfe; a lord from Arnstor by Perfe to Junora``."""
    told = []
    for place, march in enumerate(marches):
        start, *between, end = (named("place", area) for area in march["way"])
        verb = "" if place else " goes" if total(march["units"]) == 1 else " go"
        by = f" via {listed(between)}" if between else ""
        who = named("folk", march["who"]) if march["who"] else units(march["units"])
        told.append(f"{who}{verb} from {start}{by} to {end}")
    return "; ".join(told)


def ends(battle: Any, named: Named) -> str:
    """The result of a battle: losses of both sides, retreats, and the holder of the area if known."""
    told = _losses(battle["lost"], named)
    told += [_went(one, named) for one in battle["went"]]
    if battle["holder"] is not None:
        place = named("place", battle["area"])
        told.append(f"{_holds(battle['holder'], named)} {place}" if battle["holder"] else f"no one is left in {place}")
    return begun("; ".join(told))


def _losses(lost: JSON, named: Named) -> list[str]:
    told = [
        f"{named('folk', nation)}{'' if place else ' lose'} {units(counts)}"
        for place, (nation, counts) in enumerate((n, c) for n, c in lost.items() if n not in ONE)
    ]
    fallen = [f"{named('folk', nation)} falls" for nation in lost if nation in ONE]
    return [*([_joined(told)] if told else []), *fallen]


def _went(one: JSON, named: Named) -> str:
    who = them(one, named)
    few = total(one["units"]) == 1
    match one["how"]:
        case "special":
            return f"before the first roll, {who} {'retreats' if few else 'retreat'} to {named('place', one['to'])}"
        case "forced":
            return f"{who} {'is' if few else 'are'} forced back to {named('place', one['to'])}"
        case "no-retreat":
            return f"{who} {'finds' if few else 'find'} no way out and {'is' if few else 'are'} lost"
        case "farmers":
            return f"{who}, left undefended, {'is' if few else 'are'} killed"
        case "taken":
            return f"{who} {'is' if few else 'are'} taken over"
        case "back":
            return f"{named('folk', one['nation'])} is driven back to {named('place', one['to'])}"
        case _:
            return f"{who} {'retreats' if few else 'retreat'} to {named('place', one['to'])}"


def _holds(nation: str, named: Named) -> str:
    return f"{named('folk', nation)} {'holds' if nation in ONE else 'hold'}"


def crowded(lost: Any, named: Named) -> str:
    """Units that exceed the limit, by area."""
    return listed(f"{units(counts)} in {named('place', area)}" for area, counts in lost.items())


def held(holders: Any, named: Named) -> str:
    """The holders of the areas that were fought for."""
    by: dict[str, list[str]] = {}
    for area, nation in holders.items():
        by.setdefault(nation, []).append(named("place", area))
    return _joined(
        f"{_holds(nation, named)} {listed(areas)}" if nation else f"no one is left in {listed(areas)}"
        for nation, areas in by.items()
    )


def deeds(entries: Any, named: Named) -> str:
    """Points of several nations, each with its reasons."""
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
        return "as the player decides each time"
    return "in the usual order" if order == "usual" else ", then ".join(f"{kind}s" for kind in str(order).split(","))


def holders(areas: Any, named: Named) -> str:
    """Areas with the nations that are now there."""
    return listed(
        f"{named('place', one['area'])} (now held by {listed(named('folk', nation) for nation in one['by'])})"
        if one["by"]
        else f"{named('place', one['area'])} (now empty)"
        for one in areas
    )


def balance(nations: Any, named: Named) -> str:
    """Nations with the numbers of units gained and lost."""
    return "; ".join(_changed(one, named) for one in nations)


def _changed(one: JSON, named: Named) -> str:
    folk = named("folk", one["nation"])
    if one["nation"] in ONE:
        return f"{folk} {'has arrived' if one['more'] else 'has fallen'}"
    words = [f"{verb} {units(one[which])}" for verb, which in (("gained", "more"), ("lost", "fewer")) if one[which]]
    return f"{folk} {listed(words)}"


def standing(colours: Any, _: Named) -> str:
    """The points of every color, with the increase."""
    return ", ".join(
        f"{one['colour']} {one['points']}" + (f" (up {one['more']})" if one["more"] else "") for one in colours
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
    "deeds": deeds,
    "standing": standing,
    "tally": tally,
    "them": them,
    "toll": toll,
    "units": units,
}
"""The functions by form; see `Presentation.forms`."""
