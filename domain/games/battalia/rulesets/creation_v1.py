"""The first ruleset: the numbers of docs/rules/battalia.md at the start of the project."""

from __future__ import annotations

from domain.games.battalia.cards import ARTEFACTS, RANKS
from domain.games.battalia.rulesets.readings import FIRST
from domain.games.battalia.rulesets.rules import Map, Price, house, published, ruleset, sourced

TWO_FRIMEN = Price(units=2, rank=1, building=True)
TWO_FRIMEN_ONE_SUPPLY = Price(units=2, rank=1, supplies=1, building=True)

CREATION_V1 = ruleset(
    "creation_v1",
    FIRST,
    units_per_rank=house("SET-03", 5),
    artefacts_per_type=published("SET-05", 3),
    unbound_per_rank=published("SET-07", 2),
    roads=house("SET-08", {"straight": 3, "bend": 3, "tee": 3, "cross": 3}),
    cities=house("SET-08", {"end": 1, "straight": 1, "bend": 2, "tee": 2, "cross": 1}),
    factions_of_two=published("SET-10", 3),
    great_beyond_players=published("SET-06", 1),
    maps=house(
        "SET-11",
        {
            2: Map(7, 5, ("A1", "G5"), ("G1", "A5")),
            3: Map(7, 7, ("A1", "G1", "A7"), ("D1", "A4", "G7")),
            4: Map(7, 7, ("A1", "G7", "G1", "A7"), ("D1", "A4", "G4", "D7")),
            5: Map(9, 7, ("A1", "I7", "I1", "A7", "E1"), ("A4", "C4", "G4", "I4")),
            6: Map(9, 7, ("A1", "I7", "I1", "A7", "E1", "E7"), ("A4", "C4", "G4", "I4")),
        },
    ),
    start_units=published("SET-13", (3, 1, 1, 0)),
    start_supplies=published("SET-13", 5),
    start_level=house("SET-15", 1),
    neutral_level=published("SET-16", 4),
    heroes=house("SET-15", 2),
    hand=published("TURN-01", 6),
    mulligan=published("TURN-01", 1),
    cohort=house("TURN-02", {4: 1, 5: 2, 6: 3}),
    wheel=house("DAY-03", ARTEFACTS),
    matching=house("DAY-03", 4),
    top_level=sourced("MAP-07", 4),
    hire=house("PAY-01", (2, 2, 3, 4)),
    take_supply=house("PAY-02", Price(units=1)),
    take_artefact=house("PAY-03", Price(supplies=3)),
    road=house(
        "PAY-04, PAY-05",
        {
            "straight": TWO_FRIMEN,
            "bend": TWO_FRIMEN,
            "tee": TWO_FRIMEN_ONE_SUPPLY,
            "cross": TWO_FRIMEN_ONE_SUPPLY,
        },
    ),
    found_units=published("PAY-06", 3),
    upgrade_units=published("PAY-07", 2),
    rebuild=house("PAY-08", TWO_FRIMEN),
    step_supplies=house("PAY-11", 1),
    horse_steps=house("ART-02", 3),
    terrain_bonus=sourced("BAT-05", 1),
    moral_bonus=sourced("BAT-06", 1),
    weapon=house("ART-01", 2),
    horse=house("ART-02", 1),
    sword=house("ART-09", 4),
    shield=house("ART-09", 4),
    title=house("ART-04", 1),
    lit=published("DAY-06", 2),
    amulet=house("ART-03", (*RANKS, "supply", "any")),
    amulet_ranks=house("BAT-15", (1, 2, 3, 4, 0, 4)),
    amulet_own=house("BAT-15", (6,)),
    ruins=house("BAT-11", (8, 10)),
    neutral_extra=published("BAT-11", (0, 2)),
    slots=published("ART-08", 3),
    slots_in_all=published("ART-08", 12),
    pavilion=house("ART-09", 2),
    victory_cities=published("END-01", (5, 4)),
    # modules
    level_0_markers=sourced("MAP-07", 1),
    rammoth_horn=sourced("RAM-10", 2),
    rammoth_against_weapons=sourced("ARM-08", {"horn": 4, "ballista": 4}),
    rammoth_hand_share=house("RAM-18", 2),
    armamentum_price=sourced("PAY-09", Price(units=2, rank=1, supplies=2, building=True)),
    armamentum_stock=house("ARM-02", 6),
    armamentum_alone=sourced("ARM-04", 4),
    armamentum_against_besieger=sourced("ARM-06", {"easy": 4, "moderate": 3, "hard": 2}),
    keeper_strength=sourced("KEE-05", 8),
    keeper_cities=sourced("KEE-06", 4),
    keeper_max_weeks=house("END-04", 0),
    buff_bribe=sourced("PAY-10", Price(supplies=3)),
    buff_hire=sourced("PAY-10", Price(supplies=4)),
    horde=sourced("BUF-05", 6),
    horde_growth=sourced("BUF-05", 2),
    buff_unbound_bonus=sourced("BUF-16", 1),
)
