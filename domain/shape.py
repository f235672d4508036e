"""Commands to and from JSON: flat dataclasses whose fields are scalars or tuples of scalars."""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from domain.errors import RuleViolation

T = TypeVar("T")


class Malformed(RuleViolation):
    """The command is not of its type's form."""

    code = "malformed"


def snake(name: str) -> str:
    """``RoadBuilt`` as ``road_built``: the type name of a class in JSON."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def catalogue(*classes: type[T]) -> dict[str, type[T]]:
    """The classes by their type names."""
    return {snake(cls.__name__): cls for cls in classes}


_HINTS: dict[Any, dict[str, Any]] = {}
_REQUIRED: dict[Any, frozenset[str]] = {}


def hints(cls: type[Any]) -> Mapping[str, Any]:
    """The resolved type of each field of a dataclass."""
    if cls not in _HINTS:
        resolved = typing.get_type_hints(cls)
        _HINTS[cls] = {field.name: resolved[field.name] for field in dataclasses.fields(cls)}
    return _HINTS[cls]


def _required(cls: type[Any]) -> frozenset[str]:
    if cls not in _REQUIRED:
        missing = dataclasses.MISSING
        fields = dataclasses.fields(cls)
        _REQUIRED[cls] = frozenset(f.name for f in fields if f.default is missing and f.default_factory is missing)
    return _REQUIRED[cls]


def build(commands: Mapping[str, type[T]], document: Mapping[str, Any]) -> T:
    """The command that ``document`` (its ``type`` and its parameters) stands for.

    Raises `Malformed` naming the field for an unknown type, a missing or unknown parameter, or a value of another type.
    """
    cls = commands.get(document.get("type", ""))
    if cls is None:
        raise Malformed(f"There is no command of the type {document.get('type')!r}.", field="type")
    kinds = hints(cls)
    params = {name: value for name, value in document.items() if name != "type"}
    for name in sorted(params.keys() - kinds.keys()):
        raise Malformed(f"This command has no parameter {name!r}.", field=name)
    for name in sorted(_required(cls) - params.keys()):
        raise Malformed(f"The parameter {name!r} is missing.", field=name)
    return cls(**{name: _fit(kinds[name], value, name) for name, value in params.items()})


def as_document(command: Any) -> dict[str, Any]:
    """The JSON of a command: its type and every parameter that is not at its default."""
    document: dict[str, Any] = {"type": snake(type(command).__name__)}
    for field in dataclasses.fields(command):
        value = getattr(command, field.name)
        if field.name in _required(type(command)) or value != _default(field):
            document[field.name] = list(value) if isinstance(value, tuple) else value
    return document


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return field.default


def _fit(kind: Any, value: Any, name: str) -> Any:
    kind = getattr(kind, "__supertype__", kind)
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        if any(type(value) is type(word) and value == word for word in typing.get_args(kind)):
            return value
    elif origin is tuple:
        if isinstance(value, list | tuple):
            item = typing.get_args(kind)[0]
            return tuple(_fit(item, each, name) for each in value)
    elif origin in (typing.Union, types.UnionType):
        for each in typing.get_args(kind):
            try:
                return _fit(each, value, name)
            except Malformed:
                continue
    elif kind is type(None):
        if value is None:
            return None
    elif kind in (int, str, bool):
        if type(value) is kind:
            return value
    elif kind is Any or origin is not None:
        return value
    raise Malformed(f"{name!r} has a value of the wrong type.", field=name)


def as_line(event: Any) -> dict[str, Any]:
    """All of an event as JSON with its type; keys that are seats become text."""
    shown = {field.name: _json(getattr(event, field.name)) for field in dataclasses.fields(event)}
    return {"type": snake(type(event).__name__), **shown}


def _json(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    return {str(key): _json(each) for key, each in value.items()} if isinstance(value, Mapping) else value
