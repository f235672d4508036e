"""The API and the kernel both derive a command's form from its dataclass, and accept the same documents."""

import types
import typing

import pytest
from marshmallow import ValidationError

from domain.kernel import lifecycle
from domain.kernel.errors import RuleViolation
from domain.kernel.shape import build, hints
from domain.registry import GAMES
from service.core.http.schemas.commands import command_schema

VALUES = (None, True, 0, 7, -1, "", "B2", "1", 1.5, [], ["B2"], [7], [True], [["B2"]], [None], {}, {"B2": 1})
BEYOND = (2**53, "x" * 201, ["x"] * 201)
"""Values that only the API refuses, because it limits input sizes."""
CATALOGUES = {"table": lifecycle.COMMANDS, **{key: game.rules.commands for key, game in GAMES.items()}}


def right(hint):
    """A valid value of the type."""
    hint = getattr(hint, "__supertype__", hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return args[0]
    if origin is tuple:
        return [right(args[0])]
    if origin in (typing.Union, types.UnionType):
        return right(args[0])
    return {int: 1, str: "B2", bool: True, types.NoneType: None}[hint]


def accepted(commands, name, document):
    """Whether the API accepts the document, and whether the kernel does."""
    try:
        command_schema(name, commands[name])().load(document)
        api = True
    except ValidationError:
        api = False
    try:
        build(commands, document)
        kernel = True
    except RuleViolation:
        kernel = False
    return api, kernel


@pytest.mark.parametrize("key", CATALOGUES)
def test_the_api_and_the_kernel_accept_the_same_forms(key):
    commands = CATALOGUES[key]
    for name, cls in commands.items():
        whole = {"type": name, **{field: right(hint) for field, hint in hints(cls).items()}}
        assert (True, True) == accepted(commands, name, whole), whole
        assert (False, False) == accepted(commands, name, {**whole, "colour": "red"})
        for field in hints(cls):
            for value in VALUES:
                document = {**whole, field: value}
                api, kernel = accepted(commands, name, document)
                assert api == kernel, document
            missing = {other: value for other, value in whole.items() if other != field}
            api, kernel = accepted(commands, name, missing)
            assert api == kernel, missing


@pytest.mark.parametrize("value", BEYOND)
def test_only_the_api_limits_the_size_of_values(value):
    found = [
        accepted(commands, name, {"type": name, **{f: right(h) for f, h in hints(cls).items()}, field: value})
        for commands in CATALOGUES.values()
        for name, cls in commands.items()
        for field in hints(cls)
    ]
    assert (True, True) not in found
    assert (False, True) in found
