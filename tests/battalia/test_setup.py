"""SET: components and setup."""

from __future__ import annotations

from collections import Counter

import pytest

from domain.games.battalia.cards import CARDS, TERRAIN
from domain.games.battalia.game import BATTALIA
from domain.games.battalia.readers.faults import where
from domain.games.battalia.rulesets import RULESETS
from domain.kernel.errors import BadSetup
from domain.kernel.game.rules import Setup
from tests.battalia.table import command, dealt, table, tell


def quick(seats=2, seed=0, ruleset="", **options):
    return dealt(BATTALIA.rules.check(Setup(seats, ruleset, options)), seed)


def counted(state, group):
    return Counter(CARDS[card].kind for card, _ in where(state) if card != "ruins" and CARDS[card].group == group)


@pytest.mark.parametrize("seats", [0, 1, 5, 6, 7])
def test_set_01_two_to_four_players_play_without_stormgates(seats):
    with pytest.raises(BadSetup) as bad:
        BATTALIA.rules.check(Setup(seats, "", {}))
    assert ["seats"] == list(bad.value.faults)


def test_set_01_the_first_seat_is_drawn_and_the_others_follow_in_seat_order():
    orders = {quick(3, seed).order for seed in range(30)}
    assert {(1, 2, 3), (2, 3, 1), (3, 1, 2)} == orders
    for order in orders:
        assert order[0] == next(state for state in (quick(3, s) for s in range(30)) if state.order == order).turn.seat


def test_set_02_there_are_four_factions_with_their_terrains():
    assert ("barfolk", "islanders", "emberians", "cloudborn") == quick(4).factions
    assert ["forest", "lake", "desert", "mountain", "tundra", "plain"] == list(TERRAIN.values())


def test_set_03_there_are_five_units_of_each_rank_and_faction():
    assert {"frimen": 20, "chief": 20, "priest": 20, "lord": 20} == dict(counted(quick(4), "unit"))
    assert [1, 2, 3, 4] == [CARDS[f"{rank}-barfolk-1"].rank for rank in ("frimen", "chief", "priest", "lord")]


def test_set_04_there_are_as_many_supplies_as_units():
    assert 60 == counted(quick(2), "supply")["supply"]
    assert 80 == counted(quick(4), "supply")["supply"]
    assert 88 == counted(quick(4, unbound_units=True), "supply")["supply"]


def test_set_05_there_are_seven_artefacts_and_three_of_each_per_faction():
    found = counted(quick(4), "artefact")
    assert dict.fromkeys(("tool", "horse", "weapon", "amulet", "tent", "title", "scroll"), 12) == dict(found)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_set_06_the_number_of_open_great_artefacts_is_the_players_plus_one(seats):
    state = quick(seats)
    assert seats + 1 == len(state.great)
    assert 10 == len({*state.great, *state.gone})
    assert len({quick(seats, seed).great for seed in range(5)}) > 1


def test_set_07_the_option_adds_eight_mercenaries():
    assert "unbound" not in quick().piles
    unbound = quick(unbound_units=True).piles["unbound"]
    assert 8 == len(unbound)
    assert {1: 2, 2: 2, 3: 2, 4: 2} == dict(Counter(CARDS[card].rank for card in unbound))
    assert {""} == {CARDS[card].faction for card in unbound}


def test_set_08_there_are_twelve_roads_and_seven_cities_of_each_faction():
    state = quick(4)
    assert {"straight": 12, "bend": 12, "tee": 12, "cross": 12} == dict(counted(state, "road"))
    assert {"end": 4, "straight": 4, "bend": 8, "tee": 8, "cross": 4} == dict(counted(state, "city"))


def test_set_09_common_piles_are_shuffled_and_secret():
    state = quick(unbound_units=True)
    expected = {"frimen", "chief", "priest", "lord", "supply", "unbound"}
    expected |= {"tool", "horse", "weapon", "amulet", "tent", "title", "scroll"}
    expected |= {"road-straight", "road-bend", "road-tee", "road-cross"}
    expected |= {"city-end", "city-straight", "city-bend", "city-tee", "city-cross"}
    assert expected == set(state.piles)
    assert quick(seed=1).piles["road-bend"] != quick(seed=2).piles["road-bend"]
    shown = BATTALIA.knowledge.view(state)["piles"]["frimen"]
    assert {"count", "left"} == set(shown)


def test_set_10_two_players_have_three_factions_in_the_piles():
    kept = [quick(2, seed).factions for seed in range(40)]
    assert {3} == {len(factions) for factions in kept}
    assert 4 == len(set(kept))
    assert 4 == len(quick(3).factions)


@pytest.mark.parametrize(
    ("seats", "size", "starts", "neutrals"),
    [
        (2, (7, 5), {"A1", "G5"}, {"G1", "A5"}),
        (3, (7, 7), {"A1", "G1", "A7"}, {"D1", "A4", "G7"}),
        (4, (7, 7), {"A1", "G7", "G1", "A7"}, {"D1", "A4", "G4", "D7"}),
    ],
)
def test_set_11_the_map_grows_with_the_players(seats, size, starts, neutrals):
    state = quick(seats)
    assert size == (state.columns, state.rows)
    assert starts == {name for name, city in state.cities.items() if city.owner}
    assert neutrals == {name for name, city in state.cities.items() if not city.owner}


@pytest.mark.parametrize(("seats", "centre"), [(2, "D3"), (3, "D4"), (4, "D4")])
def test_set_12_the_ruins_are_in_the_center_with_exits_on_all_sides(seats, centre):
    state = quick(seats)
    assert "NESW" == state.board[centre].exits
    assert centre not in state.cities
    assert "" == BATTALIA.knowledge.view(state)["squares"][centre]["terrain"]


def test_set_13_a_deck_has_three_frimen_a_chief_a_priest_and_five_supplies():
    for player in quick(4).players.values():
        cards = [CARDS[card].kind for card in player.hand + player.deck]
        assert {"frimen": 3, "chief": 1, "priest": 1, "supply": 5} == dict(Counter(cards))
        assert 6 == len(player.hand)


def test_set_14_quick_setup_draws_factions_and_starts():
    drawn = {(state.players[1].faction, state.players[1].home) for state in (quick(4, seed) for seed in range(60))}
    assert 16 == len(drawn)
    assert "turn" == quick().asking[-1].kind


def test_set_14_factions_are_chosen_in_seat_order_and_starts_in_reverse():
    state = quick(3, quick_setup=False)
    story = tell(state)
    assert [(1, "faction")] == [(q.seat, q.kind) for q in BATTALIA.rules.awaiting(story.state)]
    assert {"frimen", "chief", "priest", "supply"} >= {
        CARDS[c].kind for c in BATTALIA.knowledge.private(state, 1)["hand"]
    }
    story.when(1, command("choose_faction", faction="emberians"))
    story.when(2, command("choose_faction", faction="emberians")).refused("unknown-choice", "SET-14", "faction")
    story.when(2, command("choose_faction", faction="islanders"))
    story.when(3, command("choose_faction", faction="barfolk"))
    story.when(1, command("choose_start", square="A1")).refused("not-your-turn")
    story.when(3, command("choose_start", square="D4")).refused("unknown-choice", "SET-14", "square")
    story.when(3, command("choose_start", square="G1"))
    story.when(2, command("choose_start", square="G1")).refused("unknown-choice", "SET-14")
    story.when(2, command("choose_start", square="A1"))
    assert ["A7", "A1", "G1"] == [story.state.players[seat].home for seat in (1, 2, 3)]
    assert "turn" == story.state.asking[-1].kind


@pytest.mark.parametrize(
    ("ruleset", "seats"), [("creation_v2", (1, 2, 3, 4, 3, 2)), ("creation_v1", (1, 2, 3, 4, 4, 3, 2, 1))]
)
def test_set_14_day_08_forced_choices_are_made_without_a_question(ruleset, seats):
    """The last start is always forced; with four seats, so is the last faction."""
    story = tell(quick(4, quick_setup=False, ruleset=ruleset))
    asked = []
    while story.state.day < 0:
        asked.append(BATTALIA.rules.awaiting(story.state)[0].seat)
        story.default(asked[-1])
    assert seats == tuple(asked)
    assert all(player.faction and player.home for player in story.state.players.values())


def test_set_14_the_defaults_are_available_factions_and_starts():
    story = tell(quick(2, quick_setup=False))
    for seat in (1, 2, 2):
        story.default(seat)
    assert {"A1", "G5"} == {player.home for player in story.state.players.values()}
    assert 2 == len({player.faction for player in story.state.players.values()})


def test_set_15_a_start_is_a_bend_of_the_own_faction_with_both_heroes():
    for seats in (2, 3, 4):
        state = quick(seats)
        for seat, player in state.players.items():
            card = CARDS[state.board[player.home].card]
            assert ("city", "bend", player.faction) == (card.group, card.kind, card.faction)
            assert 1 == state.cities[player.home].level
            assert [player.home] * 2 == [hero.square for hero in state.heroes.values() if hero.seat == seat]
    assert "ES" == table().board["A1"].exits
    assert "NW" == table().board["G5"].exits


def test_set_16_neutral_cities_are_crosses_of_level_four():
    state = quick(4)
    for name in ("D1", "A4", "G4", "D7"):
        assert "cross" == CARDS[state.board[name].card].kind
        assert 4 == state.cities[name].level
    assert () == state.piles["city-cross"]
    assert 1 == len(quick(2).piles["city-cross"])


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"max_weeks": -1}, "options.max_weeks"),
        ({"max_weeks": 53}, "options.max_weeks"),
        ({"max_weeks": True}, "options.max_weeks"),
        ({"victory_cities": 3}, "options.victory_cities"),
        ({"movement": "flying"}, "options.movement"),
        ({"neutral_strength": 1}, "options.neutral_strength"),
        ({"ruins_strength": "8"}, "options.ruins_strength"),
        ({"quick_setup": 1}, "options.quick_setup"),
        ({"colour": "red"}, "options.colour"),
    ],
)
def test_invalid_option_is_refused_by_field(options, path):
    with pytest.raises(BadSetup) as bad:
        BATTALIA.rules.check(Setup(2, "", options))
    assert [path] == list(bad.value.faults)


def test_defaults_are_filled_in():
    checked = BATTALIA.rules.check(Setup(2, "", {}))
    assert next(iter(RULESETS)) == checked.ruleset
    assert {setting.name for setting in BATTALIA.rules.settings} >= set(checked.options)
    with pytest.raises(BadSetup):
        BATTALIA.rules.check(Setup(2, "creation_v0", {}))
    with pytest.raises(BadSetup):
        BATTALIA.rules.check(Setup(2, "", {}, ("dragons",)))


@pytest.mark.parametrize("rules", RULESETS.values(), ids=lambda rules: rules.key)
def test_every_number_of_a_ruleset_has_its_clause_and_mark(rules):
    import dataclasses

    fields = {field.name for field in dataclasses.fields(rules)} - {"key", "rulings", "modules", "readings"} | set(
        rules.modules
    )
    assert fields == set(rules.rulings)
    for ruling in rules.rulings.values():
        assert ruling.mark in {"S", "P", "H"}
        assert ruling.clause[:3].isupper()
