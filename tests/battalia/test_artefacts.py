"""ART: artefacts. For artefacts in lines, see the tests of prices and battles."""

from __future__ import annotations

import pytest

from domain.games.battalia import events as ev
from domain.games.battalia.game import BATTALIA
from domain.kernel.terms import SYSTEM
from tests.battalia.table import (
    cards,
    changed,
    city,
    command,
    day,
    hand,
    lay,
    lit,
    on_top,
    stand,
    table,
    tell,
    tent,
    turn,
    zone,
)
from tests.story import LoadedDice

END = command("end_turn")


def roads_east(state, count=6):
    for column in "BCDEFG"[:count]:
        state = lay(state, f"{column}1", "road-straight", "EW") if f"{column}1" not in state.board else state
    return state


def test_art_01_a_weapon_is_two_in_a_line():
    """Checks only that it counts in defense; test_battles has the other cases."""
    state = hand(hand(table(), 1, "lord-emberians"), 2, "weapon-emberians")
    state = stand(lay(state, "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    story = tell(day(state, 4)).when(
        1, command("step", hero="hero-1-1", to="G5", units=list(state.players[1].hand), against=2)
    )
    story.when(2, command("defend", support=list(state.players[2].hand)))
    assert 2 == story.of(ev.BattleFought)[0].defence["cards"]


@pytest.mark.parametrize(("number", "steps"), [(3, 3), (1, 6)])
def test_art_02_a_horse_moves_a_hero_up_to_three_squares_and_six_when_lit(number, steps):
    state = roads_east(hand(day(table(movement="basic"), number), 1, "horse"), 5)
    story = tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=list(state.players[1].hand)))
    for to in ("C1", "D1", "E1", "F1")[: steps - 1]:
        story.when(1, command("step", hero="hero-1-1", to=to))
    assert max(0, steps - 5) == story.state.heroes["hero-1-1"].steps
    if steps == 3:
        story.when(1, command("step", hero="hero-1-1", to="E1")).refused("does-not-pay", "PAY-11")


@pytest.mark.parametrize(
    ("rolled", "token"),
    [(1, "frimen-emberians"), (2, "chief-emberians"), (3, "priest-emberians"), (4, "lord-emberians"), (5, "supply")],
)
def test_art_03_an_amulet_becomes_the_rolled_card_until_the_turn_ends(rolled, token):
    state = day(hand(table(), 1, "amulet-emberians", "supply"), 4)
    amulet = cards(state, 1, "amulet")
    story = tell(state).when(1, command("use_amulet", cards=amulet), LoadedDice(rolled))
    made = story.of(ev.AmuletRolled)[0].tokens
    assert (f"{token}~1",) == made == story.state.players[1].tokens
    assert amulet == list(story.state.players[1].played)
    if token == "supply":
        story.when(1, command("hire_unit", unit="frimen", cards=[*made, *cards(state, 1, "supply")]))
    else:
        story.when(1, command("take_supply", cards=list(made)))
    assert () == story.state.players[1].tokens
    unused = tell(state).when(1, command("use_amulet", cards=amulet), LoadedDice(rolled)).when(1, END)
    assert () == unused.state.players[1].tokens


def test_art_03_a_six_is_any_creation_card_of_its_owners_choice():
    state = day(hand(table(), 1, "amulet-emberians"), 4)
    story = tell(state).when(1, command("use_amulet", cards=list(state.players[1].hand)), LoadedDice(6))
    assert [(1, "wish")] == [(q.seat, q.kind) for q in BATTALIA.rules.awaiting(story.state)]
    for wrong in ("great-sword", "lord", "unbound-lord", "lord-cloudborn", "road-bend-barfolk"):
        story.when(1, command("wish", card=wrong)).refused("unknown-choice", "ART-03", "card")
    story.when(1, command("wish", card="weapon-islanders"))
    assert ("weapon-islanders~1",) == story.state.players[1].tokens
    silent = tell(state).when(1, command("use_amulet", cards=list(state.players[1].hand)), LoadedDice(6)).default(1)
    assert ("lord-barfolk~1",) == silent.state.players[1].tokens


def test_art_03_a_token_counts_in_a_battle_and_is_removed_after_it():
    state = stand(lay(day(table(), 4), "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    state = hand(state, 1, "amulet-emberians")
    story = tell(state).when(1, command("use_amulet", cards=list(state.players[1].hand)), LoadedDice(4))
    story.when(1, command("step", hero="hero-1-1", to="G5", units=["lord-emberians~1"], against=2)).default(2)
    assert () == story.state.players[1].tokens
    assert 4 == story.of(ev.BattleFought)[0].strength


def test_art_04_a_title_raises_the_rank_of_one_unit_of_its_line():
    state = city(day(hand(table(), 1, "chief", "priest", "title"), 4), "A1", owner=1, level=2)
    story = tell(state).when(1, command("upgrade_city", square="A1", cards=list(state.players[1].hand)))
    assert 3 == story.state.cities["A1"].level


def test_art_05_a_scroll_copies_a_card_of_its_line():
    state = day(hand(table(), 1, "frimen", "scroll"), 4)
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("build_road", shape="bend", square="B1", exits="SW", cards=own))
    assert "B1" in story.state.board
    state = roads_east(day(hand(table(movement="basic"), 1, "supply", "scroll"), 4), 3)
    story = tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=list(state.players[1].hand)))
    assert 1 == story.state.heroes["hero-1-1"].steps
    state = day(hand(table(), 1, "amulet-emberians", "scroll"), 4)
    story = tell(state).when(1, command("use_amulet", cards=list(state.players[1].hand)), LoadedDice(1, 2))
    assert ("frimen-emberians~1", "chief-emberians~2") == story.state.players[1].tokens
    tell(state).when(1, command("use_amulet", cards=cards(state, 1, "scroll"))).refused("does-not-pay", "ART-03")


def test_art_06_a_tool_replaces_a_missing_card_of_a_building_line():
    state = day(hand(table(), 1, "frimen", "tool", "supply"), 4)
    frimen, tool, supply = state.players[1].hand
    story = tell(state).when(1, command("build_road", shape="bend", square="B1", exits="SW", cards=[frimen, tool]))
    assert "B1" in story.state.board
    tell(state).when(1, command("hire_unit", unit="frimen", cards=[supply, tool])).refused("does-not-pay", "PAY-01")


def test_art_07_a_tent_keeps_a_card_for_any_later_line():
    state = day(hand(table(), 1, "tent", "lord", "frimen", "great-crown"), 3)
    tent_, lord, frimen, crown = state.players[1].hand
    story = tell(state)
    story.when(1, command("pitch_tent", tent=tent_, keep=[crown])).refused("cannot-keep", "ART-07")
    story.when(1, command("pitch_tent", tent=tent_, keep=[])).refused("cannot-keep", "ART-07")
    story.when(1, command("pitch_tent", tent=tent_, keep=[lord, frimen])).refused("cannot-keep", "ART-07")
    story.when(1, command("pitch_tent", tent=lord, keep=[frimen])).refused("cannot-keep", "ART-07", "tent")
    story.when(1, command("pitch_tent", tent=tent_, keep=[tent_])).refused("cannot-keep", "ART-07")
    story.when(1, command("pitch_tent", tent=tent_, keep=[lord]))
    kept = story.of(ev.CardsKept)[0]
    assert "kept" not in BATTALIA.knowledge.reveal(kept, 2)
    assert [lord] == BATTALIA.knowledge.reveal(kept, 1)["kept"]
    assert [{"tent": tent_, "kept": 1, "brief": False}] == BATTALIA.knowledge.view(story.state)["seats"]["1"]["tents"]
    story.when(1, END)
    assert (lord,) == story.state.players[1].tents[0].kept
    assert 6 == len(story.state.players[1].hand)
    story.when(2, END).default(SYSTEM).when(1, command("take_supply", cards=[lord]))
    assert () == story.state.players[1].tents
    assert {lord, tent_} <= set(story.state.players[1].played)


def test_art_07_a_card_kept_by_a_tent_defends_and_both_are_discarded():
    state = tent(hand(table(), 2), 2, "tent", "lord-emberians")
    state = stand(lay(hand(state, 1, "frimen"), "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    holder = state.players[2].tents[0]
    story = tell(day(state, 3)).when(
        1, command("step", hero="hero-1-1", to="G5", units=list(state.players[1].hand), against=2)
    )
    story.when(2, command("defend", units=list(holder.kept)))
    assert 4 == story.of(ev.BattleFought)[0].defence["cards"]
    assert {holder.tent, *holder.kept} <= set(story.state.players[2].discard)
    assert () == story.state.players[2].tents


def test_art_07_a_tent_made_from_the_hammer_is_struck_at_the_end_of_the_turn():
    state = day(hand(table(), 1, "great-hammer", "lord"), 3)
    hammer, lord = state.players[1].hand
    story = tell(state).when(1, command("pitch_tent", tent=hammer, keep=[lord]))
    assert story.state.players[1].tents[0].brief
    story.when(1, END)
    assert () == story.state.players[1].tents
    assert {hammer, lord} <= {
        *story.state.players[1].discard,
        *story.state.players[1].deck,
        *story.state.players[1].hand,
    }


def test_art_07_tokens_are_not_kept():
    state = day(hand(table(), 1, "amulet-emberians", "tent"), 3)
    story = tell(state).when(1, command("use_amulet", cards=cards(state, 1, "amulet")), LoadedDice(4, 4))
    story.when(1, command("pitch_tent", tent=cards(state, 1, "tent")[0], keep=["lord-emberians~1"]))
    story.refused("cannot-keep", "ART-07")
    story.when(1, command("hide_card", card="lord-emberians~1")).refused("not-in-hand", "ART-08")


def test_art_08_an_ambush_card_is_face_down_and_leaves_the_deck():
    state = hand(table(), 1, "lord", "frimen", "chief", "priest")
    own = state.players[1].hand
    story = tell(state)
    for card in own[:3]:
        story.when(1, command("hide_card", card=card))
    assert own[:3] == story.state.players[1].hidden
    story.when(1, command("hide_card", card=own[3])).refused("slots-full", "ART-08")
    hidden = BATTALIA.knowledge.reveal(ev.CardHidden(1, own[0]), 2)
    assert {"type": "card_hidden", "seat": 1} == hidden
    assert own[0] == BATTALIA.knowledge.reveal(ev.CardHidden(1, own[0]), 1)["card"]
    assert 3 == BATTALIA.knowledge.view(story.state)["seats"]["1"]["hidden"]
    assert "lord" not in str(
        [BATTALIA.knowledge.view(story.state)["seats"]["1"][zone] for zone in ("discard", "played", "hidden")]
    )
    story.when(1, END)
    assert not set(own[:3]) & {
        *story.state.players[1].hand,
        *story.state.players[1].deck,
        *story.state.players[1].discard,
    }


def test_art_08_all_players_together_hide_at_most_twelve_cards():
    state = table(4)
    for seat, sort in ((2, "frimen"), (3, "chief"), (4, "priest"), (1, "lord")):
        state = zone(state, seat, "hidden", sort, sort, sort)
    assert 12 == sum(len(player.hidden) for player in state.players.values())
    tell(state).when(1, command("hide_card", card=state.players[1].hand[0])).refused("slots-full", "ART-08")


def test_art_08_an_ambush_card_is_used_once_and_returns_under_its_pile():
    state = zone(hand(table(), 1, "frimen-emberians"), 1, "hidden", "lord-emberians")
    lord = state.players[1].hidden[0]
    state = stand(lay(day(state, 4), "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    step = command("step", hero="hero-1-1", to="G5", units=list(state.players[1].hand), ambush=[lord], against=2)
    story = tell(state).when(1, step)
    assert (lord,) == story.state.players[1].hidden, "until the reveal"
    story.default(2)
    assert 5 == story.of(ev.BattleFought)[0].strength
    assert lord == story.state.piles["lord"][-1]
    assert () == story.state.players[1].hidden


def test_art_08_a_great_artefact_returns_beside_the_board():
    state = zone(hand(table(), 1, "frimen-emberians"), 1, "hidden", "great-sword")
    state = stand(lay(day(state, 4), "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    step = command(
        "step", hero="hero-1-1", to="G5", units=list(state.players[1].hand), ambush=["great-sword"], against=2
    )
    story = tell(state).when(1, step).default(2)
    assert 5 == story.of(ev.BattleFought)[0].strength
    assert "great-sword" in story.state.great


def test_art_08_a_card_that_cannot_fight_is_refused_as_an_ambush():
    state = zone(hand(table(), 1, "lord"), 1, "hidden", "supply")
    state = stand(lay(state, "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    step = {"hero": "hero-1-1", "to": "G5", "units": list(state.players[1].hand), "against": 2}
    tell(state).when(1, command("step", **step, ambush=list(state.players[1].hidden))).refused(
        "bad-line", None, "ambush"
    )


# -- great artefacts --------------------------------------------------------------------------------------------------


def test_art_09_the_sword_attacks_and_the_shield_defends():
    state = hand(hand(table(), 1, "frimen-emberians", "great-sword"), 2, "great-shield", "frimen-emberians")
    state = stand(lay(day(state, 4), "G4", "road-straight-emberians", "NS"), "hero-1-1", "G4", winged=True)
    frimen, sword = state.players[1].hand
    story = tell(state).when(1, command("step", hero="hero-1-1", to="G5", units=[frimen], support=[sword], against=2))
    story.when(2, command("defend", support=cards(state, 2, "great-shield"), units=cards(state, 2, "frimen")))
    fight = story.of(ev.BattleFought)[0]
    assert (5, 5) == (fight.attack["cards"], fight.defence["cards"])


def test_art_09_the_hammer_counts_as_any_ordinary_artefact():
    state = roads_east(day(hand(table(movement="basic"), 1, "great-hammer"), 4), 4)
    story = tell(state).when(1, command("step", hero="hero-1-1", to="B1", cards=["great-hammer"]))
    assert 2 == story.state.heroes["hero-1-1"].steps
    story = tell(state).when(1, command("use_amulet", cards=["great-hammer"]), LoadedDice(2))
    assert ("chief-barfolk~1",) == story.state.players[1].tokens


def test_art_09_the_horn_returns_a_disbanded_hero_at_once():
    state = stand(hand(table(), 1, "great-horn", "great-book", "supply"), "hero-1-1", "")
    story = tell(state).when(1, command("sound_horn", hero="hero-1-1", square="A1", cards=["great-horn"]))
    assert "A1" == story.state.heroes["hero-1-1"].square
    horn = {"hero": "hero-1-1", "square": "A1"}
    tell(state).when(1, command("sound_horn", **horn, cards=cards(state, 1, "supply"))).refused(
        "does-not-pay", "ART-09"
    )
    tell(state).when(1, command("sound_horn", **(horn | {"hero": "hero-1-2"}), cards=["great-horn"])).refused(
        "not-away"
    )
    tell(state).when(1, command("sound_horn", **(horn | {"square": "G1"}), cards=["great-horn"])).refused(
        "not-your-city"
    )
    twice = tell(stand(state, "hero-1-2", "")).when(
        1, command("sound_horn", **horn, cards=["great-horn", "great-book"])
    )
    assert ("great-horn~1",) == twice.state.players[1].tokens
    twice.when(1, command("sound_horn", hero="hero-1-2", square="A1", cards=["great-horn~1"]))
    assert "A1" == twice.state.heroes["hero-1-2"].square


def test_art_09_the_wings_let_a_hero_move_for_free_this_turn():
    state = roads_east(hand(table(movement="basic"), 1, "great-wings"), 4)
    story = tell(state).when(1, command("spread_wings", hero="hero-1-1", cards=["great-wings"]))
    for to in ("B1", "C1", "D1", "E1"):
        story.when(1, command("step", hero="hero-1-1", to=to))
    story.when(1, command("spread_wings", hero="hero-1-1", cards=["great-wings"])).refused("not-in-hand")
    story.when(1, END).when(2, END).default(SYSTEM)
    assert not story.state.heroes["hero-1-1"].winged
    tell(state).when(1, command("spread_wings", hero="hero-2-1", cards=["great-wings"])).refused("not-your-hero")
    fought = stand(state, "hero-1-1", "A1", fought=True)
    tell(fought).when(1, command("spread_wings", hero="hero-1-1", cards=["great-wings"])).refused("move-ended")


def test_art_09_the_crown_makes_a_unit_a_lord():
    state = city(hand(table(), 1, "frimen", "lord", "great-crown"), "A1", owner=1, level=3)
    story = tell(day(state, 4)).when(1, command("upgrade_city", square="A1", cards=list(state.players[1].hand)))
    assert 4 == story.state.cities["A1"].level


def test_art_09_the_hand_takes_the_top_card_of_any_creation_pile():
    state = day(hand(table(), 1, "great-hand", "great-book"), 1)
    for pile in ("lord", "supply", "amulet"):
        top = state.piles[pile][0]
        story = tell(state).when(1, command("reach_out", pile=pile, cards=["great-hand"]))
        assert ev.CardTaken(1, pile, top, ()) in story.events
        assert top in story.state.players[1].discard
    for pile in ("road-bend", "sword", "unbound"):
        refused = tell(state).when(1, command("reach_out", pile=pile, cards=["great-hand"]))
        refused.refused("empty-pile" if pile == "unbound" else "unknown-choice")
    chosen = on_top(state, "tent", "tent-barfolk")
    story = tell(chosen).when(1, command("reach_out", pile="tent", cards=["great-hand"], faction="islanders"))
    assert story.of(ev.CardTaken)[0].card.startswith("tent-islanders")
    story = tell(state).when(1, command("reach_out", pile="lord", cards=["great-hand", "great-book"]))
    assert ("great-hand~1",) == story.state.players[1].tokens


def test_art_09_the_pavilion_is_a_tent_for_two_cards():
    state = hand(day(table(), 3), 1, "great-pavilion", "lord", "frimen", "chief")
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("pitch_tent", tent=own[0], keep=own[1:]))
    story.refused("cannot-keep", "ART-07")
    story.when(1, command("pitch_tent", tent=own[0], keep=own[1:3])).when(1, END)
    assert tuple(own[1:3]) == story.state.players[1].tents[0].kept


def test_art_09_the_staff_chooses_the_terrain_of_a_card_being_built():
    state = day(hand(table(), 1, "frimen", "frimen", "great-staff"), 4)
    two = cards(state, 1, "frimen", "frimen")
    state = on_top(state, "road-bend", "road-bend-islanders")
    road = {"shape": "bend", "square": "B1", "exits": "SW"}
    story = tell(state).when(1, command("build_road", **road, cards=[*two, "great-staff"], terrain="emberians"))
    assert story.state.board["B1"].card.startswith("road-bend-emberians")
    tell(state).when(1, command("build_road", **road, cards=two, terrain="emberians")).refused("does-not-pay", "ART-09")
    tell(state).when(1, command("build_road", **road, cards=[*two, "great-staff"])).refused("does-not-pay", "ART-09")
    gone = tuple(card for card in state.piles["road-bend"] if "emberians" in card)
    rest = tuple(card for card in state.piles["road-bend"] if "emberians" not in card)
    poor = changed(state, piles={**state.piles, "road-bend": rest}, gone=state.gone + gone)
    tell(poor).when(1, command("build_road", **road, cards=[*two, "great-staff"], terrain="emberians")).refused(
        "empty-pile", None, "faction"
    )


def test_art_09_the_book_copies_any_card_of_its_line():
    state = city(hand(day(table(), 4), 1, "lord", "great-book"), "A1", owner=1, level=3)
    story = tell(state).when(1, command("upgrade_city", square="A1", cards=list(state.players[1].hand)))
    assert 4 == story.state.cities["A1"].level


def test_art_10_a_lit_tent_keeps_two_and_a_lit_amulet_gives_two():
    state = lit(hand(table(), 1, "tent", "lord", "frimen"), "tent")
    own = list(state.players[1].hand)
    story = tell(state).when(1, command("pitch_tent", tent=own[0], keep=own[1:]))
    assert tuple(own[1:]) == story.state.players[1].tents[0].kept
    story = tell(turn(story.state, 1)).when(1, command("take_supply", cards=own[1:2]))
    assert [(own[2],)] == [tent_.kept for tent_ in story.state.players[1].tents], (
        "the tent stands while it keeps a card"
    )
    state = lit(hand(table(), 1, "amulet-emberians"), "amulet")
    story = tell(state).when(1, command("use_amulet", cards=list(state.players[1].hand)), LoadedDice(1, 5))
    assert ("frimen-emberians~1", "supply~2") == story.state.players[1].tokens
    story = tell(state).when(1, command("use_amulet", cards=list(state.players[1].hand)), LoadedDice(6, 6))
    story.when(1, command("wish", card="supply")).when(1, command("wish", card="supply"))
    assert ("supply~1", "supply~2") == story.state.players[1].tokens
