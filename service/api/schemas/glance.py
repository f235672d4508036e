"""A first look at a body: whether its form is right beyond doubt, for a fraction of what the whole reading costs.

What is not plain is read the whole way, which alone says what is wrong; a test holds both against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from marshmallow import Schema, fields, validate

from service.api.schemas.fields import Several, Text, Truth, Whole, Word

Look = Callable[[Any], bool]
_LOOKS: dict[type[Schema], tuple[Mapping[str, Look], frozenset[str]]] = {}


def is_sure(schema: type[Schema], document: Mapping[str, Any]) -> bool:
    """Whether a JSON object has the form of a schema that checks nothing but its fields (`command_schema`), beyond doubt."""
    known = _LOOKS.get(schema)
    if known is None:
        known = _LOOKS[schema] = _looks(schema())
    looks, required = known
    for name, value in document.items():
        look = looks.get(name)
        if look is None or not look(value):
            return False
    return required <= document.keys()


def _looks(schema: Schema) -> tuple[Mapping[str, Look], frozenset[str]]:
    required = frozenset(name for name, field in schema.fields.items() if field.required)
    return {name: _or_none(field) for name, field in schema.fields.items()}, required


def _or_none(field: fields.Field[Any]) -> Look:
    look = _look(field)
    return (lambda value: value is None or look(value)) if field.allow_none else look


def _look(field: fields.Field[Any]) -> Look:
    rules = field.validators
    match field, rules:
        case Whole(), [validate.Range(min=int(least), max=int(most))]:
            return lambda value: type(value) is int and least <= value <= most
        case Text(), [validate.Length(min=fewest, max=int(longest))]:
            return lambda value: type(value) is str and (fewest or 0) <= len(value) <= longest
        case Truth(), []:
            return lambda value: type(value) is bool
        case Word(among=among), []:
            words = frozenset((type(word), word) for word in among)
            return lambda value: type(value) in (str, int, bool) and (type(value), value) in words
        case Several(inner=inner), [validate.Length(min=few, max=int(many))]:
            each = _or_none(inner)
            return lambda value: type(value) is list and (few or 0) <= len(value) <= many and all(map(each, value))
        case _:
            return lambda _: False
