"""Strict JSON field types: numbers, booleans and strings are never converted."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from marshmallow import Schema, ValidationError, fields, validate

from service.core.http.problems import MAX_ERRORS

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader represents exactly (RFC 8785)."""
MAX_INT32 = 2**31 - 1
"""The largest 32-bit integer."""

MAX_OPTION_VALUES = 100
"""Maximum number of entries in an object of choices."""

MAX_LENGTH = 200
"""Maximum number of characters of a text, and of items in a list, in a command."""


class IntegerField(fields.Integer):
    """A JSON integer; neither text nor boolean."""

    def __init__(self, least: int = -MAX_SAFE_INTEGER, most: int = MAX_SAFE_INTEGER, **kwargs: Any) -> None:
        if most > MAX_INT32:  # instants are: without a format, generators use 32 bits
            kwargs["metadata"] = {"format": "int64", **kwargs.get("metadata", {})}
        super().__init__(strict=True, validate=validate.Range(least, most), **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int:
        if type(value) is not int:
            raise ValidationError("Must be a whole number.")
        return value


class BooleanField(fields.Boolean):
    """True or false, and no value that resembles them."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("Must be true or false.")
        return value


class PatternValidator(validate.Validator):
    """A text that matches a pattern completely; the pattern works in clients of all languages.

    Python's ``$`` also matches before a final newline, and other languages have no other symbol.
    """

    def __init__(self, pattern: str, error: str) -> None:
        self.pattern, self.message = pattern, error

    def __call__(self, value: str) -> str:
        if re.fullmatch(self.pattern, value) is None:
            raise ValidationError(self.message)
        return value


class StringField(fields.String):
    """A text of limited length. ``error`` is the message for an invalid one, a sentence with the allowed form."""

    def __init__(
        self, most: int = MAX_LENGTH, least: int = 0, pattern: str | None = None, error: str = "", **kwargs: Any
    ) -> None:
        error = error or f"Must be a string of {f'{least} to' if least else 'at most'} {most} characters."
        rules: list[Any] = [validate.Length(min=least or None, max=most, error=error)]
        if pattern is not None:
            rules.append(PatternValidator(pattern, error))
            kwargs["metadata"] = {**kwargs.get("metadata", {}), "pattern": pattern}
        super().__init__(validate=rules, error_messages={"invalid": error}, **kwargs)


class EnumField(fields.Raw):
    """One of a few values."""

    def __init__(self, *choices: Any, **kwargs: Any) -> None:
        self.choices = choices
        kinds = {str: "string", int: "integer", bool: "boolean"}
        kind = {"type": kinds[type(choices[0])]} if len(set(map(type, choices))) == 1 else {}
        every = [*choices, None] if kwargs.get("allow_none") else list(choices)
        super().__init__(metadata={**kwargs.pop("metadata", {}), **kind, "enum": every}, **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if any(type(value) is type(choice) and value == choice for choice in self.choices):
            return value
        raise ValidationError(f"Must be one of {', '.join(map(repr, self.choices))}.")


class ListField(fields.List[Any]):
    """A list with a bounded length, checked before any element; validation stops at `MAX_ERRORS` errors."""

    def __init__(self, inner: fields.Field[Any], most: int = MAX_LENGTH, least: int = 0, **kwargs: Any) -> None:
        error = f"Must be a list of {f'{least} to' if least else 'at most'} {most} elements."
        rule = validate.Length(min=least or None, max=most, error=error)
        self.most, self._error = most, error
        super().__init__(inner, validate=rule, error_messages={"invalid": error}, **kwargs)

    def _deserialize(self, value: Any, *_: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list) or len(value) > self.most:
            raise ValidationError(self._error)
        found: list[Any] = []
        errors: dict[int | str, Any] = {}
        for index, element in enumerate(value):
            try:
                found.append(self.inner.deserialize(element, **kwargs))
            except ValidationError as error:
                errors[index] = error.messages
                if len(errors) == MAX_ERRORS:
                    break
        if errors:
            raise ValidationError(errors, valid_data=found)
        return found


class UnionField(fields.Raw):
    """A value of one of several types."""

    def __init__(self, alternatives: list[fields.Field[Any]], **kwargs: Any) -> None:
        self.alternatives = alternatives
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        for field in self.alternatives:
            try:
                return field.deserialize(value)
            except ValidationError:
                continue
        raise ValidationError("Must be a value of one of the allowed types.")


class ComponentField(fields.Raw):
    """A value with the form of a component of the API's description that is not one of our schemas."""

    def __init__(self, component: str, **kwargs: Any) -> None:
        self.component = component
        super().__init__(**kwargs)


class OptionValueField(fields.Raw):
    """The value of a game's option: a scalar, or a list of texts."""

    def __init__(self, **kwargs: Any) -> None:
        allowed = {"description": "A whole number, a string, true, false, null, or a list of strings."}
        super().__init__(metadata=allowed, allow_none=True, **kwargs)

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if isinstance(value, bool | str) or (type(value) is int and abs(value) <= MAX_SAFE_INTEGER):
            return value
        if isinstance(value, list) and len(value) <= MAX_LENGTH and all(isinstance(each, str) for each in value):
            return value
        raise ValidationError("Must be a whole number, a string, true, false, null, or a list of strings.")


class OptionValuesField(fields.Dict):
    """Choices by name."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        if isinstance(value, dict) and len(value) > MAX_OPTION_VALUES:
            raise ValidationError(f"Must have at most {MAX_OPTION_VALUES} entries.")
        return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]


S = TypeVar("S", bound=type[Schema])


def example(document: Mapping[str, Any]) -> Callable[[S], S]:
    """Adds an example body to a schema; the decorated class has it as ``example``."""

    def give(schema: S) -> S:
        schema.example = document  # type: ignore[attr-defined]
        return schema

    return give


def field_for(hint: Any, *, required: bool, **kwargs: Any) -> fields.Field[Any]:
    """The field for a type hint of a command's dataclass (see `domain.kernel.shape`)."""
    hint = getattr(hint, "__supertype__", hint)
    kwargs["required"] = required
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return EnumField(*args, **kwargs)
    if origin is tuple:
        return ListField(field_for(args[0], required=True), **kwargs)
    if origin in (typing.Union, types.UnionType):
        nullable = type(None) in args
        others = [arg for arg in args if arg is not type(None)]
        if len(others) == 1:
            return field_for(others[0], required=required, allow_none=nullable)
        return UnionField([field_for(arg, required=True) for arg in others], allow_none=nullable, **kwargs)
    if hint is int:
        return IntegerField(**kwargs)
    if hint is str:
        return StringField(**kwargs)
    if hint is bool:
        return BooleanField(**kwargs)
    raise TypeError(f"a command cannot have a field of the type {hint!r}")
