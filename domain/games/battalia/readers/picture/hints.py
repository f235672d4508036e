"""How a generic client can show Battalia: its commands in order, parameters and cards."""

from __future__ import annotations

from collections.abc import Mapping

from domain.drawing.hints import Called, Hint, Parameter
from domain.games.battalia.cards import CARDS
from domain.games.battalia.readers.picture.tones import COLOUR
from domain.games.battalia.readers.words.forms import choice_name

_CITIES, _CARDS, _HEROES, _WAYS, _TURN = "Cities", "Cards", "Heroes", "Roads", "Turn"

HINTS: Mapping[str, Hint] = {
    "choose_faction": Hint("Choose your faction", icon="⚑"),
    "choose_start": Hint("Choose your starting square", icon="⌂"),
    "show_cohort": Hint("Show a cohort", _TURN, "☰", "three units of one rank, to draw more cards"),
    "mulligan": Hint("Exchange your hand", _TURN, "↻"),
    "step": Hint("Move a hero", _HEROES, "➜", "one square; moving onto an enemy starts a battle"),
    "spread_wings": Hint("Spread the wings", _HEROES, "✦"),
    "sound_horn": Hint("Sound the horn", _HEROES, "✦"),
    "challenge_keeper": Hint("Challenge the Keeper", _HEROES, "⚔"),
    "build_road": Hint("Build a road", _WAYS, "┼", "costs units"),
    "found_city": Hint("Found a city", _CITIES, "⌂"),
    "upgrade_city": Hint("Upgrade a city", _CITIES, "▲"),
    "rebuild_city": Hint("Rebuild a city", _CITIES, "⌂"),
    "build_armamentum": Hint("Build an Armamentum", _CITIES, "⚒"),
    "hire_unit": Hint("Hire a unit", _CARDS, "+", "costs supplies"),
    "take_supply": Hint("Take a supply", _CARDS, "+", "costs a unit"),
    "take_artefact": Hint("Take an artefact", _CARDS, "+"),
    "reach_out": Hint("Take a card with the Hand of Luut", _CARDS, "+"),
    "use_amulet": Hint("Use an amulet", _CARDS, "✦"),
    "pitch_tent": Hint("Pitch a tent", _CARDS, "△", "keep cards for later"),
    "hide_card": Hint("Hide a card", _CARDS, "▼", "face down, for an ambush"),
    "bribe_buff": Hint("Bribe the Buff", icon="✦"),
    "hire_buff": Hint("Hire the Buff", icon="✦"),
    "fight_buff": Hint("Fight the Buff", icon="⚔"),
    "roll_for_buff": Hint("Roll for the Buff", icon="⚄"),
    "move_buff": Hint("Move the Buff", icon="➜"),
    "leave_buff": Hint("Leave the Buff where it is", icon="✓"),
    "defend": Hint("Defend", icon="⚔", note="choose your cards, or none"),
    "wish": Hint("Wish for a card", icon="✦"),
    "take_spoils": Hint("Take spoils", icon="+"),
    "return_hero": Hint("Bring the hero back", icon="⌂"),
    "flee": Hint("Flee", icon="➜"),
    "place_bet": Hint("Place a bet", icon="✦"),
    "discard_half": Hint("Discard half of your hand", icon="↓"),
    "choose_entrance": Hint("Choose the entrance", icon="⌂"),
    "pick_victim": Hint("Pick the victim", icon="⚔"),
    "end_turn": Hint("End the turn", _TURN, "✓"),
    "set_defence": Hint("Set a defense order", note="which cards you play when a player attacks you"),
    "set_spoils": Hint("Set the spoils order", note="what you take from the ruins"),
    "set_flight": Hint("Set the flight order", note="where a hero flees to"),
    "set_return": Hint("Set the return order", note="where a disbanded hero returns"),
    "set_wish": Hint("Set the wish order", note="the card that an amulet wishes for"),
    "set_discard": Hint("Set the discard order", note="what you discard first when the Rammoth roars"),
    "set_bet": Hint("Set a bet order", note="what you bet on the entrance of the Buff"),
    "set_entrance": Hint("Set the entrance order", note="where the Buff enters if you choose"),
    "set_stir": Hint("Set the order to leave the Buff alone", note="at the end of your turn"),
    "set_victim": Hint("Set the victim order", note="whose heroes the Buff attacks first"),
    "set_raid": Hint("Set a Buff attack order", note="bribe, hire or fight the Buff when he attacks"),
}

PARAMETERS: Mapping[str, Parameter] = {
    "cards": Parameter("Cards"),
    "build_road.cards": Parameter("Paid with"),
    "found_city.cards": Parameter("Paid with"),
    "upgrade_city.cards": Parameter("Paid with"),
    "rebuild_city.cards": Parameter("Paid with"),
    "build_armamentum.cards": Parameter("Paid with"),
    "hire_unit.cards": Parameter("Paid with"),
    "hire_unit.unit": Parameter("Unit", "pile"),
    "take_supply.cards": Parameter("Paid with"),
    "take_artefact.cards": Parameter("Paid with"),
    "take_artefact.artefact": Parameter("Artefact", "pile"),
    "step.cards": Parameter("Paid with"),
    "step.to": Parameter("To", "square"),
    "flee.to": Parameter("To", "square"),
    "move_buff.to": Parameter("To", "square"),
    "exits": Parameter("Open sides"),
    "against": Parameter("Against", "seat"),
    "units": Parameter("Units"),
    "support": Parameter("Artefacts"),
    "ambush": Parameter("Face-down cards"),
    "keep": Parameter("Cards to keep"),
    "terrain": Parameter("Terrain"),
    "place": Parameter("Order number"),
    "how": Parameter("Policy"),
    "most": Parameter("Maximum number of cards"),
    "spare": Parameter("Never use"),
    "first": Parameter("In this order"),
    "number": Parameter("Number to reach"),
}

HELD: Mapping[str, str] = {"hand": "Your hand", "hidden": "Face down"}

_SIDES = {"N": "north", "E": "east", "S": "south", "W": "west"}
_RANKS = ("", "1", "2", "3", "4")
_GROUPS = {"great": "great artefact"}


def called(choice: str) -> Called:
    """A card by name, with rank and faction color. Exits by the names of their sides."""
    if choice and set(choice) <= set(_SIDES):
        return Called(", ".join(_SIDES[side] for side in choice))
    try:
        card = CARDS[choice]
    except (KeyError, ValueError, IndexError):
        return Called(choice_name(choice))
    name = choice_name(choice)
    note = f"unit of rank {_RANKS[card.rank]}" if card.group == "unit" else _GROUPS.get(card.group, card.group)
    tone = COLOUR.get(card.faction or None, COLOUR[None])
    return Called(name, "card", note if note != name else "", (str(tone), tone.dark) if card.faction else ())
