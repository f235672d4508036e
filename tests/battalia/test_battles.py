"""BAT: battle."""

from __future__ import annotations

import pytest

from domain.battalia import events as ev
from domain.battalia.game import BATTALIA
from domain.battalia.state import NOBODY
from domain.terms import SYSTEM, SubsetOf
from tests.battalia.table import (
    cards,
    changed,
    city,
    command,
    day,
    hand,
    lay,
    lit,
    stand,
    story,
    table,
    turn,
    with_player,
    zone,
)
from tests.story import LoadedDice

DULL = 4
"""The tent's day: nothing of a battle line is lit."""
END = command("end_turn")


def before(attacking, defending=(), *, land="emberians", level=1, state=None, at="G5"):
    """Seat 1's hero stands before seat 2's city at G5, whose land is islanders; the step is paid by wings."""
    state = table() if state is None else state
    state = lay(state, "G4", f"road-straight-{land}", "NS")
    if at == "G5":
        state = city(state, "G5", owner=2, level=level)
    state = stand(state, "hero-1-1", "G4", winged=True)
    return day(hand(hand(state, 1, *attacking), 2, *defending), DULL)


def assault(state, *dice, units=None, support=(), ambush=(), against=2, to="G5"):
    own = state.players[1].hand
    units = (
        [card for card in own if "frimen" in card or "chief" in card or "priest" in card or "lord" in card]
        if units is None
        else units
    )
    line = {"units": list(units), "support": list(support), "ambush": list(ambush)}
    return story(state).when(1, command("step", hero="hero-1-1", to=to, against=against, **line), LoadedDice(*dice))


def defend(told, *dice, **line):
    return told.when(2, command("defend", **{name: list(value) for name, value in line.items()}), LoadedDice(*dice))


def fought(told):
    return told.of(ev.BattleFought)[0]


def rest(state, seat, *units):
    return [card for card in state.players[seat].hand if card not in units]


def test_bat_01_the_attackers_line_is_unseen_until_both_are_revealed():
    state = before(("lord", "chief", "weapon"), ("frimen", "priest"))
    told = assault(state, units=cards(state, 1, "lord", "chief"), support=cards(state, 1, "weapon"))
    kinds = [type(event) for event in told.events]
    assert [ev.BattleBegan, ev.LinePledged] == kinds
    pledged = told.of(ev.LinePledged)[0]
    assert BATTALIA.reveal(pledged, 2) is None
    assert BATTALIA.reveal(pledged, None) is None
    assert BATTALIA.reveal(pledged, 1)["cards"] == list(pledged.cards)
    assert (1,) == tuple(BATTALIA.audience(pledged))
    assert 3 == BATTALIA.view(told.state)["seats"]["1"]["hand"], "a pledged line still counts as hand"
    assert list(pledged.cards) == BATTALIA.private(told.state, 1)["line"]["cards"]
    assert BATTALIA.private(told.state, 2)["line"] is None
    defend(told, units=cards(state, 2, "frimen"))
    revealed = [(event.seat, event.cards) for event in told.of(ev.LineRevealed)]
    assert [(1, pledged.cards), (2, tuple(cards(state, 2, "frimen")))] == revealed


def test_bat_01_without_a_legal_line_the_move_is_refused():
    state = before(("weapon",))
    assault(state, units=[], support=state.players[1].hand).refused("bad-line", "BAT-02", "units")
    assert not story(state).offered(1, "step")


def test_bat_01_only_the_defender_is_asked_and_may_commit_nothing():
    state = before(("lord",), ("frimen",))
    told = assault(state)
    told.when(1, END).refused("not-your-turn")
    assert {"square": "G5", "attacker": 1} == dict(told.state.asking[-1].about)
    defend(told)
    assert cards(state, 2, "frimen") == list(told.state.players[2].hand)
    assert 1 == told.state.asking[-1].seats[0]


@pytest.mark.parametrize("card", ["supply", "tool", "tent", "great-hammer", "great-crown", "great-book"])
def test_bat_02_no_supplies_tools_tents_or_other_great_artefacts_in_a_line(card):
    state = before(("lord", card))
    assault(state, units=cards(state, 1, "lord"), support=cards(state, 1, card)).refused(
        "bad-line", "BAT-02", "support"
    )
    state = before(("lord",), (card,))
    defend(assault(state), support=state.players[2].hand).refused("bad-line", "BAT-02", "support")


@pytest.mark.parametrize("card", ["weapon", "horse", "amulet", "title", "scroll", "great-sword", "great-shield"])
def test_bat_02_what_may_lie_in_a_line(card):
    state = before(("lord", card), ("frimen",))
    told = defend(assault(state, units=cards(state, 1, "lord"), support=cards(state, 1, card)), 1)
    assert [] == list(told.state.players[1].hand) or card == "amulet"


def test_bat_02_cards_lie_where_they_belong_and_are_ones_own():
    state = before(("lord", "weapon", "frimen"), ("chief",))
    lord, weapon, frimen = cards(state, 1, "lord", "weapon", "frimen")
    assault(state, units=[lord, weapon]).refused("bad-line", "BAT-02", "units")
    assault(state, units=[lord], support=[frimen]).refused("bad-line", "BAT-02", "support")
    assault(state, units=[lord, lord]).refused("not-in-hand")
    assault(state, units=[*cards(state, 2, "chief")]).refused("not-in-hand")
    assault(state, units=[lord], ambush=[frimen]).refused("not-in-hand", "ART-08", "ambush")
    told = assault(state, units=[lord])
    defend(told, units=[frimen]).refused("not-in-hand")
    defend(told, tactics=["running"]).refused("unknown-choice", None, "tactics")


def test_bat_02_a_line_of_exactly_the_minimum_is_offered_and_a_smaller_one_is_not():
    state = zone(before(("frimen", "weapon", "tool")), 1, "hidden", "priest-islanders")
    (frimen, weapon, _), hidden = state.players[1].hand, state.players[1].hidden
    (fight,) = [option for option in story(state).offered(1, "step") if "G5" == option.fixed["to"]]
    line = [SubsetOf("units", (frimen,), 1, 1), SubsetOf("support", (weapon,), 0, 1), SubsetOf("ambush", hidden, 0, 1)]
    assert line == [parameter for parameter in fight.open if isinstance(parameter, SubsetOf)]
    assert fought(defend(assault(state, units=[frimen])))
    assault(state, units=[]).refused("bad-line", "BAT-02", "units")
    assert [] == [o for o in story(before(("weapon", "tool"))).offered(1, "step") if "G5" == o.fixed["to"]]


def test_bat_02_a_defender_may_lay_what_an_attacker_may_and_no_unit_at_all():
    told = assault(before(("lord",), ("frimen", "weapon", "tool")))
    frimen, weapon, _ = told.state.players[2].hand
    (answer,) = told.offered(2, "defend")
    assert (SubsetOf("units", (frimen,), 0, 1), SubsetOf("support", (weapon,), 0, 1)) == answer.open
    alone = assault(before(("lord",), ("weapon",)))
    (answer,) = alone.offered(2, "defend")
    assert (SubsetOf("support", alone.state.players[2].hand, 0, 1),) == answer.open
    assert fought(defend(alone, support=alone.state.players[2].hand))


def test_bat_02_a_refused_line_names_the_cards_that_are_wrong():
    state = zone(before(("lord", "weapon", "tool")), 1, "hidden", "tool", "priest-islanders")
    lord, weapon, tool = state.players[1].hand
    told = assault(state, units=[lord, weapon]).refused("bad-line", "BAT-02", "units")
    assert [weapon] == told.refusal.facts["cards"]
    told = assault(state, units=[lord], support=[weapon, tool]).refused("bad-line", "BAT-02", "support")
    assert [tool] == told.refusal.facts["cards"]
    priest, hammer = state.players[1].hidden
    told = assault(state, units=[lord], ambush=[priest, hammer]).refused("bad-line", "BAT-02", "ambush")
    assert [hammer] == told.refusal.facts["cards"]
    told = assault(state, units=[lord], ambush=[priest, priest]).refused("not-in-hand", "ART-08", "ambush")
    assert [] == told.refusal.facts["missing"]
    told = assault(state, units=[lord], ambush=[priest, "frimen-nobody"]).refused("not-in-hand", "ART-08", "ambush")
    assert ["frimen-nobody"] == told.refusal.facts["missing"]


def test_bat_03_strength_must_be_greater_and_a_tie_is_the_defenders():
    told = defend(assault(before(("lord-emberians",), level=3)))
    assert (4, 4, 2) == (fought(told).strength, fought(told).against, fought(told).winner)
    told = defend(assault(before(("lord-emberians", "frimen-islanders"), level=3)))
    assert (5, 4, 1) == (fought(told).strength, fought(told).against, fought(told).winner)


def test_bat_04_a_defended_city_adds_its_level():
    for level in (1, 2, 3, 4):
        told = defend(assault(before(("frimen",), ("chief-barfolk",), level=level)), units=[])
        assert level == fought(told).defence["level"]


def test_bat_05_terrain_bonus_for_who_fights_on_his_factions_land():
    told = defend(assault(before(("lord-emberians",), level=1)))
    assert "terrain" not in fought(told).attack
    assert 1 == fought(told).defence["terrain"]
    state = table()
    state = lay(state, "F5", "road-straight-barfolk", "EW")
    state = stand(state, "hero-2-1", "F5")
    state = before(("lord-emberians",), state=state, at="F5")
    state = stand(lay(state, "E5", "road-straight-emberians", "EW"), "hero-1-1", "E5", winged=True)
    told = defend(assault(state, to="F5"))
    assert 1 == fought(told).attack["terrain"]
    assert "terrain" not in fought(told).defence


@pytest.mark.parametrize(
    ("line", "moral"),
    [
        (("lord-barfolk", "frimen-barfolk"), True),
        (("lord-barfolk", "frimen-emberians"), False),
        (("lord-emberians",), False),
        (("lord-barfolk", "weapon-barfolk"), True),
        (("lord-barfolk", "weapon-emberians"), False),
        (("lord-barfolk", "great-sword"), True),
        (("unbound-lord",), False),
        (("unbound-lord", "frimen-barfolk"), True),
        (("lord-barfolk", "scroll-emberians"), True),
        (("unbound-lord", "scroll-barfolk"), False),
    ],
)
def test_bat_06_moral_bonus_for_a_line_all_of_the_own_faction(line, moral):
    state = before(line, state=table(unbound_units=True))
    units = [card for card in state.players[1].hand if "lord" in card or "frimen" in card]
    told = defend(assault(state, units=units, support=rest(state, 1, *units)))
    assert moral == ("moral" in fought(told).attack)


def test_bat_06_the_defender_has_it_too():
    told = defend(assault(before(("frimen",), ("frimen-islanders",))), units=[])
    assert "moral" not in fought(told).defence
    state = before(("frimen",), ("frimen-islanders",))
    told = defend(assault(state), units=state.players[2].hand)
    assert 1 == fought(told).defence["moral"]


def test_bat_07_a_won_city_keeps_its_level_and_its_heroes_are_disbanded():
    told = defend(assault(before(("lord", "lord"), level=2)))
    taken = told.of(ev.CityTaken)[0]
    assert (1, "G5", 2, 2) == (taken.seat, taken.square, taken.level, taken.loser)
    assert [ev.HeroDisbanded(2, "hero-2-1", "G5"), ev.HeroDisbanded(2, "hero-2-2", "G5")] == told.of(ev.HeroDisbanded)
    assert ["", ""] == [told.state.heroes[name].square for name in ("hero-2-1", "hero-2-2")]
    assert "G5" == told.state.heroes["hero-1-1"].square
    assert (1, 2) == (told.state.cities["G5"].owner, told.state.cities["G5"].level)


def test_bat_07_a_city_is_defended_without_a_hero_as_well():
    state = stand(stand(before(("lord", "lord"), ("frimen",), level=2), "hero-2-1", ""), "hero-2-2", "")
    told = assault(state)
    assert "defend" == told.state.asking[-1].kind
    assert "G5" == defend(told).of(ev.HeroEntered)[0].square


def test_bat_08_a_beaten_hero_is_disbanded_and_his_square_taken():
    state = lay(table(), "F5", "road-straight-emberians", "EW")
    state = stand(lay(state, "E5", "road-straight-emberians", "EW"), "hero-2-1", "F5")
    state = stand(before(("lord",), state=state, at="F5"), "hero-1-1", "E5", winged=True)
    told = defend(assault(state, to="F5"))
    assert ["", "F5"] == [told.state.heroes[name].square for name in ("hero-2-1", "hero-1-1")]
    assert "level" not in fought(told).defence


def test_bat_09_a_beaten_attacker_is_disbanded_and_nothing_else_changes():
    state = before(("frimen",), level=4)
    told = defend(assault(state))
    assert "" == told.state.heroes["hero-1-1"].square
    assert state.cities == told.state.cities
    assert "G5" == told.state.heroes["hero-2-1"].square


def test_bat_10_both_lines_are_discarded():
    state = before(("lord", "weapon"), ("frimen", "horse"))
    lord, weapon = cards(state, 1, "lord", "weapon")
    told = assault(state, units=[lord], support=[weapon])
    defend(told, units=cards(state, 2, "frimen"), support=cards(state, 2, "horse"))
    assert {lord, weapon} <= set(told.state.players[1].discard)
    assert set(state.players[2].hand) <= set(told.state.players[2].discard)


def at_neutral(attacking, **options):
    state = lay(table(**options), "G2", "road-straight-emberians", "NS")
    state = stand(state, "hero-1-1", "G2", winged=True)
    return day(hand(state, 1, *attacking), DULL)


@pytest.mark.parametrize(("extra", "needed"), [(0, 5), (2, 7)])
def test_bat_11_a_neutral_city_defends_with_its_level(extra, needed):
    faction = table(neutral_strength=extra).board["G1"].card.split("-")[2]
    other = next(f for f in ("islanders", "emberians") if f != faction)
    for strength in (needed - 1, needed):
        line = [f"lord-{other}"] + [f"{('frimen', 'chief', 'priest')[strength - 5]}-islanders"] * (strength > 4)
        state = at_neutral(line, neutral_strength=extra)
        told = assault(state, to="G1", against=NOBODY)
        fight = fought(told)
        assert needed - 1 == fight.against
        assert (strength + ("terrain" in fight.attack) > needed - 1) == (told.state.cities["G1"].owner == 1)
        assert [] == told.of(ev.LineRevealed)[1:]


def at_ruins(attacking, **options):
    state = lay(table(**options), "D2", "road-straight-emberians", "NS")
    state = lay(state, "D4", "road-straight-emberians", "NS")
    return day(hand(stand(state, "hero-1-1", "D2", winged=True), 1, *attacking), DULL)


@pytest.mark.parametrize("strength", [8, 10])
def test_bat_11_the_ruins_give_a_great_artefact_of_the_winners_choice(strength):
    state = at_ruins(("lord-emberians", "lord-islanders"), ruins_strength=strength)
    assert strength == fought(assault(state, to="D3", against=NOBODY)).against
    state = at_ruins(("lord-emberians", "lord-islanders", "priest-emberians"), ruins_strength=strength)
    told = assault(state, to="D3", against=NOBODY)
    asked = [(q.seat, q.kind, q.clause, q.about["square"]) for q in BATTALIA.awaiting(told.state)]
    assert [(1, "spoils", "BAT-11", "D3")] == asked
    assert "D3" == told.state.heroes["hero-1-1"].square
    told.when(1, command("take_spoils", card="great-" + "nothing")).refused("unknown-choice", "BAT-11")
    prize = told.state.great[1]
    told.when(1, command("take_spoils", card=prize))
    assert prize in told.state.players[1].discard
    assert prize not in told.state.great
    assert "ruins" == told.state.board["D3"].card


def test_bat_11_one_success_against_the_ruins_a_turn_and_they_must_be_entered_anew():
    state = at_ruins(("lord", "lord", "priest", "lord", "priest", "lord"))
    own = state.players[1].hand
    told = assault(state, to="D3", against=NOBODY, units=own[:3]).default(1)
    again = stand(told.state, "hero-1-2", "D4", winged=True)
    second = command("step", hero="hero-1-2", to="D3", units=list(own[3:]))
    story(again).when(1, second).refused("ruins-beaten", "BAT-11")
    assert not [o for o in story(again).offered(1, "step") if "D3" in str(o)]
    later = changed(turn(again, 1))
    assert 8 == fought(story(later).when(1, second)).against, "own heroes on them do not spare the battle"


def test_bat_11_without_great_artefacts_the_ruins_give_nothing():
    state = at_ruins(("lord", "lord", "priest"))
    state = changed(state, great=(), gone=state.gone + state.great)
    told = assault(state, to="D3", against=NOBODY)
    assert "D3" == told.state.heroes["hero-1-1"].square
    assert "turn" == told.state.asking[-1].kind


def test_bat_11_enemy_heroes_on_the_ruins_are_fought_instead_of_them():
    state = stand(at_ruins(("lord",)), "hero-2-1", "D3")
    assault(state, to="D3", against=NOBODY).refused("no-fight", "MAP-09")
    told = defend(assault(hand(state, 2), to="D3", against=2))
    assert {"cards": 0} == fought(told).defence
    assert "D3" == told.state.heroes["hero-1-1"].square
    assert not told.state.turn.ruins
    assert "turn" == told.state.asking[-1].kind


def test_bat_12_one_battle_a_hero_and_turn_after_which_he_walks_no_further():
    state = before(("lord", "lord", "supply"), level=1)
    told = defend(assault(state, units=cards(state, 1, "lord")))
    told.when(1, command("step", hero="hero-1-1", to="G4", cards=cards(state, 1, "supply"))).refused(
        "move-ended", "BAT-12"
    )
    told.when(1, END).when(2, END).default(SYSTEM)
    assert not told.state.heroes["hero-1-1"].fought
    assert told.offered(1, "step")


def test_bat_13_a_disbanded_hero_comes_back_at_the_start_of_the_next_turn():
    state = stand(table(), "hero-2-1", "")
    told = story(state).when(1, END)
    assert ev.HeroReturned(2, "hero-2-1", "G5") in told.events
    assert "turn" == told.state.asking[-1].kind


def test_bat_13_with_several_cities_the_owner_chooses():
    state = city(stand(stand(table(), "hero-2-1", ""), "hero-2-2", ""), "G1", owner=2, level=4)
    told = story(state).when(1, END)
    assert {"hero": "hero-2-1"} == dict(told.state.asking[-1].about)
    told.when(2, command("return_hero", square="A1")).refused("not-your-city", "BAT-13")
    told.when(2, command("return_hero", square="G1"))
    assert {"hero": "hero-2-2"} == dict(told.state.asking[-1].about)
    told.default(2)
    assert ["G1", "G5"] == [told.state.heroes[name].square for name in ("hero-2-1", "hero-2-2")]
    assert "turn" == told.state.asking[-1].kind


def test_bat_13_without_a_city_of_level_one_he_stays_away():
    state = city(stand(table(), "hero-2-1", ""), "G5", owner=2, level=0)
    told = story(state).when(1, END)
    assert "" == told.state.heroes["hero-2-1"].square
    assert 2 == told.state.turn.seat


def test_bat_14_who_lets_the_time_pass_defends_with_an_empty_line():
    told = assault(before(("lord", "lord"), ("lord", "lord")))
    told.default(2)
    assert () == told.of(ev.LineRevealed)[1].cards
    assert 2 == len(told.state.players[2].hand)


def test_bat_15_amulets_are_rolled_at_the_reveal_the_attackers_first():
    state = before(("frimen-barfolk", "amulet-barfolk"), ("amulet-emberians",))
    told = assault(state, support=cards(state, 1, "amulet"))
    assert [] == told.of(ev.LineRevealed)
    defend(told, 3, 6, support=state.players[2].hand)
    assert [(3,), (6,)] == [event.rolls for event in told.of(ev.LineRevealed)]
    assert {"cards": 4, "moral": 1} == fought(told).attack
    assert {"cards": 4, "level": 1, "terrain": 1, "moral": 1} == fought(told).defence


def test_bat_15_a_five_adds_nothing():
    state = before(("frimen-barfolk", "amulet-emberians"))
    told = defend(assault(state, support=cards(state, 1, "amulet")), 5)
    assert {"cards": 1, "moral": 1} == fought(told).attack


def test_bat_15_a_lit_amulet_is_rolled_twice():
    state = lit(before(("frimen-emberians", "amulet-barfolk")), "amulet")
    told = defend(assault(state, support=cards(state, 1, "amulet")), 2, 6)
    assert {"cards": 7} == fought(told).attack


STRENGTHS = [
    (("frimen", "weapon"), "", 3),
    (("frimen", "weapon"), "weapon", 5),
    (("frimen", "horse"), "", 2),
    (("frimen", "horse"), "horse", 3),
    (("frimen", "title"), "", 2),
    (("frimen", "title"), "title", 3),
    (("lord", "title"), "", 4),
    (("lord", "frimen", "title"), "title", 7),
    (("lord", "scroll"), "", 8),
    (("lord", "scroll"), "scroll", 12),
    (("frimen", "weapon", "scroll"), "", 5),
    (("frimen", "weapon", "scroll"), "weapon", 9),
    (("frimen", "title", "scroll"), "", 3),
    (("frimen", "great-sword"), "", 5),
    (("frimen", "great-shield"), "", 1),
    (("frimen", "great-sword", "scroll"), "", 6),
]


@pytest.mark.parametrize(("line", "lit_", "strength"), STRENGTHS)
def test_art_01_and_others_strength_of_a_line(line, lit_, strength):
    state = before([sort if "great" in sort else f"{sort}-emberians" for sort in line])
    state = lit(state, lit_) if lit_ else state
    units = [card for card in state.players[1].hand if "frimen" in card or "lord" in card]
    told = defend(assault(state, units=units, support=rest(state, 1, *units)))
    assert {"cards": strength} == fought(told).attack


def test_a_defender_may_lay_what_his_tent_keeps_and_his_ambush():
    state = zone(before(("frimen",), ("supply",)), 2, "hidden", "priest-islanders")
    told = defend(assault(state), ambush=state.players[2].hidden)
    assert {"cards": 3, "level": 1, "terrain": 1, "moral": 1} == fought(told).defence
    assert () == told.state.players[2].hidden
    assert told.state.players[2].spent


def test_a_defender_without_cards_has_but_one_answer():
    told = assault(with_player(before(("frimen",)), 2, hidden=()))
    options = told.offered(2, "defend")
    assert [()] == [option.open for option in options]
