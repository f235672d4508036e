"""JSON Schemas of the views of each kind of game, derived from the types that the game declares (`domain.kernel.game.knowledge.ViewTypes`)."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from domain.kernel.game import AnyGame
from domain.kernel.game.knowledge import ViewTypes
from domain.table.views import TableView
from service.core.catalog.line_schemas import SIMPLE

REFERENCE = "#/components/schemas/"
OBJECT: Mapping[str, Any] = {"type": "object", "additionalProperties": True}

EXAMPLE: Mapping[str, Any] = {
    "kind": "nim",
    "seq": 41,
    "public": {
        "moves": 3,
        "turn": {"seat": 2},
        "heaps": [1, 0, 5, 4],
        "last_object": "wins",
        "table": {
            "seats": [{"seat": 1, "controller": "player"}, {"seat": 2, "controller": "bot:expert"}],
            "pace": {"mode": "free"},
            "outcome": None,
            "sandbox": False,
        },
    },
    "private": {},
}


def camel(name: str) -> str:
    """``build_road`` as ``BuildRoad``."""
    return "".join(word[:1].upper() + word[1:] for word in name.replace("-", "_").split("_"))


def view_name(key: str) -> str:
    """The component with the view of a kind of game."""
    return f"{camel(key)}View"


def view_components(games: Mapping[str, AnyGame]) -> dict[str, dict[str, Any]]:
    """The view of each kind of game with all its types, and ``View``, which is one of them by ``kind``."""
    found: dict[str, dict[str, Any]] = {}
    for key, game in sorted(games.items()):
        found[view_name(key)] = _view(game, found)
    references = {key: REFERENCE + view_name(key) for key in sorted(games)}
    found["View"] = {
        "description": "A game as a seat or the public sees it.",
        "oneOf": [{"$ref": reference} for reference in references.values()],
        "discriminator": {"propertyName": "kind", "mapping": references},
    }
    return found


def _view(game: AnyGame, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    table = _schema(TableView, found, ())
    parts = _parts(game.knowledge.views, table, found)
    properties = {
        "kind": {"type": "string", "enum": [game.key]},
        "seq": {
            "type": "integer",
            "minimum": 0,
            "description": "The last commit that changed this view. In quotes it is the ETag.",
        },
        "public": parts["public"],
        "private": {
            **_nullable(parts["private"]),
            "description": "The state that only the seat can see. Null for the public.",
        },
        "plan": {
            **_nullable(parts["plan"]),
            "description": "With `?with=plan`: data for planning a turn. Null for the public, and when the game is over.",
        },
    }
    required = ["kind", "seq", "public", "private"]
    return {"type": "object", "description": f"A view of {game.title}.", "required": required, "properties": properties}


def _parts(declared: ViewTypes | None, table: dict[str, Any], found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if declared is None:
        shared = {**OBJECT, "required": ["table"], "properties": {"table": table}}
        return {"public": shared, "private": dict(OBJECT), "plan": dict(OBJECT)}
    parts = {name: _schema(getattr(declared, name), found, declared.extended) for name in ("public", "private", "plan")}
    public = found[declared.public.__name__]
    public["properties"]["table"] = table
    public["required"].append("table")
    return parts


def _schema(hint: Any, found: dict[str, dict[str, Any]], extended: Collection[type[Any]]) -> dict[str, Any]:
    """The schema of a type. Each `TypedDict` becomes a component of its name."""
    hint = getattr(hint, "__supertype__", hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.NotRequired:
        return _schema(args[0], found, extended)
    if origin is typing.Annotated:
        return {**_schema(args[0], found, extended), "description": args[1]}
    if hint is Any:
        return {}
    if hint in SIMPLE:
        return {"type": SIMPLE[hint]}
    if origin is typing.Literal:
        return {"type": "string", "enum": list(args)}
    if origin is Sequence:
        return {"type": "array", "items": _schema(args[0], found, extended)}
    if origin is Mapping:
        values = _schema(args[1], found, extended)
        return {"type": "object", "additionalProperties": values or True}
    if origin in (typing.Union, types.UnionType):
        return _either([_schema(each, found, extended) for each in args])
    if typing.is_typeddict(hint):
        _add(hint, found, extended)
        return {"$ref": REFERENCE + hint.__name__}
    raise TypeError(f"a view cannot have a field of the type {hint!r}")


def _add(cls: Any, found: dict[str, dict[str, Any]], extended: Collection[type[Any]]) -> None:
    if cls.__name__ in found:
        return
    component: dict[str, Any] = {"type": "object"}
    found[cls.__name__] = component
    if cls.__doc__:
        component["description"] = inspect.cleandoc(cls.__doc__)
    hints = typing.get_type_hints(cls, include_extras=True)
    required = [name for name, hint in hints.items() if typing.get_origin(hint) is not typing.NotRequired]
    if required:
        component["required"] = required
    component["properties"] = {name: _schema(hint, found, extended) for name, hint in hints.items()}
    if cls in extended:
        component["additionalProperties"] = True


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return _either([schema, {"type": "null"}])


def _either(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """One of several types. Generators have no class for a union with a list, so types are listed where that is possible."""
    scalars = [schema for schema in schemas if schema.keys() == {"type"}]
    others = [schema for schema in schemas if schema.keys() != {"type"}]
    if len(others) == 1 and "type" in others[0]:
        return {**others[0], "type": [others[0]["type"], *(schema["type"] for schema in scalars)]}
    if not others:
        return {"type": [schema["type"] for schema in schemas]}
    return {"anyOf": schemas}
