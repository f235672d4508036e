"""Condenses the lines of a turn: growth in one sentence, steps as one route, the rounds of a battle merged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain.games.fronela.readers.naming import COLOUR_OF, ONE, USUAL
from domain.games.fronela.readers.telling import added, gloss

Line = Mapping[str, Any]
_DROPPED = frozenset(("turn_begun", "round_begun", "round_ended", "asked", "hits_spent"))
"""Lines that the heading already covers, or that matter little after the turn."""
_BATTLE = "battle_told"
"""Type of the condensed line of a battle."""


def condense(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines of one paragraph with growth, moves, battles and points merged. Other lines stay as they are."""
    turn = _Turn()
    for line in lines:
        turn.take(line)
    return turn.told()


class _Turn:
    """Collects the lines of a turn."""

    def __init__(self) -> None:
        self._nation = ""
        """The nation whose turn it is; empty while the lines belong to an earlier turn."""
        self._out: list[dict[str, Any] | Line] = []
        self._growth: dict[str, Any] | None = None
        self._moves: dict[str, Any] | None = None
        self._crowded: dict[str, Any] | None = None
        self._battles: dict[tuple[str, str], dict[str, Any]] = {}
        self._strong: dict[str, dict[str, int]] = {}
        """The remaining units of each side in a battle, by area, if the lines show them."""
        self._kills: dict[str, dict[str, int]] = {}
        self._land: dict[str, dict[str, int]] = {}

    def take(self, line: Line) -> None:
        if line["type"] == "turn_begun":
            self._nation = line["nation"]
        if line["type"] in _DROPPED or gloss(line).get("manner") == "usual":
            return
        tell = _TOLD.get(line["type"])
        if tell is None or not tell(self, line):
            self._out.append(line)

    def told(self) -> list[Line]:
        for battle in self._battles.values():  # a turn without an end of fighting: no units were left
            battle["ends"]["holder"] = self._left(battle)
        out: list[Line] = [_shown(line) for line in self._out if line["type"] != "game_ended"]
        return [*out, *self._points(), *(line for line in self._out if line["type"] == "game_ended")]

    def _points(self) -> list[Line]:
        """The lines for points, from kills and from land."""
        out: list[Line] = []
        if self._kills:
            scores = [{"nation": nation, "reasons": reasons} for nation, reasons in self._kills.items()]
            out.append({"type": "kills_told", "scores": scores})
        for colour in dict.fromkeys(COLOUR_OF[nation] for nation in USUAL):
            entries: list[dict[str, Any]] = [
                {"nation": nation, "points": sum(areas.values())}
                for nation, areas in self._land.items()
                if COLOUR_OF[nation] == colour
            ]
            if entries:
                total = sum(entry["points"] for entry in entries)
                entries.sort(key=lambda entry: -entry["points"])
                out.append({"type": "land_told", "colour": colour.title(), "points": total, "nations": entries})
        return out

    def _put(self, line: dict[str, Any]) -> dict[str, Any]:
        self._out.append(line)
        return line

    # -- growth -------------------------------------------------------------------------------------------------------

    def rolled(self, line: Line) -> bool:
        if self._growth is None:
            self._growth = self._put({"type": "growth_told", "rolls": []})
        self._growth["rolls"].append({**line, "units": {}, "why": ""})
        return True

    def _of(self, area: str) -> dict[str, Any] | None:
        """The area's growth roll that has no result yet."""
        rolls = self._growth["rolls"] if self._growth is not None else []
        found = (one for one in rolls if one["area"] == area and one["grows"] and not one["units"] and not one["why"])
        return next(found, None)

    def placed(self, line: Line) -> bool:
        if line["why"] == "arrival" and line["nation"] == self._nation:
            self._put({"type": "arrived", "units": line["units"], "area": line["area"]})
            return True
        one = self._of(line["area"]) if line["why"] == "growth" else None
        if one is not None:
            one["units"] = line["units"]
        return one is not None

    def lost_growth(self, line: Line) -> bool:
        one = self._of(line["area"]) if line["why"] else None
        if one is not None:
            one["why"] = line["why"]
        return one is not None

    # -- moves --------------------------------------------------------------------------------------------------------

    def readied(self, _: Line) -> bool:
        """A nation that moves twice starts again, after the battles of its first move and the landing of its fleet."""
        self._moves = None
        return True

    def marched(self, line: Line) -> bool:
        if self._moves is None:
            if self._out and self._out[-1]["type"] == "stayed":  # a landing fleet or a second move follows
                self._out.pop()
            self._moves = self._put({"type": "moves_told", "moves": []})
        ways: list[dict[str, Any]] = self._moves["moves"]
        left = line["count"]
        for march in ways if line["came"] else ():
            if left and march["way"][-2:] == [line["came"], line["area"]] and march["units"].get(line["kind"]):
                going = min(left, march["units"][line["kind"]])
                march["units"] = {**march["units"], line["kind"]: march["units"][line["kind"]] - going}
                _join(ways, [*march["way"], line["to"]], line, going)
                left -= going
        if left:
            _join(ways, [line["area"], line["to"]], line, left)
        self._moves["moves"] = [march for march in ways if any(march["units"].values())]
        return True

    def moves_ended(self, _: Line) -> bool:
        if self._moves is None and self._nation:
            self._put({"type": "stayed"})
        self._moves = None
        return True

    # -- battles ------------------------------------------------------------------------------------------------------

    def joined(self, line: Line) -> bool:
        key = (line["area"], line["defender"])
        if key not in self._battles:
            told = {**{name: line[name] for name in ("area", "attacker", "defender")}, **gloss(line)}
            told |= {"type": _BATTLE, "manner": "", "rounds": [], "help": []}
            told["they"] = "they" if line["attacker"] == self._nation and line["attacker"] not in ONE else ""
            told["ends"] = {"area": line["area"], "lost": {}, "went": [], "holder": None}
            self._battles[key] = self._put(told)
        if line["attackers"] and line["defenders"]:
            sides = ("attacker", "defender")
            self._strong[line["area"]] = {line[side]: sum(line[f"{side}s"].values()) for side in sides}
        return True

    def bent(self, line: Line) -> bool:
        return any(area == line["area"] for area, _ in self._battles)

    def fought(self, line: Line) -> bool:
        battle = self._battles.get((line["area"], line["defender"]))
        if battle is None:
            return False
        battle["rounds"].append({name: line[name] for name in ("attack", "defence", "dealt", "suffered")})
        battle["help"] += [one for one in added(line) if one not in battle["help"]]
        return True

    def _battle(self, area: str, nation: str) -> dict[str, Any] | None:
        """The latest battle of the nation in the area."""
        found = [battle for (where, foe), battle in self._battles.items() if where == area]
        return next((b for b in reversed(found) if nation in (b["attacker"], b["defender"])), None)

    def lost(self, line: Line) -> bool:
        if line["why"] == "overpopulation":
            if self._crowded is None:
                self._crowded = self._put({"type": "crowded_told", "lost": {}})
            there = self._crowded["lost"].setdefault(line["area"], {})
            there[line["kind"]] = there.get(line["kind"], 0) + line["count"]
            return True
        battle = self._battle(line["area"], line["nation"])
        if battle is None or line["why"] not in ("battle", "farmers", "no-retreat"):
            return False
        self._weaken(line["area"], line["nation"], line["count"])
        if line["why"] == "battle":
            counts = battle["ends"]["lost"].setdefault(line["nation"], {})
            counts[line["kind"]] = counts.get(line["kind"], 0) + line["count"]
        else:
            _go(battle, line["nation"], line["why"], "", line["kind"], line["count"])
        return True

    def taken(self, line: Line) -> bool:
        battle = self._battle(line["area"], line["nation"])
        if battle is not None:
            self._weaken(line["area"], line["nation"], line["count"])
            _go(battle, line["nation"], "taken", "", "farmer", line["count"])
        return battle is not None

    def retreated(self, line: Line) -> bool:
        battle = self._battle(line["area"], line["nation"])
        if battle is not None:
            self._weaken(line["area"], line["nation"], line["count"])
            _go(battle, line["nation"], line["why"], line["to"], line["kind"], line["count"])
        return battle is not None

    def moved(self, line: Line) -> bool:
        battle = self._battle(line["area"], line["person"])
        if battle is None or line["before"]:
            return False
        battle["ends"]["went"].append({"nation": line["person"], "how": "back", "to": line["to"], "units": {}})
        return True

    def fighting_ended(self, line: Line) -> bool:
        for (area, _), battle in self._battles.items():
            battle["ends"]["holder"] = line["held"].get(area)
        self._battles = {}
        return True

    def _weaken(self, area: str, nation: str, number: int) -> None:
        if nation in self._strong.get(area, {}):
            self._strong[area][nation] -= number

    def _left(self, battle: dict[str, Any]) -> str | None:
        """The holder of an area after all attackers have died or left: empty if no units remain, None if undecided."""
        strong = self._strong.get(battle["area"], {})
        several = sum(area == battle["area"] for area, _ in self._battles) > 1
        if several or strong.get(battle["attacker"], 1) > 0:
            return None
        return str(battle["defender"]) if strong[battle["defender"]] > 0 else ""

    # -- points -------------------------------------------------------------------------------------------------------

    def scored(self, line: Line) -> bool:
        if line["reason"] == "area":
            areas = self._land.setdefault(line["nation"], {})
            areas[line["area"]] = areas.get(line["area"], 0) + line["points"]
        else:
            reasons = self._kills.setdefault(line["nation"], {})
            reasons[line["reason"]] = reasons.get(line["reason"], 0) + line["points"]
        return True


def _shown(line: Line) -> Line:
    """Remove the empty result of a battle that has none yet."""
    ends = line["ends"] if line["type"] == _BATTLE else None  # other lines may have a field of this name
    nothing = ends is not None and not ends["lost"] and not ends["went"] and ends["holder"] is None
    return {**line, "ends": {}} if nothing else line


def _join(ways: list[dict[str, Any]], way: list[str], line: Line, number: int) -> None:
    """Add this number of units to a route."""
    kind = line["kind"]
    for march in ways:
        if march["way"] == way:
            march["units"] = {**march["units"], kind: march["units"].get(kind, 0) + number}
            return
    ways.append({"way": way, "units": {kind: number}, "who": line["nation"] if line["nation"] in ONE else ""})


def _go(battle: dict[str, Any], nation: str, how: str, to: str, kind: str, number: int) -> None:
    """Add this number of the nation's units that leave the battle in this way."""
    went: list[dict[str, Any]] = battle["ends"]["went"]
    for one in went:
        if (one["nation"], one["how"], one["to"]) == (nation, how, to):
            one["units"][kind] = one["units"].get(kind, 0) + number
            return
    went.append({"nation": nation, "how": how, "to": to, "units": {kind: number}})


_TOLD: Mapping[str, Callable[[_Turn, Line], bool]] = {
    "battle_joined": _Turn.joined,
    "battle_rolled": _Turn.fought,
    "die_bent": _Turn.bent,
    "farmers_taken": _Turn.taken,
    "fighting_ended": _Turn.fighting_ended,
    "growth_lost": _Turn.lost_growth,
    "growth_rolled": _Turn.rolled,
    "moves_ended": _Turn.moves_ended,
    "person_moved": _Turn.moved,
    "points_scored": _Turn.scored,
    "units_lost": _Turn.lost,
    "units_marched": _Turn.marched,
    "units_placed": _Turn.placed,
    "units_readied": _Turn.readied,
    "units_retreated": _Turn.retreated,
}
"""The method for each type of line. It returns whether it consumed the line."""
