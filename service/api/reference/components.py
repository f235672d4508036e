"""Shared components of the OpenAPI document: parameters, headers, and the commands and lines of every game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apispec import APISpec

from domain.game import AnyGame
from domain.play.parts import around
from domain.registry import GAMES
from service.api.reference.parameters import HEADERS, PARAMETERS
from service.api.schemas import replies
from service.api.schemas.commands import CommandList, command_schema
from service.api.schemas.lines import line_schema

SCHEMAS = "#/components/schemas/"
TABLE = "table"


def add_components(spec: APISpec) -> None:
    """Fill the document's components, except the bodies of routes."""
    spec.components.security_scheme("token", {"type": "http", "scheme": "bearer"})
    for name, parameter in PARAMETERS.items():
        spec.components.parameter(name, parameter["in"], {"name": name, **parameter})
    for name, header in HEADERS.items():
        spec.components.header(name, header)
    spec.components.schema("UnknownLine", schema=replies.UnknownLine)
    spec.components.schema("Problem", schema=replies.ProblemDocument)
    spec.components.schema("CommandProblem", schema=replies.CommandProblem)
    _add_table(spec)
    for key, game in sorted(GAMES.items()):
        _add_game(spec, key, game)
    commands = [f"{camel(key)}Command" for key in sorted(GAMES)]
    spec.components.schema(
        "Command", {"anyOf": _references(commands), "description": "A command for a game of any kind."}
    )
    spec.components.schema("CommandList", schema=CommandList)
    lines = [*(f"{camel(key)}Line" for key in sorted(GAMES)), "UnknownLine"]
    about = "An event with the fields that the reader may see. The types depend on the kind of game."
    spec.components.schema("Line", {"anyOf": _references(lines), "description": about})


def camel(name: str) -> str:
    """``build_road`` as ``BuildRoad``."""
    return "".join(word[:1].upper() + word[1:] for word in name.replace("-", "_").split("_"))


def _add_table(spec: APISpec) -> None:
    for name, cls in around.COMMANDS.items():
        spec.components.schema(_component(TABLE, name), schema=command_schema(name, cls))
    for name, cls in around.EVENTS.items():
        spec.components.schema(_component(TABLE, name), line_schema(name, cls, around.TOLD))


def _add_game(spec: APISpec, key: str, game: AnyGame) -> None:
    """A component for each command and each line of history, and a union by type of each."""
    for name, cls in game.commands.items():
        spec.components.schema(_component(key, name), schema=command_schema(name, cls))
    for name, cls in game.events.items():
        spec.components.schema(_component(key, name), line_schema(name, cls, game.told))
    commands = {**_named(TABLE, around.COMMANDS), **_named(key, game.commands)}
    lines = {**_named(TABLE, around.EVENTS), **_named(key, game.events)}
    spec.components.schema(f"{camel(key)}Command", _union(commands, f"A command that a seat can send in {game.title}."))
    spec.components.schema(
        f"{camel(key)}Line", _union(lines, f"A line of the history of {game.title}. Later releases can add types.")
    )


def _component(prefix: str, name: str) -> str:
    return camel(prefix) + camel(name)


def _named(prefix: str, types: Mapping[str, Any]) -> dict[str, str]:
    return {name: _component(prefix, name) for name in types}


def _union(components: Mapping[str, str], about: str) -> dict[str, Any]:
    mapping = {name: SCHEMAS + component for name, component in components.items()}
    return {
        "description": about,
        "oneOf": _references(components.values()),
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }


def _references(components: Any) -> list[dict[str, str]]:
    return [{"$ref": SCHEMAS + component} for component in components]
