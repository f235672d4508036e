"""Changes for a seat between two views, and paragraphs of history lines."""

from __future__ import annotations

from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.words.paragraphs import condense
from domain.kernel.game.knowledge import SeatView
from service.core.history.narration import Narrator

TELLER = Narrator(BATTALIA, {1: "Ash", 2: "Birk", 3: "Cyd"})


def seen(cities, heroes, points, hand=(), hidden=(), day=1, npcs=None, out=()):
    """The parts of a seat's view that `changes` reads: cities as {square: (owner, level)}, heroes as {id: square}."""
    public = {
        "day": day,
        "week": 1,
        "squares": {name: {"city": {"owner": owner, "level": level}} for name, (owner, level) in cities.items()}
        | {"Z9": {"card": "road"}},
        "heroes": {name: {"seat": int(name.split("-")[1]), "square": square} for name, square in heroes.items()},
        "seats": {
            str(seat): {
                "points": value,
                "out": seat in out,
                "cities": [name for name, (owner, _) in cities.items() if owner == seat],
            }
            for seat, value in points.items()
        },
        "npcs": npcs or {},
    }
    return SeatView(public, {"hand": list(hand), "hidden": list(hidden)})


def told(before, after):
    return [TELLER.narrate(line) for line in BATTALIA.presentation.changes(before, after, 1)]


def test_changes_of_cities_heroes_points_and_cards_are_described_to_their_seat():
    before = seen(
        {"A1": (1, 2), "B1": (1, 1), "C1": (1, 3), "E1": (1, 1)},
        {"hero-1-1": "A1", "hero-1-2": "C1", "hero-2-1": "A2"},
        {1: 7, 2: 1, 3: 0},
        ["supply-1", "supply-2", "frimen-barfolk-1"],
        ["weapon-islanders-1"],
    )
    after = seen(
        {"A1": (2, 2), "C1": (1, 1), "D1": (1, 4), "E1": (0, 1)},
        {"hero-1-1": None, "hero-1-2": "C2", "hero-2-1": "A1"},
        {1: 5, 2: 3, 3: 0},
        ["supply-1", "lord-barfolk-1"],
        day=3,
        out=(3,),
    )

    assert told(before, after) == [
        "It is now day 3 of week 1.",
        "You lost the level 2 city on A1 to Birk.",
        "Your level 1 city on B1 was destroyed.",
        "You lost the level 1 city on E1. No one holds it now.",
        "You gained the level 4 city on D1.",
        "Your city on C1 fell from level 3 to 1.",
        "You lost your first hero on A1.",
        "Your second hero moved from C1 to C2.",
        "You lost two points and now have 5.",
        "No longer in your hand: a frimen of the Bärfolk and a supply.",
        "New in your hand: a lord of the Bärfolk.",
        "No longer face down: a weapon of the Islanders.",
        "Birk now has 3 points (was 1).",
        "Cyd is out of the game.",
    ]
    assert [] == told(before, before) == told(after, after)


def test_private_parts_are_compared_only_if_both_views_have_them():
    before = seen({}, {}, {1: 0}, ["supply-1"])
    after = seen({}, {}, {1: 0}, [])

    assert [] == told(before, after._replace(private=None)) == told(before._replace(private=None), after)


def test_won_keys_and_lost_weapons_are_described():
    key = {"faction": "barfolk", "colour": "green", "element": "earth"}
    before = seen(
        {"A1": (1, 1), "B1": (1, 1)},
        {},
        {1: 2, 2: 0},
        npcs={
            "keeper": {"keys": {"1": [], "2": []}},
            "armamentum": {"weapons": {"A1": {"owner": 1}, "B1": {"owner": 1}}},
        },
    )
    after = seen(
        {"A1": (1, 1), "B1": (1, 1)},
        {},
        {1: 2, 2: 0},
        npcs={"keeper": {"keys": {"1": [key], "2": [key]}}, "armamentum": {"weapons": {"B1": {"owner": 1}}}},
    )

    assert set(told(before, after)) == {
        "You won the green key of earth.",
        "Birk won the green key of earth.",
        "Your Armamentum on A1 is lost.",
    }


def step(hero, origin, to, paid=()):
    return {"type": "hero_stepped", "seat": 1, "hero": hero, "origin": origin, "to": to, "paid": list(paid), "steps": 0}


def test_paragraph_joins_successive_steps_and_omits_minor_lines():
    lines = [
        {"type": "turn_began", "seat": 1},
        step("hero-1-1", "A1", "B1", ["supply-1"]),
        step("hero-1-1", "B1", "C1", ["supply-2"]),
        step("hero-1-2", "C1", "C2"),
        {"type": "cards_discarded", "seat": 1, "cards": ["supply-1"]},
        {"type": "turn_ended", "seat": 1},
    ]

    assert ["hero_walked", "hero_stepped"] == [line["type"] for line in condense(lines)]
    assert (
        "Ash moves their first hero from A1 via B1 to C1 for two supplies, then moves their second hero from C1 to C2."
        == TELLER.write_paragraph(lines)
    )
    battle = {"type": "battle_fought", "seat": 1, "defender": 0, "square": "D4", "hero": "hero-1-1", "winner": 1}
    strengths = {"attack": {"cards": 9}, "strength": 9, "against": 8}
    beaten = {"type": "ruins_beaten", "seat": 1}
    entered = {"type": "hero_entered", "seat": 1, "hero": "hero-1-1", "square": "D4"}
    ruins = [{**battle, **strengths, "defence": {"ruins": 8}}, beaten, entered]
    assert "Ash wins the battle for the ruins on D4, 9 to 8." == TELLER.write_paragraph(ruins)
    hero = {**battle, **strengths, "defender": 2, "defence": {"cards": 8}}
    moved = "Ash wins the battle on D4 against Birk, 9 to 8, then moves their first hero into D4."
    assert moved == TELLER.write_paragraph([hero, entered])
    assert "Ash does nothing." == TELLER.write_paragraph([lines[0], lines[4], lines[5]])
    assert "" == TELLER.write_paragraph(lines[:1]) == TELLER.write_paragraph(lines[4:])


def test_clause_is_not_joined_to_a_sentence_that_ends_with_another_subject():
    away = {"type": "vacation_announced", "seat": 1, "plays": "sitter"}
    told = TELLER.write_paragraph([away, step("hero-1-1", "A1", "B1")])

    assert "Ash will be on vacation; decisions wait for a sitter. Ash moves their first hero from A1 to B1." == told


def test_paragraph_of_only_the_end_of_a_turn_does_not_claim_inactivity():
    began, ended = ({"type": type_, "seat": 1} for type_ in ("turn_began", "turn_ended"))
    assert "Ash does nothing." == TELLER.write_paragraph([began, ended])
    assert "" == TELLER.write_paragraph([ended, {**began, "seat": 2}])
