"""The available games: the choices of a creator, and the JSON Schema of all input and output."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import msgspec

from domain.kernel.game import AnyGame
from domain.kernel.settings import Setting
from domain.table import bots, features
from service.core.catalog.draws import build_draw_documents
from service.core.catalog.guides import load_clauses, load_guide
from service.core.catalog.line_schemas import build_line_schema
from service.store.codec import state_schema


def build_kind(game: AnyGame) -> dict[str, Any]:
    """A kind of game for its creators: seats, rulesets, options, modules, bots and paces."""
    return {
        "key": game.key,
        "title": game.title,
        "seats": list(game.rules.seats),
        "rulesets": list(game.rules.rulesets),
        "rules": {name: f"/v1/kinds/{game.key}/rulesets/{name}" for name in game.rules.rulesets},
        "options": [_build_setting(each) for each in game.rules.settings],
        "modules": dict(game.rules.modules),
        "bots": list(bots.names(game)),
        "search_bots": list(bots.THINKING),
        "guide": f"/v1/kinds/{game.key}/guide" if load_guide(game) is not None else None,
        "clauses": f"/v1/kinds/{game.key}/clauses" if load_clauses(game) is not None else None,
        "hints": build_hints(game),
        "paces": ["free", "per_question", *(["calendar"] if game.rules.days else [])],
    }


def build_hints(game: AnyGame) -> dict[str, Any]:
    """How a generic client can display this game. Anything missing here is shown by its name."""
    endings = {command["type"] for command in game.rules.endings.values()}
    types = [*game.presentation.hints, *(name for name in game.rules.commands if name not in game.presentation.hints)]
    return {
        "commands": [_build_hint(game, name, ends=name in endings) for name in types if name in game.rules.commands],
        "parameters": {
            name: {"label": each.label, **({"kind": each.kind} if each.kind else {})}
            for name, each in game.presentation.parameters.items()
        },
        "endings": {build_kind: dict(command) for build_kind, command in game.rules.endings.items()},
    }


def _build_hint(game: AnyGame, name: str, *, ends: bool) -> dict[str, Any]:
    hint = game.presentation.hints.get(name)
    label = name.replace("_", " ").capitalize() if hint is None else hint.label
    shown = {} if hint is None else {"group": hint.group, "icon": hint.icon, "note": hint.note}
    order = {"order": True} if name in game.rules.unasked else {}
    return {
        "type": name,
        "label": label,
        **{key: text for key, text in shown.items() if text},
        **order,
        **({"ends": True} if ends else {}),
    }


def build_full_kind(game: AnyGame) -> dict[str, Any]:
    """`build_kind` with all schemas. Table commands and events are listed apart from the game's own."""
    return {
        **build_kind(game),
        "commands": build_schemas(game.rules.commands),
        "events": build_schemas(game.rules.events),
        "lines": build_line_schemas(game.rules.events, game.knowledge.told),
        "draws": build_draw_documents(game.rules),
        "table": {
            "commands": build_schemas(features.COMMANDS),
            "events": build_schemas(features.EVENTS),
            "lines": build_line_schemas(features.EVENTS, features.TOLD),
            "settings": [_build_setting(each) for each in features.SETTINGS],
        },
        "position": state_schema(game.rules),
    }


def build_schemas(classes: Mapping[str, type[Any]]) -> dict[str, Any]:
    """The JSON Schemas of classes, by type name."""
    return {name: build_record_schema(name, cls) for name, cls in classes.items()}


def build_line_schemas(events: Mapping[str, type[Any]], told: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON Schemas of the lines of events as readers get them, by type name."""
    return {name: build_line_schema(name, cls, told) for name, cls in events.items()}


def build_record_schema(name: str, cls: type[Any]) -> dict[str, Any]:
    """The JSON Schema of a command or an event: its ``type`` and its fields."""
    (schema,), definitions = msgspec.json.schema_components([cls], ref_template="#/$defs/{name}")
    own = definitions.pop(schema["$ref"].rpartition("/")[2])
    document = {
        "type": "object",
        "properties": {"type": {"const": name}, **own["properties"]},
        "required": ["type", *own.get("required", ())],
        "additionalProperties": False,
    }
    if cls.__doc__ and not cls.__doc__.startswith(cls.__name__ + "("):
        document["description"] = inspect.cleandoc(cls.__doc__)
    if definitions:
        document["$defs"] = definitions
    return document


def _build_setting(setting: Setting) -> dict[str, Any]:
    document: dict[str, Any] = {"name": setting.name, "text": setting.text, "default": setting.default}
    if setting.needs:
        document["needs"] = list(setting.needs)
    if setting.defaults:
        document["defaults"] = dict(setting.defaults)
    if setting.choices:
        return {**document, "choices": list(setting.choices)}
    return {**document, "min": setting.min, "max": setting.max}
