"""Commands from JSON and back."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from domain.errors import RuleViolation
from domain.shape import as_document, build, catalogue, snake
from domain.terms import Seat


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


COMMANDS = catalogue(MarchOn, Supply)


def test_class_names_become_type_names():
    assert "march_on" == snake("MarchOn")
    assert ["march_on", "supply"] == list(COMMANDS)


def test_a_command_is_read_with_its_defaults_and_written_without_them():
    command = build(COMMANDS, {"type": "march_on", "to": "B2", "cards": ["x"], "against": 2})

    assert MarchOn("B2", ("x",), "slow", Seat(2)) == command
    assert {"type": "march_on", "to": "B2", "cards": ["x"], "against": 2} == as_document(command)


@pytest.mark.parametrize("kind", ["bread", 1])
def test_a_word_of_the_list_or_nothing_at_all_is_read_and_what_is_at_its_default_not_written(kind):
    document = {"type": "supply", "kind": kind, "to": None}

    assert Supply(kind, None) == build(COMMANDS, document)
    assert document == as_document(Supply(kind, None))
    assert {**document, "by": ["B2"]} == as_document(build(COMMANDS, {**document, "by": ["B2"]}))


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
def test_what_does_not_fit_is_refused_by_field(document, field):
    with pytest.raises(RuleViolation) as refused:
        build(COMMANDS, document)

    assert ("malformed", field) == (refused.value.code, refused.value.field)
    named = repr(document.get("type") if field == "type" else field)
    assert named in refused.value.message, "the sentence names what is wrong"


def test_what_a_class_needs_is_what_has_no_default_of_either_kind():
    assert Supply(1, "B2", [], 0.0) == build(COMMANDS, {"type": "supply", "kind": 1, "to": "B2"})
    for missing in ("kind", "to"):
        document = {"type": "supply", "kind": 1, "to": "B2"}
        del document[missing]
        with pytest.raises(RuleViolation) as refused:
            build(COMMANDS, document)
        assert missing == refused.value.field
