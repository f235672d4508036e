"""Commands to and from JSON: flat dataclasses whose fields are scalars or tuples of scalars."""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

from domain.kernel.errors import RuleViolation

T = TypeVar("T")


class Malformed(RuleViolation):
    """The command does not have the fields of its type."""

    code = "malformed"


@functools.cache
def snake(name: str) -> str:
    """The type name of a class in JSON: ``RoadBuilt`` becomes ``road_built``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def catalogue(*classes: type[T]) -> dict[str, type[T]]:
    return {snake(cls.__name__): cls for cls in classes}


_HINTS: dict[Any, dict[str, Any]] = {}


def hints(cls: type[Any]) -> Mapping[str, Any]:
    """The resolved type of each field of a dataclass."""
    if cls not in _HINTS:
        resolved = typing.get_type_hints(cls)
        _HINTS[cls] = {field.name: resolved[field.name] for field in dataclasses.fields(cls)}
    return _HINTS[cls]


def build(commands: Mapping[str, type[T]], document: Mapping[str, Any]) -> T:
    """The command for a JSON document with ``type`` and parameters.

    Raises `Malformed`, which names the field, for an unknown type, a missing or unknown parameter, or a value of the
    wrong type.
    """
    cls = commands.get(document.get("type", ""))
    if cls is None:
        raise Malformed(f"There is no command of the type {document.get('type')!r}.", field="type")
    form = _form(cls)
    names = document.keys()
    if not form.required <= names <= form.known:
        for name in sorted(names - form.known):
            raise Malformed(f"This command has no parameter {name!r}.", field=name)
        raise Malformed(f"The parameter {min(form.required - names)!r} is missing.", field=min(form.required - names))
    fits = form.fits
    return cls(**{name: fits[name](value, name) for name, value in document.items() if name != "type"})


def as_document(command: Any) -> dict[str, Any]:
    """The JSON of a command: its type and every parameter that differs from its default."""
    document: dict[str, Any] = {"type": snake(type(command).__name__)}
    form = _form(type(command))
    for name in form.fits:
        value = getattr(command, name)
        if name in form.required or value != form.default(name):
            document[name] = list(value) if isinstance(value, tuple) else value
    return document


Fit = Callable[[Any, str], Any]
"""Converts the value of a parameter (named, for the refusal's text) for its command; raises `Malformed`."""


class _Form:
    """The JSON form of a command class, resolved once because field types are strings."""

    __slots__ = ("_fields", "fits", "known", "required")

    def __init__(self, cls: type[Any]) -> None:
        self._fields = {field.name: field for field in dataclasses.fields(cls)}
        self.fits: Mapping[str, Fit] = {name: _fit(kind) for name, kind in hints(cls).items()}
        self.known = frozenset(("type", *self.fits))
        missing = dataclasses.MISSING
        fields = self._fields.values()
        self.required = frozenset(f.name for f in fields if f.default is missing and f.default_factory is missing)

    def default(self, name: str) -> Any:
        field = self._fields[name]
        return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


_FORMS: dict[Any, _Form] = {}


def _form(cls: type[Any]) -> _Form:
    if cls not in _FORMS:
        _FORMS[cls] = _Form(cls)
    return _FORMS[cls]


def _fit(kind: Any) -> Fit:
    kind = getattr(kind, "__supertype__", kind)
    origin = typing.get_origin(kind)
    if origin is typing.Literal:
        return _fit_word(typing.get_args(kind))
    if origin is tuple:
        return _fit_all(_fit(typing.get_args(kind)[0]))
    if origin in (typing.Union, types.UnionType):
        return _fit_any(tuple(map(_fit, typing.get_args(kind))))
    if kind in (int, str, bool, type(None)):
        return _fit_scalar(kind)
    if kind is Any or origin is not None:
        return lambda value, _name: value
    return _fit_nothing


def _fit_word(words: tuple[Any, ...]) -> Fit:
    def fit(value: Any, name: str) -> Any:
        if any(type(value) is type(word) and value == word for word in words):
            return value
        return _fit_nothing(value, name)

    return fit


def _fit_scalar(kind: type[Any]) -> Fit:
    def fit(value: Any, name: str) -> Any:
        return value if type(value) is kind else _fit_nothing(value, name)

    return fit


def _fit_all(item: Fit) -> Fit:
    def fit(value: Any, name: str) -> Any:
        if not isinstance(value, list | tuple):
            return _fit_nothing(value, name)
        return tuple([item(each, name) for each in value])

    return fit


def _fit_any(kinds: tuple[Fit, ...]) -> Fit:
    def fit(value: Any, name: str) -> Any:
        for each in kinds:
            try:
                return each(value, name)
            except Malformed:
                continue
        return _fit_nothing(value, name)

    return fit


def _fit_nothing(_value: Any, name: str) -> NoReturn:
    raise Malformed(f"{name!r} has a value of the wrong type.", field=name)


def as_line(event: Any) -> dict[str, Any]:
    """The complete event as JSON with its type; keys that are seats become text."""
    return {"type": snake(type(event).__name__), **as_json(event)}


def as_json(state: Any) -> dict[str, Any]:
    """All fields of a dataclass as JSON, with the fields of dataclasses inside it; keys that are seats become text."""
    return {field.name: _json(getattr(state, field.name)) for field in dataclasses.fields(state)}


def _json(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return as_json(value)
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted(_json(each) for each in value)
    return {str(key): _json(each) for key, each in value.items()} if isinstance(value, Mapping) else value
