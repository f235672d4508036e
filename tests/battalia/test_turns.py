"""TURN: a player's turn."""

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
    on_top,
    stand,
    table,
    tell,
    tent,
    turn,
    with_player,
    zone,
)

END = command("end_turn")


def test_turn_01_a_mulligan_draws_one_card_fewer():
    state = table()
    own = state.players[1].hand
    story = tell(state).when(1, command("mulligan"))
    assert ev.HandMulliganed(1, own) == story.events[0]
    assert 5 == len(story.state.players[1].hand)
    story.when(1, command("mulligan")).refused("too-late", "TURN-01")


def test_turn_01_a_short_hand_mulligans_to_one_fewer():
    story = tell(hand(table(), 1, "frimen", "supply", "supply")).when(1, command("mulligan"))
    assert 2 == len(story.state.players[1].hand)
    tell(hand(table(), 1)).when(1, command("mulligan")).refused("too-late", "TURN-01")


def test_turn_01_mulligan_and_cohort_exclude_each_other_and_precede_all_actions():
    state = hand(table(), 1, *["frimen-barfolk"] * 4, "supply", "supply")
    shown = cards(state, 1, *["frimen"] * 4)
    tell(state).when(1, command("show_cohort", cards=shown)).when(1, command("mulligan")).refused("too-late")
    tell(state).when(1, command("mulligan")).when(1, command("show_cohort", cards=shown)).refused("too-late")
    hired = tell(state).when(1, command("hire_unit", unit="chief", cards=cards(state, 1, "supply", "supply")))
    hired.when(1, command("show_cohort", cards=shown)).refused("too-late")
    assert [] == hired.offered(1, "mulligan") + hired.offered(1, "show_cohort")


@pytest.mark.parametrize(("count", "drawn"), [(4, 1), (5, 2), (6, 3)])
def test_turn_02_a_cohort_of_one_faction_draws(count, drawn):
    state = hand(table(), 1, *["frimen-islanders"] * 3, "weapon-islanders", "tool-islanders", "chief-islanders")
    story = tell(state).when(1, command("show_cohort", cards=list(state.players[1].hand[:count])))
    assert ev.CohortShown(1, state.players[1].hand[:count]) == story.events[0]
    assert 6 + drawn == len(story.state.players[1].hand)


def test_turn_02_mercenaries_count_as_any_faction_and_supplies_never():
    state = hand(
        table(unbound_units=True),
        1,
        *["frimen-islanders"] * 2,
        "unbound-lord",
        "unbound-chief",
        "supply",
        "chief-barfolk",
    )
    own = list(state.players[1].hand)
    assert 7 == len(tell(state).when(1, command("show_cohort", cards=own[:4])).state.players[1].hand)
    tell(state).when(1, command("show_cohort", cards=own[:5])).refused("no-cohort", "TURN-02")
    tell(state).when(1, command("show_cohort", cards=own[:3])).refused("no-cohort", "TURN-02")
    tell(state).when(1, command("show_cohort", cards=[*own[:3], own[5]])).refused("no-cohort", "TURN-02")
    tell(state).when(1, command("show_cohort", cards=[*own[:3], own[0]])).refused("not-in-hand")
    tell(state).when(1, command("show_cohort", cards=[*own[:3], "lord-barfolk-9"])).refused("not-in-hand")
    assert [own[:4]] == [option.fixed["cards"] for option in tell(state).offered(1, "show_cohort")]


def test_turn_03_a_line_that_does_not_pay_exactly_is_refused_at_no_cost():
    state = hand(table(), 1, "supply", "supply", "supply", "frimen")
    story = tell(state).when(1, command("hire_unit", unit="chief", cards=cards(state, 1, "supply", "supply", "supply")))
    story.refused("does-not-pay", "PAY-01", "cards")
    assert story.refusal.facts == {"units": 0, "rank": 0, "supplies": 2}
    assert state == story.state
    story.when(1, command("hire_unit", unit="chief", cards=["supply-1", "supply-2"]))
    assert story.refusal is not None


def test_turn_03_a_turn_may_pay_any_number_of_lines():
    state = hand(table(), 1, *["supply"] * 6)
    story = tell(state)
    for _ in range(3):
        story.when(1, command("hire_unit", unit="frimen", cards=list(story.state.players[1].hand[:2])))
        assert 1 == len(story.of(ev.CardTaken))
    assert () == story.state.players[1].hand
    assert 6 == len(story.state.players[1].played)


def test_turn_04_every_affordable_action_is_offered():
    state = zone(table(), 1, "hidden", "lord")
    state = lay(city(state, "A1", owner=1, level=1), "B1", "road-cross", "NESW")
    state = lay(state, "C1", "city-end", "W", owner=1, level=0)
    state = hand(state, 1, "frimen", "frimen", "frimen", "chief", "chief", "supply", "supply", "supply", "tent")
    state = changed(state, heroes={**state.heroes})
    types = {option.type for option in BATTALIA.rules.legal(state, 1)}
    expected = {"hire_unit", "take_supply", "take_artefact", "build_road", "found_city", "upgrade_city", "rebuild_city"}
    assert expected | {"step", "pitch_tent", "hide_card", "end_turn"} <= types
    state = hand(state, 1, "lord", "lord", "supply")
    state = stand(lay(state, "G4", "road-cross", "NESW"), "hero-1-1", "G4")
    assert any(part.name == "units" for option in tell(state).offered(1, "step") for part in option.open)


def test_turn_05_acquired_cards_go_to_the_discard_pile():
    state = on_top(hand(table(), 1, "supply", "supply"), "chief", "chief-emberians")
    top = state.piles["chief"][0]
    paid = state.players[1].hand
    story = tell(state).when(1, command("hire_unit", unit="chief", cards=list(paid)))
    story.then(ev.CardTaken(1, "chief", top, paid))
    assert top in story.state.players[1].discard
    assert paid == story.state.players[1].played


def test_turn_06_hand_and_played_cards_are_discarded_and_six_cards_drawn():
    state = hand(table(), 1, "supply", "supply", "frimen")
    paid = cards(state, 1, "supply", "supply")
    story = tell(state).when(1, command("hire_unit", unit="frimen", cards=paid)).when(1, END)
    assert ev.CardsDiscarded in map(type, story.events)
    after = story.state.players[1]
    assert 6 == len(after.hand)
    assert () == after.played
    assert 2 == story.state.turn.seat


def test_turn_06_the_shuffled_discard_pile_replaces_an_empty_deck():
    state = table()
    player = state.players[1]
    state = with_player(state, 1, deck=player.deck[:2], discard=player.deck[2:])
    story = tell(state).when(1, END)
    shuffled = story.of(ev.DeckShuffled)[0]
    assert set(player.hand) | set(player.deck[2:]) == set(shuffled.order)
    assert [2, 4] == [len(event.cards) for event in story.of(ev.CardsDrawn)]
    assert 6 == len(story.state.players[1].hand)


def test_turn_06_fewer_cards_are_drawn_if_deck_and_discard_pile_are_empty():
    state = table()
    player = state.players[1]
    state = with_player(state, 1, hand=player.hand[:3], deck=(), discard=())
    state = changed(state, gone=state.gone + player.hand[3:] + player.deck)
    assert 3 == len(tell(state).when(1, END).state.players[1].hand)


def test_turn_06_a_player_who_spent_cards_in_anothers_turn_refills_the_hand():
    state = lay(table(), "G4", "road-cross-emberians", "NESW")
    state = stand(hand(hand(state, 1, "lord", "lord"), 2, "frimen", "chief", "supply"), "hero-1-1", "G4")
    state = stand(state, "hero-1-2", "A1")
    story = tell(state).when(
        1, command("step", hero="hero-1-1", to="G5", cards=[], units=list(state.players[1].hand), against=2)
    )
    story.refused("does-not-pay")
    state = hand(state, 1, "lord", "lord", "supply")
    units = cards(state, 1, "lord", "lord")
    story = tell(state).when(
        1, command("step", hero="hero-1-1", to="G5", cards=cards(state, 1, "supply"), units=units, against=2)
    )
    story.when(2, command("defend", units=cards(state, 2, "frimen")))
    assert 2 == len(story.state.players[2].hand)
    story.when(1, END)
    assert 6 == len(story.state.players[2].hand)
    assert not story.state.players[2].spent


def test_turn_06_a_player_who_spent_no_cards_keeps_the_hand():
    state = hand(table(), 2, "frimen", "chief")
    assert 2 == len(tell(state).when(1, END).state.players[2].hand)


def test_turn_06_a_timeout_ends_the_turn():
    state = hand(table(), 1, "supply", "supply", "frimen")
    story = tell(state).when(1, command("hire_unit", unit="frimen", cards=cards(state, 1, "supply", "supply")))
    story.default(1)
    assert 2 == story.state.turn.seat
    assert 6 == len(story.state.players[1].hand)


def test_turn_07_a_line_naming_an_empty_pile_is_refused():
    state = hand(table(), 1, *["supply"] * 4, "frimen", "frimen")
    rest = state.piles["lord"] + state.piles["road-bend"]
    state = changed(state, piles={**state.piles, "lord": (), "road-bend": ()}, gone=state.gone + rest)
    story = tell(state).when(1, command("hire_unit", unit="lord", cards=cards(state, 1, *["supply"] * 4)))
    story.refused("empty-pile", "TURN-07")
    story.when(
        1, command("build_road", shape="bend", square="B1", exits="SW", cards=cards(state, 1, "frimen", "frimen"))
    )
    story.refused("empty-pile", "TURN-07")
    offers = [option.fixed.get("shape") for option in story.offered(1, "build_road")]
    assert "bend" not in offers


def test_turn_07_a_returned_card_goes_under_its_pile():
    state = zone(hand(table(), 2, "supply"), 2, "hidden", "lord-islanders")
    card = state.players[2].hidden[0]
    state = stand(lay(state, "G4", "road-cross-emberians", "NESW"), "hero-1-1", "G4")
    state = hand(state, 1, "frimen", "supply")
    story = tell(state).when(
        1,
        command(
            "step",
            hero="hero-1-1",
            to="G5",
            cards=cards(state, 1, "supply"),
            units=cards(state, 1, "frimen"),
            against=2,
        ),
    )
    story.when(2, command("defend", ambush=[card]))
    assert card == story.state.piles["lord"][-1]


def test_commands_out_of_turn_or_without_a_question_are_refused():
    story = tell(table())
    story.when(2, END).refused("not-your-turn")
    story.when(1, command("defend")).refused("not-now")
    story.when(1, command("wish", card="supply")).refused("not-now")
    story.when(1, END).when(2, END).default(SYSTEM)
    assert 1 == story.state.turn.seat


def test_card_kept_in_a_tent_pays_like_a_hand_card():
    state = tent(hand(turn(table(), 1), 1, "supply"), 1, "tent", "supply")
    kept = state.players[1].tents[0]
    story = tell(day(state, 0)).when(1, command("hire_unit", unit="frimen", cards=[*state.players[1].hand, *kept.kept]))
    assert () == story.state.players[1].tents
    assert {*state.players[1].hand, *kept.kept, kept.tent} == set(story.state.players[1].played)


def test_turn_02_a_card_kept_in_a_tent_does_not_count_for_a_cohort():
    state = tent(hand(table(), 1, *["frimen-islanders"] * 3), 1, "tent", "chief-islanders")
    shown = [*state.players[1].hand, *state.players[1].tents[0].kept]
    tell(state).when(1, command("show_cohort", cards=shown)).refused("no-cohort", "TURN-02", "cards")


def test_turn_02_mercenaries_alone_are_a_cohort():
    state = hand(table(unbound_units=True), 1, "unbound-lord", "unbound-priest", "unbound-chief", "unbound-frimen")
    story = tell(state).when(1, command("show_cohort", cards=list(state.players[1].hand)))
    assert 5 == len(story.state.players[1].hand)


def test_turn_07_taking_from_an_empty_pile_is_refused_and_not_offered():
    state = hand(table(), 1, "frimen", "supply", "supply", "supply")
    emptied = {name: () for name in state.piles if not name.startswith(("road", "city"))}
    rest = tuple(card for name in emptied for card in state.piles[name])
    state = changed(state, piles={**state.piles, **emptied}, gone=state.gone + rest)
    story = (
        tell(state).when(1, command("take_supply", cards=cards(state, 1, "frimen"))).refused("empty-pile", "TURN-07")
    )
    types = {option.type for option in BATTALIA.rules.legal(state, 1)}
    assert not types & {"take_supply", "take_artefact", "hire_unit"}
    story.when(1, command("take_artefact", artefact="tool", cards=cards(state, 1, *["supply"] * 3))).refused(
        "empty-pile"
    )
