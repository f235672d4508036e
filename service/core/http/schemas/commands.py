"""Schemas of commands and lists of commands, derived from the dataclasses of the commands."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from marshmallow import ValidationError

from domain.kernel.game import AnyGame
from domain.kernel.shape import hints
from domain.table import features
from service.core.http.problems import MAX_ERRORS, Problem, invalid_fields
from service.core.http.schemas.fields import (
    ComponentField,
    EnumField,
    ListField,
    example,
    field_for,
)
from service.core.http.schemas.requests import Request, body_object, loaded
from service.store.shared.lists import MOST_IN_LIST

EXAMPLE: Mapping[str, Any] = {"type": "take", "heap": 2, "objects": 1}
"""A move of Nim. No example resigns, because the API explorer sends examples with the reader's own token."""

MOST_VALUES = 500
"""Maximum number of list elements in the commands of one body."""

_MADE: dict[tuple[str, type[Any]], type[Request]] = {}


def command_schema(name: str, cls: type[Any]) -> type[Request]:
    """The schema of a command with this type name: each field of its dataclass, by its type."""
    if (name, cls) not in _MADE:
        _MADE[name, cls] = _derived(name, cls)
    return _MADE[name, cls]


def _derived(name: str, cls: type[Any]) -> type[Request]:
    missing = dataclasses.MISSING
    fields_: dict[str, Any] = {"type": EnumField(name, required=True)}
    for field in dataclasses.fields(cls):
        required = field.default is missing and field.default_factory is missing
        fields_[field.name] = field_for(hints(cls)[field.name], required=required)
    if cls.__doc__ and not cls.__doc__.startswith(cls.__name__ + "("):
        fields_["Meta"] = type("Meta", (Request.Meta,), {"description": inspect.cleandoc(cls.__doc__)})
    return types.new_class(f"{cls.__name__}Command", (Request,), exec_body=lambda body: body.update(fields_))


class AnyCommand(ComponentField):
    """A command of any kind of game; which fields are right depends on its type, and is seen to in `read_commands`."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValidationError("Must be a JSON object.")
        return value


@example({"commands": [EXAMPLE]})
class CommandList(Request):
    """Several commands in one request."""

    commands = ListField(
        AnyCommand("Command"),
        MOST_IN_LIST,
        1,
        required=True,
        metadata={
            "description": "Settled in order, each as if it were sent after the previous one is settled, up to the first "
            "that is refused."
        },
    )


@lru_cache(maxsize=64)
def commands_of(game: AnyGame) -> Mapping[str, type[Any]]:
    """Commands that a client may send to a game, by type."""
    return {**features.COMMANDS, **game.rules.commands}


def read_commands(game: AnyGame) -> dict[str, Any] | list[dict[str, Any]]:
    """The command in this request's body, or those in its list, each validated by its type.

    Raises as `read_body` does.
    """
    document = body_object()
    if "commands" not in document or "type" in document:
        _load(game, document)
        return document
    loaded(CommandList, document)
    return load_all(game, document["commands"])


def load_all(game: AnyGame, commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The commands, each validated by its type. Raises the problem of invalid ones."""
    values = sum(len(value) for command in commands for value in command.values() if isinstance(value, list))
    if values > MOST_VALUES:
        raise invalid_fields(
            [("/commands", f"All lists in the commands together can have at most {MOST_VALUES} elements.")]
        )
    faults: list[tuple[str, str]] = []
    for place, command in enumerate(commands):
        if len(faults) >= MAX_ERRORS:
            break
        try:
            _load(game, command)
        except Problem as problem:
            faults += [(f"/commands/{place}{each['pointer']}", each["detail"]) for each in problem.members["errors"]]
    if faults:
        raise invalid_fields(faults)
    return commands


def _load(game: AnyGame, document: dict[str, Any]) -> None:
    """Raises the problem of a command that does not match its type."""
    name = document.get("type")
    known = commands_of(game)
    if not isinstance(name, str) or name not in known:
        what = "This game has no command of this type" if isinstance(name, str) else "A command must have a type"
        raise invalid_fields([("/type", f"{what}. Known types: {', '.join(sorted(known))}.")])
    loaded(command_schema(name, known[name]), document)
