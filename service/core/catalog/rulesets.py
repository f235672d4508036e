"""A ruleset for readers: numbers, tables and readings, each with its clause and mark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.rulings import NO_SHEETS, Ruling, Sheet


def build_ruleset(game: AnyGame, name: str) -> dict[str, Any]:
    """A ruleset as JSON, with the names of the earlier ones, newest first."""
    sheet = (game.rules.sheets or NO_SHEETS).get(name, Sheet({}))
    place = list(game.rules.rulesets).index(name)
    return {
        "kind": game.key,
        "name": name,
        "default": place == 0,
        "older": list(game.rules.rulesets[place + 1 :]),
        "numbers": _rulings(sheet.numbers),
        "readings": _rulings(sheet.readings),
        "tables": _rulings(sheet.tables),
    }


def _rulings(rulings: Mapping[str, Ruling]) -> dict[str, Any]:
    return {
        name: {"value": to_json_value(ruling.value), "clause": ruling.clause, "mark": ruling.mark}
        for name, ruling in rulings.items()
    }


def to_json_value(value: Any) -> Any:
    """A value of a ruling as JSON: records become objects, keys become strings, sequences become lists."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return to_json_value(value._asdict())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json_value(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(each) for each in value]
    return value
