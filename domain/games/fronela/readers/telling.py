"""Events as JSON lines with display names, and the extra values for their sentences."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from domain.games.fronela.events import SECRET, Die
from domain.games.fronela.readers.naming import NAMES, ONE, PLAIN_REASONS, SEAS, USUAL, terrain
from domain.games.fronela.readers.sentences import ASKS
from domain.games.fronela.scenarios.tables import STEEP
from domain.kernel.shape import snake
from domain.kernel.terms import Seat

Line = Mapping[str, Any]
_ATOMS = frozenset((str, int, bool, type(None)))
"""Types that JSON can represent directly: nearly every field."""
_NAMED = ("nation", "area", "to", "by", "attacker", "defender", "person", "token")


def reveal(event: Any, seat: Seat | None) -> dict[str, Any] | None:
    """The event as the seat may see it: complete, except the standing orders of others."""
    if isinstance(event, SECRET) and event.seat != seat:
        return None
    type_, fields, besides = _form(event.__class__)
    document: dict[str, Any] = {"type": type_}
    for name, called in fields:
        value = getattr(event, name)
        document[name] = value if type(value) in _ATOMS else _plain(value)
        if called and value:
            document[called] = NAMES.get(value, value)
    for name, tell in besides:
        document[name] = tell(document)
    return document


@cache
def _form(
    cls: type[Any],
) -> tuple[str, Sequence[tuple[str, str]], Sequence[tuple[str, Callable[[Line], Any]]]]:
    """The type of an event class, its fields with the keys of their names, and the extra values."""
    fields = [field.name for field in dataclasses.fields(cls)]
    named = [(name, f"{name}_name" if name in _NAMED else "") for name in fields]
    return snake(cls.__name__), named, [(name, tell) for name, needed, tell in _BESIDES if needed <= set(fields)]


def told(events: Mapping[str, type[Any]]) -> dict[str, dict[str, Any]]:
    """The extra fields of `reveal`, by event type (see `domain.kernel.game.knowledge.Knowledge.told`)."""
    return {name: dict(_besides({field.name for field in dataclasses.fields(cls)})) for name, cls in events.items()}


def _besides(fields: Collection[str]) -> Iterator[tuple[str, Any]]:
    yield from ((f"{name}_name", str | int) for name in _NAMED if name in fields)
    if "units" in fields or {"kind", "count"} <= set(fields):
        yield "units_text", str
    yield from ((f"{side}_results", tuple[int, ...]) for side in ("attack", "defence") if side in fields)
    if "order" in fields:
        yield "order_names", tuple[str, ...]
    yield from ((f"{word}_text", str) for word in ("kind", "stance", "reason") if word in fields)


def _plain(value: Any) -> Any:
    if isinstance(value, Die):
        return dataclasses.asdict(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in sorted(value.items())}
    return value


def _text(key: str, texts: Mapping[str, str]) -> str:
    return texts.get(key) or NAMES.get(key) or key.replace("_", " ").replace("-", " ")


def _units(units: Mapping[str, int]) -> str:
    words = [f"{number} {NAMES.get(kind, kind)}{'s' if number > 1 else ''}" for kind, number in sorted(units.items())]
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1] if words else "no units"


# -- extra values for sentences -----------------------------------------------------------------------------------


def gloss(line: Line) -> dict[str, Any]:
    """Grammatical numbers, unit counts, and the manner that selects the template of the line."""
    more: dict[str, Any] = {f"{name}_n": 1 if line[name] in ONE else 2 for name in _ACTING if line.get(name)}
    if "kind" in line and "count" in line:
        more["units"] = {line["kind"]: line["count"]}
    if line.get("nation") and ("units" in more or "units" in line):
        more["them"] = {"nation": line["nation"], "units": more.get("units") or line.get("units")}
    tell = _GLOSSES.get(line["type"])
    if tell is not None:
        more |= tell(line)
    return more


_ACTING = ("nation", "attacker", "defender", "by", "person")


def _asked(line: Line) -> dict[str, Any]:
    return {"manner": line["kind"]} if line["kind"] in ASKS or line["kind"] == "round" else {}


def _order(line: Line) -> dict[str, Any]:
    order = tuple(line["order"])
    if line["place"] >= 0:
        later = order[line["place"] + 1 :]
        if later:
            return {
                "manner": "next",
                "next": later[0],
                "next_n": 1 if later[0] in ONE else 2,
                "then": "".join(later[1:2]),
            }
        return {}
    if order == USUAL:
        return {"manner": "usual"}
    for cut in range(1, 6):
        if order[cut:] == tuple(nation for nation in USUAL if nation not in order[:cut]):
            return {"manner": "front", "front": list(order[:cut])}
    return {}


def _rolled(line: Line) -> dict[str, Any]:
    die = {name: line[name] for name in ("face", "modifier", "result", "because")}
    return {"roll": die, "manner": "grows" if line["grows"] else ""}


def _marched(line: Line) -> dict[str, Any]:
    if line["area"] in SEAS:
        return {"manner": "landed"}
    return {"manner": "ferried"} if line["ferried"] and not line["was_ferried"] else {}


def _joined(line: Line) -> dict[str, Any]:
    sides = {"attackers": {} if line["attacker"] in ONE else line["attackers"], "defenders": line["defenders"]}
    told = line["defenders"] and line["defender"] not in ONE
    return {"forces": sides if told else {}, "manner": "further" if line["number"] > 1 else ""}


def _bent(line: Line) -> dict[str, Any]:
    return {"much": abs(line["by"]), "manner": "stronger" if line["by"] > 0 else ""}


def _battle(line: Line) -> dict[str, Any]:
    return {"help": added(line), "toll": {"dealt": line["dealt"], "suffered": line["suffered"]}}


def added(line: Line) -> list[dict[str, Any]]:
    """The modifiers of the dice in a battle round, each reason once. Older games have only the terrain."""
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    for side, who, other in (("attack", "attacker", "defender"), ("defence", "defender", "attacker")):
        for die in line[side]:
            because = die["because"]
            if not because and side == "attack" and die["modifier"] and terrain(line["area"]) in STEEP:
                because = {"terrain": -1}
            for key, by in because.items():
                bender = line[who if by > 0 else other] if key == "wizards" else line[who]
                found[key, bender, by] = {"key": key, "by": by, "who": bender, "area": line["area"]}
    return list(found.values())


def _lost(line: Line) -> dict[str, Any]:
    if line["why"] == "overpopulation" and line["room"] >= 0:
        return {"manner": "crowded" if line["room"] else "bare"}
    if line["why"] == "event":
        return {"manner": line["cause"]}
    return {"manner": "fallen" if line["why"] == "battle" and line["nation"] in ONE else line["why"]}


def _spent(line: Line) -> dict[str, Any]:
    if line["nation"] in ONE and line["nation"] not in USUAL:
        return {"manner": "person"}
    return {"manner": line["why"]}


def _taken(line: Line) -> dict[str, Any]:
    return {"taken": {"farmer": line["count"]}, "manner": "some" if line["joined"] < line["count"] else ""}


def _moved(line: Line) -> dict[str, Any]:
    return {"manner": line["person"] if line["before"] else f"{line['person']}_back"}


def _scored(line: Line) -> dict[str, Any]:
    return {"manner": "area" if line["reason"] == "area" else "where" if line["area"] else ""}


_GLOSSES: Mapping[str, Callable[[Line], dict[str, Any]]] = {
    "asked": _asked,
    "battle_joined": _joined,
    "battle_rolled": _battle,
    "die_bent": _bent,
    "eye_glared": lambda line: {"manner": "loses" if line["loses"] else ""},
    "farmers_taken": _taken,
    "fighting_ended": lambda line: {"manner": "held" if line["held"] else ""},
    "growth_set": lambda line: {"manner": line["growth"]},
    "withdrawal_set": lambda line: {"manner": line["withdrawal"]},
    "growth_lost": lambda line: {"manner": line["why"].replace("-", "_")},
    "growth_rolled": _rolled,
    "hits_spent": _spent,
    "order_changed": _order,
    "person_moved": _moved,
    "person_placed": lambda line: {"manner": line["person"]},
    "person_removed": lambda line: {"manner": line["person"]},
    "points_scored": _scored,
    "round_ended": lambda line: {"manner": "last" if line["last"] else ""},
    "token_given": lambda line: {"manner": line["token"]},
    "token_taken": lambda line: {"manner": line["token"]},
    "units_lost": _lost,
    "units_marched": _marched,
    "units_placed": lambda line: {"manner": line["why"]},
    "units_readied": lambda line: {"manner": "" if any(map(any, map(dict.values, line["steps"].values()))) else "none"},
    "units_retreated": lambda line: {"manner": line["why"]},
}

_BESIDES: Sequence[tuple[str, set[str], Callable[[Line], Any]]] = (
    ("units_text", {"kind", "count"}, lambda line: _units({line["kind"]: line["count"]})),
    ("units_text", {"units"}, lambda line: _units(line["units"])),
    ("attack_results", {"attack"}, lambda line: [die["result"] for die in line["attack"]]),
    ("defence_results", {"defence"}, lambda line: [die["result"] for die in line["defence"]]),
    ("order_names", {"order"}, lambda line: [NAMES.get(slot, slot) for slot in line["order"]]),
    ("kind_text", {"kind"}, lambda line: _text(line["kind"] or "ask", {})),
    ("stance_text", {"stance"}, lambda line: _text(line["stance"] or "ask", {})),
    ("reason_text", {"reason"}, lambda line: _text(line["reason"] or "ask", PLAIN_REASONS)),
)
"""Extra fields of `reveal`: name, required event fields, and function."""
