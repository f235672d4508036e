"""JSON Schema of history lines, derived from the dataclasses of the events and the fields that the game adds."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from domain.kernel.shape import hints

SIMPLE: Mapping[Any, str] = {int: "integer", str: "string", bool: "boolean", type(None): "null"}
TEXT = {"type": "string", "description": "The line as a sentence."}


def build_line_schema(name: str, cls: type[Any], told: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON Schema of the lines that tell of an event; ``told`` is what `domain.kernel.game.knowledge.Knowledge.told` says.

    What every reader is told is required. What only some may read, or only some events have, is not.
    """
    differs = {**told.get("", {}), **told.get(name, {})}
    always = {field: build_type_schema(hint) for field, hint in hints(cls).items() if field not in differs}
    sometimes = {field: build_type_schema(hint) for field, hint in differs.items() if hint is not None}
    sometimes = {field: schema for field, schema in sometimes.items() if field in told.get(name, {})}
    document: dict[str, Any] = {
        "type": "object",
        "properties": {"type": {"type": "string", "enum": [name]}, "text": TEXT, **always, **sometimes},
        "required": ["type", "text", *always],
    }
    if cls.__doc__ and not cls.__doc__.startswith(cls.__name__ + "("):
        document["description"] = inspect.cleandoc(cls.__doc__)
    return document


def build_type_schema(hint: Any) -> dict[str, Any]:
    """The JSON Schema of values of a type, as lines have them; raises `TypeError` for a type that no line may have."""
    hint = getattr(hint, "__supertype__", hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return {}
    if hint in SIMPLE:
        return {"type": SIMPLE[hint]}
    if origin is typing.Literal:
        return {"type": "string", "enum": list(args)}
    if origin is tuple:
        return {"type": "array", "items": build_type_schema(args[0])}
    if origin in (typing.Union, types.UnionType):
        return _build_union([build_type_schema(each) for each in args])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": build_type_schema(args[1])}
    if is_dataclass(hint):
        fields = {name: build_type_schema(each) for name, each in hints(typing.cast("type[Any]", hint)).items()}
        return {"type": "object", "properties": fields, "required": list(fields)}
    raise TypeError(f"a line cannot have a field of the type {hint!r}")


def _build_union(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    if all(schema.keys() == {"type"} for schema in schemas):
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}
