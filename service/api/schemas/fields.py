"""Strict JSON field types: numbers, booleans and strings are never converted."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from marshmallow import Schema, ValidationError, fields, validate

from service.api.http.problems import MOST_ERRORS

SAFE = 2**53 - 1
"""The largest integer that every JSON reader represents exactly (RFC 8785)."""
SMALL = 2**31 - 1
"""The largest 32-bit integer."""

MOST_CHOICES = 100
"""Maximum number of entries in an object of choices."""

LONGEST = 200
"""Maximum number of characters of a text, and of items in a list, in a command."""


class Whole(fields.Integer):
    """A JSON integer; neither text nor boolean."""

    def __init__(self, least: int = -SAFE, most: int = SAFE, **kwargs: Any) -> None:
        if most > SMALL:  # instants are: without a format, generators use 32 bits
            kwargs["metadata"] = {"format": "int64", **kwargs.get("metadata", {})}
        super().__init__(strict=True, validate=validate.Range(least, most), **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if type(value) is not int:
            raise ValidationError("Must be a whole number.")
        return value


class Truth(fields.Boolean):
    """True or false, and no value that resembles them."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("Must be true or false.")
        return value


class Form(validate.Validator):
    """A text that matches a pattern completely; the pattern works in clients of all languages.

    Python's ``$`` also matches before a final newline, and other languages have no other symbol.
    """

    def __init__(self, pattern: str, error: str) -> None:
        self.pattern, self.right = pattern, error

    def __call__(self, value: str) -> str:
        if re.fullmatch(self.pattern, value) is None:
            raise ValidationError(self.right)
        return value


class Text(fields.String):
    """A text of limited length. ``right`` is the message for a wrong one, a sentence with the allowed form."""

    def __init__(
        self, most: int = LONGEST, least: int = 0, pattern: str | None = None, right: str = "", **kwargs: Any
    ) -> None:
        right = right or f"Must be a string of {f'{least} to' if least else 'at most'} {most} characters."
        rules: list[Any] = [validate.Length(min=least or None, max=most, error=right)]
        if pattern is not None:
            rules.append(Form(pattern, right))
            kwargs["metadata"] = {**kwargs.get("metadata", {}), "pattern": pattern}
        super().__init__(validate=rules, error_messages={"invalid": right}, **kwargs)


class Word(fields.Raw):
    """One of a few values."""

    def __init__(self, *among: Any, **kwargs: Any) -> None:
        self.among = among
        kinds = {str: "string", int: "integer", bool: "boolean"}
        kind = {"type": kinds[type(among[0])]} if len(set(map(type, among))) == 1 else {}
        every = [*among, None] if kwargs.get("allow_none") else list(among)
        super().__init__(metadata={**kwargs.pop("metadata", {}), **kind, "enum": every}, **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if any(type(value) is type(word) and value == word for word in self.among):
            return value
        raise ValidationError(f"Must be one of {', '.join(map(repr, self.among))}.")


class Several(fields.List[Any]):
    """A list with a bounded length, checked before any element; validation stops at `MOST_ERRORS` errors."""

    def __init__(self, inner: fields.Field[Any], most: int = LONGEST, least: int = 0, **kwargs: Any) -> None:
        right = f"Must be a list of {f'{least} to' if least else 'at most'} {most} elements."
        rule = validate.Length(min=least or None, max=most, error=right)
        self.most, self._right = most, right
        super().__init__(inner, validate=rule, error_messages={"invalid": right}, **kwargs)

    def _deserialize(self, value: Any, *_: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) > self.most:
            raise ValidationError(self._right)
        found: list[Any] = []
        errors: dict[int | str, Any] = {}
        for place, each in enumerate(value):
            try:
                found.append(self.inner.deserialize(each, **kwargs))
            except ValidationError as error:
                errors[place] = error.messages
                if len(errors) == MOST_ERRORS:
                    break
        if errors:
            raise ValidationError(errors, valid_data=found)
        return found


class Either(fields.Raw):
    """A value of one of several types."""

    def __init__(self, among: list[fields.Field[Any]], **kwargs: Any) -> None:
        self.among = among
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        for field in self.among:
            try:
                return field.deserialize(value)
            except ValidationError:
                continue
        raise ValidationError("Must be a value of one of the allowed types.")


class Component(fields.Raw):
    """A value with the form of a component of the API's description that is not one of our schemas."""

    def __init__(self, component: str, **kwargs: Any) -> None:
        self.component = component
        super().__init__(**kwargs)


class Choice(fields.Raw):
    """The value of a game's option: a scalar, or a list of texts."""

    def __init__(self, **kwargs: Any) -> None:
        allowed = {"description": "A whole number, a string, true, false, null, or a list of strings."}
        super().__init__(metadata=allowed, allow_none=True, **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if isinstance(value, bool | str) or (type(value) is int and abs(value) <= SAFE):
            return value
        if isinstance(value, list) and len(value) <= LONGEST and all(isinstance(each, str) for each in value):
            return value
        raise ValidationError("Must be a whole number, a string, true, false, null, or a list of strings.")


class Choices(fields.Dict):
    """Choices by name."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, dict) and len(value) > MOST_CHOICES:
            raise ValidationError(f"Must have at most {MOST_CHOICES} entries.")
        return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]


S = TypeVar("S", bound=type[Schema])


def example(document: Mapping[str, Any]) -> Callable[[S], S]:
    """Adds an example body to a schema; the decorated class has it as ``example``."""

    def give(schema: S) -> S:
        schema.example = document  # type: ignore[attr-defined]
        return schema

    return give


def field_of(hint: Any, *, required: bool, **kwargs: Any) -> fields.Field[Any]:
    """The field for a type hint of a command's dataclass (see `domain.shape`)."""
    hint = getattr(hint, "__supertype__", hint)
    kwargs["required"] = required
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return Word(*args, **kwargs)
    if origin is tuple:
        return Several(field_of(args[0], required=True), **kwargs)
    if origin in (typing.Union, types.UnionType):
        nullable = type(None) in args
        others = [arg for arg in args if arg is not type(None)]
        if len(others) == 1:
            return field_of(others[0], required=required, allow_none=nullable)
        return Either([field_of(arg, required=True) for arg in others], allow_none=nullable, **kwargs)
    if hint is int:
        return Whole(**kwargs)
    if hint is str:
        return Text(**kwargs)
    if hint is bool:
        return Truth(**kwargs)
    raise TypeError(f"a command cannot have a field of the type {hint!r}")
