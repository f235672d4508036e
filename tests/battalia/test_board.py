"""Modules in the picture of the board: owners of keys, the range of weapons, the player whom the horde serves."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

from domain.games.battalia.game import BATTALIA
from domain.games.battalia.module_api.questions import TURN
from domain.games.battalia.module_api.registry import registered
from domain.games.battalia.readers.picture.board import standing
from domain.games.battalia.readers.words.forms import FORMS
from service.core.positions.rows import as_bytes
from tests.battalia.keeping import keeper
from tests.battalia.laid import city, rammoth, table, weapons
from tests.battalia.raiding import free, hired

SVG = "{http://www.w3.org/2000/svg}"
NAMES = {"1": "Ada", "2": "Bob", "3": "Cy"}


def drawn(state):
    return ET.fromstring(
        BATTALIA.presentation.board(BATTALIA.title, json.loads(as_bytes(BATTALIA.knowledge.view(state))), NAMES)
    )


def tips(root):
    """The tooltips of the picture."""
    return [element.text for element in root.iter(f"{SVG}title")][1:]


def heard(root):
    return root.find(f"{SVG}desc").text


def seen(root):
    return " ".join(element.text for element in root.iter(f"{SVG}text"))


def test_kee_04_the_keys_of_a_seat_are_shown_beside_its_name():
    picture = drawn(keeper(table(2, ("keeper",)), "D1", s1=["emberians", "barfolk"], s2=[]))

    assert ["key: barfolk", "key: emberians"] == sorted(tip for tip in tips(picture) if tip.startswith("key"))
    assert "keys of Ada (2)" in heard(picture)
    assert "Keeper stands at D1" in heard(picture)


def test_shapes_have_the_same_name_in_the_picture_the_terminal_and_the_history():
    state = table(2)
    picture = seen(drawn(state))
    (piles,) = [line for line in shown(state) if line.startswith("Piles: ")]
    for name in ("road T-junction", "city T-junction"):
        assert name in picture
        assert f"{name} " in piles
    card = state.piles["road-tee"][0]
    assert "with a T-junction" in FORMS["road"](card, _named)
    assert "T-junction road card" in FORMS["cards"]([card], _named)


def _named(_, word):
    return word


def shown(state):
    """The lines of the view in a terminal."""
    view = json.loads(as_bytes(BATTALIA.knowledge.view(state)))
    return list(BATTALIA.presentation.text({**view, "table": {"outcome": None}}, None))


def test_terminal_shows_modules_with_readable_names_and_without_empty_fields():
    state = keeper(table(2, ("keeper", "armamentum")), "D1", s1=["emberians", "barfolk"], s2=[])
    lines = shown(city(state, "D2", 2, 1, "ESW"))
    (keeps,) = [line for line in lines if line.startswith("Keeper: ")]

    assert keeps.startswith("Keeper: on D1; ")
    assert "strength 8" in keeps
    assert "keys of seat 1: Emberians, Bärfolk" in keeps
    (weapons_line,) = [line for line in lines if line.startswith("Armamentum: ")]
    assert "6 left to build" in weapons_line
    assert "-" not in keeps
    assert "complete" not in keeps


def test_arm_04_the_range_of_weapons_is_outlined_in_the_owners_color():
    state = city(table(2, ("armamentum",)), "D2", 2, 1, "ESW")
    before, after = drawn(state), drawn(weapons(state, "D2"))

    (outline,) = [path for path in after.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
    assert not [path for path in before.iter(f"{SVG}path") if path.find(f"{SVG}title") is not None]
    assert 12 == outline.get("d").count("M")  # three by three squares have twelve sides
    assert "Weapons of D2: range C1, D1, E1, C2, D2, E2, C3, D3, E3" in heard(after)
    assert "Weapons of D2" in tips(after)


def test_ram_02_the_range_of_the_rammoth_is_outlined():
    picture = drawn(rammoth(table(2, ("rammoth",)), "A1"))

    assert "Rammoth" in tips(picture)
    assert "Rammoth: range" in heard(picture)


def test_buf_11_the_end_of_a_duty_and_the_horde_are_shown():
    served = drawn(hired(table(3, ("unbound_buff",)), 2, "C1"))
    roaming = drawn(free(table(3, ("unbound_buff",)), "A1", bribes={"2": 9}))

    assert "serves Bob, until week 3, day 1" in heard(served)
    assert "serves Bob" in seen(served)
    assert "horde 6" in heard(roaming)
    assert "bribed by Bob (until week 2, day 3)" in heard(roaming)


def over(state, reason, winners, scores):
    view = json.loads(as_bytes(BATTALIA.knowledge.view(state)))
    view["table"] = {"outcome": {"reason": reason, "clause": "END-04", "winners": winners, "scores": scores}}
    return seen(ET.fromstring(BATTALIA.presentation.board(BATTALIA.title, view, NAMES)))


def test_end_01_the_banner_gives_the_reason_why_the_game_is_over():
    assert "The game is over: every square of the map has a card." in over(table(2), "full-map", [1], {"1": 3, "2": 1})


def test_kee_09_the_banner_mentions_keys_only_if_they_decided_the_game():
    shown = over(table(2), "weeks", [2], {"1": 6, "2": 2})

    assert "The game is over: the last week is over. Keys count before points." in shown
    assert "Keys" not in over(table(2), "weeks", [1], {"1": 6, "2": 2})


def test_every_ending_has_a_text():
    assert {"cities", "full-map", "no-square", "weeks", "alone", "keys"} == set(BATTALIA.presentation.ends)
    assert all(
        not text.endswith(".") and not text.startswith("The end") for text in BATTALIA.presentation.ends.values()
    )


def test_terminal_shows_readable_names_of_cards_and_points():
    view = {**json.loads(as_bytes(BATTALIA.knowledge.view(table(2)))), "table": {"outcome": None}}
    hand = [
        "frimen-barfolk-1",
        "frimen-barfolk-2",
        "lord-barfolk-1",
        "lord-barfolk-2",
        "supply-1",
        "supply-2",
        "supply-3",
    ]
    text = "\n".join(BATTALIA.presentation.text(view, {"hand": hand, "kept": [], "hidden": []}))

    assert "Your hand: 2 frimen of the Bärfolk, 2 lords of the Bärfolk, 3 supplies" in text
    assert "barfolk" not in text
    assert "1 points" not in text
    assert "hero 2 of seat 1 (hero-1-2)" == BATTALIA.presentation.word("hero-1-2")
    assert "Crown of Titus (great-crown)" == BATTALIA.presentation.word("great-crown")


def test_picture_shows_the_names_of_modules_and_great_artefacts():
    picture = drawn(
        weapons(city(keeper(table(2, ("keeper", "armamentum")), "D1", s1=[], s2=[]), "D2", 2, 1, "ESW"), "D2")
    )
    roaming = drawn(free(table(3, ("unbound_buff",)), "A1"))

    assert "Armamentum: each helps by 4, 5 left to build" in seen(picture)
    assert "needs 4 cities of the highest level, strength 8" in seen(picture)
    assert "Unbound Buff: horde 6" in seen(roaming)
    assert "great " not in seen(roaming)


def test_heading_names_the_task_of_every_question():
    kinds = {kind for module in registered().values() for kind in module.questions if kind != TURN}
    assert kinds
    state = table(3, ("unbound_buff",))
    for kind in sorted(kinds):
        view = BATTALIA.knowledge.view(state) | {"questions": [{"seats": [1], "kind": kind}]}
        heading = standing(view, {"1": "Ada"}, BATTALIA.presentation.names["task"])
        assert f"to answer ({kind})" not in heading
        assert BATTALIA.presentation.names["task"][kind] in heading
