"""Options: templates whose open parameters are independent."""

from itertools import islice

import pytest

from domain.kernel.dice import Dice
from domain.kernel.options import as_json, commands, count, from_json, offers, pick
from domain.kernel.terms import Integer, OneOf, Option, SubsetOf

ROAD = Option(
    "build_road",
    {"shape": "bend"},
    (SubsetOf("cards", ("a", "b", "c"), 2, 2), OneOf("square", ("B1", "A2")), Integer("number", 1, 3)),
)


def test_option_has_the_documented_json():
    assert {
        "type": "build_road",
        "fixed": {"shape": "bend"},
        "open": [
            {"name": "cards", "subset_of": ["a", "b", "c"], "min": 2, "max": 2},
            {"name": "square", "one_of": ["B1", "A2"]},
            {"name": "number", "integer": {"min": 1, "max": 3}},
        ],
    } == as_json(ROAD)
    assert ROAD == from_json(as_json(ROAD))


def test_option_offers_every_combination_of_its_choices():
    every = list(commands(ROAD))

    assert 3 * 2 * 3 == count(ROAD) == len(every)
    assert all(offers(ROAD, "build_road", {k: v for k, v in c.items() if k != "type"}) for c in every)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": "tee"},
        {"cards": ["a"]},
        {"cards": ["a", "a"]},
        {"cards": ["a", "z"]},
        {"cards": "ab"},
        {"square": "C1"},
        {"number": 4},
        {"number": 0},
        {"number": True},
        {"number": "1"},
        {"extra": 1},
    ],
)
def test_command_with_one_wrong_parameter_is_not_offered(change):
    good = {"shape": "bend", "cards": ["b", "a"], "square": "A2", "number": 1}

    assert offers(ROAD, "build_road", good)
    assert not offers(ROAD, "build_road", good | change)
    assert not offers(ROAD, "build_city", good)
    assert not offers(
        ROAD, "build_road", {k: v for k, v in good.items() if k not in change or k == "extra"} | {"extra": 0}
    )


def test_picked_command_is_always_offered():
    dice = Dice(b"k" * 32)
    other = Option("pass")
    seen = set()
    for _ in range(300):
        command = pick([ROAD, other], dice)
        params = {k: v for k, v in command.items() if k != "type"}
        assert any(offers(option, command["type"], params) for option in (ROAD, other))
        seen.add(repr(sorted(params.items())))
    assert len(seen) > 18, "every order of cards counts here, so more than the combinations turn up"


def test_fixed_list_is_offered_in_any_order_and_no_other_list_is():
    road = Option("build_road", {"cards": ["a", "b"]})

    assert offers(road, "build_road", {"cards": ["b", "a"]})
    for cards in (["a"], ["a", "a"], ["a", "c"], ["a", "b", "b"], "ab", None):
        assert not offers(road, "build_road", {"cards": cards})


PARTED = Option("pay", {}, (SubsetOf("cards", ("a", "b", "c"), 2, 2), SubsetOf("cards", ("x", "y"), 0, 1)))


def test_parameters_with_the_same_name_form_one_list():
    every = list(commands(PARTED))

    assert 3 * 3 == count(PARTED) == len(every)
    assert {"type": "pay", "cards": ["a", "b", "x"]} in every
    assert all(offers(PARTED, "pay", {"cards": said["cards"]}) for said in every)
    assert all(said in every for said in (pick_sorted(Dice(bytes([n]) * 32)) for n in range(30)))
    assert PARTED == from_json(as_json(PARTED))


def pick_sorted(dice):
    said = pick([PARTED], dice)
    return {**said, "cards": sorted(said["cards"])}


@pytest.mark.parametrize(
    "cards", [["a", "b", "c"], ["a", "x"], ["a", "b", "x", "y"], ["a", "b", "z"], ["a", "a"], "ab", None]
)
def test_list_that_violates_one_of_its_parameters_is_not_offered(cards):
    assert not offers(PARTED, "pay", {"cards": cards})


def test_commands_of_a_large_option_are_generated_lazily():
    great = Option("pay", {}, (SubsetOf("cards", tuple(range(200)), 0, 200), OneOf("to", ("a", "b"))))

    assert [
        {"type": "pay", "cards": [], "to": "a"},
        {"type": "pay", "cards": [], "to": "b"},
        {"type": "pay", "cards": [0], "to": "a"},
    ] == list(islice(commands(great), 3))
