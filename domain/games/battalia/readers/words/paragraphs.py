"""Extra fields for sentences, and condensed paragraphs, using only lines from `reveal`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from domain.games.battalia.cards import CARDS, RUINS
from domain.games.battalia.state import NOBODY

Line = Mapping[str, Any]

_PASSED_OVER = frozenset(
    (
        "turn_began",
        "turn_ended",
        "day_ended",
        "question_asked",
        "question_answered",
        "cards_drawn",
        "cards_discarded",
        "deck_shuffled",
        "line_pledged",
        "line_paid",
        "cards_laid",
    )
)
"""Lines that are left out of paragraphs: the heading shows the turn, and a later reveal shows the pledged cards."""


def gloss(line: Line) -> Mapping[str, Any]:
    """The manner of a line, and the extra fields for its sentence."""
    match line["type"]:
        case "order_given":
            order = line["order"]
            return {**order, "manner": "-".join(filter(None, (order["type"], order.get("how"))))}
        case "order_withdrawn":
            return {"manner": line["order"]}
        case "question_asked":
            return {**line["about"], "manner": line["kind"]}
        case "day_announced" | "wheel_turned" if line["lit"] == line["matching"]:
            return {"manner": "both"}
        case "end_reached":
            return {"manner": line["reason"]}
        case "game_ended":
            return {"manner": "outranked" if outranked(line) else ""}
        case "hero_disbanded":
            return {"manner": line.get("why")}
        case "cards_drawn" if not line["count"]:
            return {"manner": "none"}
        case "card_taken" if CARDS[line["card"]].group == "unit":
            return {"manner": "unit"}
        case "amulet_rolled" if len(line["tokens"]) < len(line["rolls"]):
            return {"manner": "wish"}
        case "battle_fought":
            return {"manner": _battle(line)}
        case "figure_fought" if line["won"]:
            return {"manner": "won"}
        case "city_levelled" if not line["level"]:
            return {"manner": "ruined"}
        case _:
            return _of_nobody(line)


def outranked(line: Line) -> bool:
    """Whether keys decided and not points (KEE-07, KEE-09): one loser has more points than all winners together."""
    scores = {int(seat): points for seat, points in line["scores"].items()}
    less = sum(scores[seat] for seat in line["winners"]) < max(scores.values(), default=0)
    return bool(line["winners"]) and less and line.get("reason") not in ("alone", "conceded")


def _battle(line: Line) -> str:
    won = line["winner"] == line["seat"]
    if line["defender"] == NOBODY:
        what = RUINS if RUINS in line["defence"] else "city"
        return f"won-{what}" if won else what
    if won:
        return "won"
    return "tied" if line["strength"] == line["against"] else ""


def _of_nobody(line: Line) -> Mapping[str, Any]:
    """The manner for neutral cities and the ruins."""
    against = {"battle_began": "defender", "city_taken": "loser", "city_destroyed": "owner", "city_lost": "to"}
    name = against.get(line["type"], "")
    if not name:
        return {}
    if line[name] is None:
        return {"manner": "gone"}
    return {"manner": "unowned"} if line[name] == NOBODY else {}


def condense(lines: Sequence[Line]) -> Sequence[Line]:
    """The condensed lines of a turn or a day: consecutive steps become one walk, and minor lines are omitted."""
    told: list[Line] = []
    for line in lines:
        match line["type"]:
            case "day_announced":
                told.append({"type": "wheel_turned", "lit": line["lit"], "matching": line["matching"]})
            case "hero_entered" if told and _won_a_place(told[-1]):
                continue
            case "ruins_beaten" if told and _won_a_place(told[-1]):
                continue
            case "hero_stepped" if told and _goes_on(told[-1], line):
                told[-1] = _further(told[-1], line)
            case type_ if type_ not in _PASSED_OVER:
                told.append(line)
    return told or [{"type": "turn_passed", "seat": seat} for seat in _passed(lines)]


def _passed(lines: Sequence[Line]) -> Sequence[int]:
    """The seats whose turn both begins and ends within the lines. The content of an earlier turn is unknown here."""
    begun: set[int] = set()
    passed = []
    for line in lines:
        if line["type"] == "turn_began":
            begun.add(line["seat"])
        elif line["type"] == "turn_ended" and line["seat"] in begun:
            passed.append(line["seat"])
    return passed


def _won_a_place(before: Line) -> bool:
    """Whether the previous line already covers a conquered square and its contents."""
    return before["type"] == "city_taken" or (before["type"] == "battle_fought" and RUINS in before["defence"])


def _goes_on(before: Line, line: Line) -> bool:
    walks = before["type"] in ("hero_stepped", "hero_walked")
    return walks and (before["hero"], before["to"]) == (line["hero"], line["origin"])


def _further(before: Line, line: Line) -> Line:
    return {
        "type": "hero_walked",
        "seat": line["seat"],
        "hero": line["hero"],
        "origin": before["origin"],
        "via": [*before.get("via", ()), before["to"]],
        "to": line["to"],
        "paid": [*before["paid"], *line["paid"]],
    }
