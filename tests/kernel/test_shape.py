"""Commands from JSON and back."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from domain.kernel.errors import RuleViolation
from domain.kernel.shape import as_document, build, catalogue, snake
from domain.kernel.terms import Seat


@pytest.fixture
def commands():
    """New classes for each test, because the shape of a class is cached."""

    @dataclass(frozen=True, slots=True)
    class MarchOn:
        to: str
        cards: tuple[str, ...] = ()
        pace: Literal["slow", "fast"] = "slow"
        against: Seat | None = None
        sure: bool = False

    @dataclass(frozen=True, slots=True)
    class Supply:
        kind: Literal["bread", 1]
        to: str | None
        by: list[str] = field(default_factory=list)
        weight: float = 0.0

    return catalogue(MarchOn, Supply)


def test_class_names_become_type_names(commands):
    assert "march_on" == snake("MarchOn")
    assert "a_b" == snake("AB")
    assert [("march_on", "MarchOn"), ("supply", "Supply")] == [(name, cls.__name__) for name, cls in commands.items()]


def test_a_command_is_read_with_its_defaults_and_written_without_them(commands):
    command = build(commands, {"type": "march_on", "to": "B2", "cards": ["x"], "against": 2})

    assert commands["march_on"]("B2", ("x",), "slow", Seat(2)) == command
    assert {"type": "march_on", "to": "B2", "cards": ["x"], "against": 2} == as_document(command)


@pytest.mark.parametrize("kind", ["bread", 1])
def test_literals_and_null_are_read_and_defaults_are_not_written(commands, kind):
    document = {"type": "supply", "kind": kind, "to": None}

    assert commands["supply"](kind, None) == build(commands, document)
    assert document == as_document(commands["supply"](kind, None))
    assert {**document, "by": ["B2"]} == as_document(build(commands, {**document, "by": ["B2"]}))


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ({"type": "march_off", "to": "B2"}, "type"),
        ({"to": "B2"}, "type"),
        ({"type": "march_on"}, "to"),
        ({"type": "march_on", "to": 2}, "to"),
        ({"type": "march_on", "to": "B2", "cards": "x"}, "cards"),
        ({"type": "march_on", "to": "B2", "cards": [1]}, "cards"),
        ({"type": "march_on", "to": "B2", "pace": "brisk"}, "pace"),
        ({"type": "march_on", "to": "B2", "against": "2"}, "against"),
        ({"type": "march_on", "to": "B2", "against": True}, "against"),
        ({"type": "march_on", "to": "B2", "sure": 1}, "sure"),
        ({"type": "march_on", "to": "B2", "speed": 1}, "speed"),
        ({"type": "supply", "kind": "stone", "to": None}, "kind"),
        ({"type": "supply", "kind": True, "to": None}, "kind"),
        ({"type": "supply", "kind": "bread", "to": 0}, "to"),
        ({"type": "supply", "kind": "bread", "to": None, "weight": 1.5}, "weight"),
    ],
)
def test_malformed_command_is_refused_by_field(commands, document, field):
    with pytest.raises(RuleViolation) as refused:
        build(commands, document)

    assert ("malformed", field) == (refused.value.code, refused.value.field)
    named = repr(document.get("type") if field == "type" else field)
    assert named in refused.value.message, "the sentence names what is wrong"


def test_fields_without_a_default_or_a_default_factory_are_required(commands):
    assert commands["supply"](1, "B2", [], 0.0) == build(commands, {"type": "supply", "kind": 1, "to": "B2"})
    for missing in ("kind", "to"):
        document = {"type": "supply", "kind": 1, "to": "B2"}
        del document[missing]
        with pytest.raises(RuleViolation) as refused:
            build(commands, document)
        assert missing == refused.value.field
