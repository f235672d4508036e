"""Templates for the core's events, questions and changes. Those of modules are defined with the modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Templates = Mapping[str, str | Sequence[str]]

END, OVER = "end_reached.", "The end condition is met: "
"""The prefix of the types of end conditions, and the prefix of their sentences."""
OPENINGS: Mapping[str, str] = {"day_announced": "Day {day} of week {week}", "turn_began": "{seat:seat}"}

SENTENCES: Templates = {
    "battalia_begun": "The turn order is {order:seats}. The great artefacts on display are {great:cards}.",
    "faction_chosen": "{seat:seat} leads the {faction:faction}.",
    "start_placed": "{seat:seat} starts on {square:square}, {card:land}, with a level {level} city.",
    "day_announced": "Day {day} of week {week} dawns: the wheel lights the {lit} and matches the {matching}.",
    "day_announced.both": "Day {day} of week {week} dawns: the wheel lights and matches the {lit}.",
    "day_ended": "Day {day} of week {week} is over.",
    "turn_began": "It is {seat:seat}'s turn.",
    "turn_ended": "{seat:seat} ends the turn.",
    "question_asked": "{seats:seats} must make a decision.",
    "question_asked.faction": "{seats:seats} must choose a faction.",
    "question_asked.start": "{seats:seats} must choose a starting square.",
    "question_asked.wish": "The amulet grants {seats:seats} a wish.",
    "question_asked.spoils": "{seats:seats} must choose a great artefact from the ruins on {square:square}.",
    "question_asked.flee": "The city on {square:square} is gone, and {hero:whose} must flee.",
    "question_asked.return": "{hero:whose} was disbanded and may return.",
    "question_answered": "{seat:seat} has decided.",
    "seat_out": "{seat:seat} has no city, no hero and no place to start again, and is out of the game.",
    "end_reached": "The end condition is met.",
    "end_reached.cities": "The end condition is met: a player holds enough cities of the highest level.",
    "end_reached.full-map": "The end condition is met: every square of the map has a card.",
    "end_reached.no-square": "The end condition is met: no player has a square left to build on.",
    "end_reached.weeks": "The end condition is met: the last week is over.",
    "end_reached.alone": "The end condition is met: only one side is left.",
    "hand_mulliganed": "{seat:seat} discards [{cards:cards}~an empty hand], then draws a smaller hand.",
    "cohort_shown": "{seat:seat} shows a cohort: {cards:cards}.",
    "cards_drawn": ("{seat:seat} draws {cards:cards}.", "{seat:seat} draws {count:number} {count:card|cards}."),
    "cards_drawn.none": "{seat:seat} has no cards left to draw.",
    "deck_shuffled": "{seat:seat} shuffles the discarded cards, {count:number} in all, into a new deck.",
    "cards_discarded": "{seat:seat} discards {cards:cards}.",
    "card_taken": "{seat:seat} takes {card:card}[ for {paid:paid}].",
    "card_taken.unit": "{seat:seat} hires {card:card}[ for {paid:paid}].",
    "road_built": "{seat:seat} lays {card:road} on {square:square}, open to the {exits:exits}[, for {paid:paid}].",
    "city_founded": (
        "{seat:seat} founds a level {level} city on {square:square}, {card:land}, open to the {exits:exits}"
        "[, for {paid:paid}]."
    ),
    "city_upgraded": "{seat:seat} upgrades the city on {square:square} to level {level}[ for {paid:paid}].",
    "city_rebuilt": "{seat:seat} rebuilds the ruined city on {square:square}[ for {paid:paid}].",
    "hero_stepped": "{seat:seat} moves {hero:hero} from {origin:square} to {to:square}[ for {paid:paid}].",
    "step_paid": "{seat:seat} moves {hero:hero} to {to:square}[ for {paid:paid}].",
    "amulet_rolled": "{seat:seat} rolls {rolls:list} with {paid:cards} and gets {tokens:cards} for this turn.",
    "amulet_rolled.wish": "{seat:seat} rolls {rolls:list} with {paid:cards}[ and gets {tokens:cards} for this turn], and may make a wish.",
    "wish_granted": "{seat:seat} wishes for {token:card}.",
    "cards_kept": (
        "{seat:seat} keeps {kept:cards} in {tent:card}.",
        "{seat:seat} keeps {count:number} {count:card|cards} in {tent:card}.",
    ),
    "card_hidden": (
        "{seat:seat} places {card:card} face down for an ambush.",
        "{seat:seat} places a card face down for an ambush.",
    ),
    "wings_spread": "{seat:seat} plays {paid:cards} so that {hero:hero} moves for free this turn.",
    "horn_sounded": "{seat:seat} sounds {paid:cards}.",
    "hand_reached": "{seat:seat} uses {paid:cards}.",
    "line_paid": "{seat:seat} pays {cards:paid}.",
    "cards_laid": "{seat:seat} places {cards:cards} face up.",
    "hero_joined": "{hero:whose} on {square:square} now fights for {seat:seat}.",
    "hero_left": "{hero:whose} no longer fights for {seat:seat}.",
    "hero_returned": "{seat:seat} brings {hero:hero} back into play on {square:square}.",
    "battle_began": "{seat:seat} attacks {defender:seat} on {square:square} with {hero:hero} from {origin:square}[, for {paid:paid}].",
    "battle_began.unowned": "{seat:seat} attacks {square:square} with {hero:hero} from {origin:square}[, for {paid:paid}].",
    "line_pledged": "{seat:seat} plays [{cards:cards}~no cards] face down for the battle[, with {ambush:cards} from ambush].",
    "line_revealed": (
        "{seat:seat} reveals [{cards:cards}~no cards][, with {ambush:cards} from ambush][ (the amulets roll {rolls:list})]."
    ),
    "battle_fought.won": (
        "{seat:seat} wins the battle on {square:square} against {defender:seat}, "
        "{strength}{attack:parts} to {against}{defence:parts}."
    ),
    "battle_fought.won-city": (
        "{seat:seat} wins the battle for the neutral city on {square:square}, {strength}{attack:parts} to {against}{defence:parts}."
    ),
    "battle_fought.won-ruins": "{seat:seat} wins the battle for the ruins on {square:square}, {strength}{attack:parts} to {against}.",
    "battle_fought": (
        "{defender:seat} holds {square:square} against {seat:seat}, {against}{defence:parts} to {strength}{attack:parts}."
    ),
    "battle_fought.tied": (
        "{defender:seat} holds {square:square} against {seat:seat}, {against}{defence:parts} to {strength}{attack:parts}, "
        "because ties go to the defender."
    ),
    "battle_fought.city": "{seat:seat} fails to take the neutral city on {square:square}, {strength}{attack:parts} to {against}{defence:parts}.",
    "battle_fought.ruins": "{seat:seat} fails to take the ruins on {square:square}, {strength}{attack:parts} to {against}.",
    "figure_fought": "{seat:seat} loses to {npc:module} on {square:square}, {strength}{parts:parts} to {against}.",
    "figure_fought.won": "{seat:seat} defeats {npc:module} on {square:square}, {strength}{parts:parts} to {against}.",
    "hero_disbanded": "{hero:whose} is beaten on {square:square} and disbanded.",
    "hero_disbanded.no-refuge": "{hero:whose} has no refuge next to {square:square} and is disbanded.",
    "hero_entered": "{seat:seat} moves {hero:hero} into {square:square}.",
    "city_taken": "{seat:seat} takes the level {level} city on {square:square} from {loser:seat}.",
    "city_taken.unowned": "{seat:seat} takes the neutral level {level} city on {square:square}.",
    "city_levelled": "The city on {square:square} falls to level {level}.",
    "city_levelled.ruined": "The city on {square:square} is in ruins and can be rebuilt.",
    "city_destroyed": "{owner:seat}'s city on {square:square} is destroyed.",
    "city_destroyed.unowned": "The neutral city on {square:square} is destroyed.",
    "ruins_beaten": "{seat:seat} conquers the ruins.",
    "spoils_taken": "{seat:seat} takes {card:card} from the ruins.",
    "hero_fled": "{hero:whose} flees from {origin:square} to {to:square}.",
    "order_followed": "{seat:seat} follows a standing order.",
    "order_given": "{seat:seat} gives a standing order.",
    "order_given.set_defence-nothing": "{seat:seat}'s standing order {place} for defense: play no cards.",
    "order_given.set_defence-all": (
        "{seat:seat}'s standing order {place} for defense: play all fighting cards, at most {most} {most:card|cards}"
        "[, except {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_defence-reach": (
        "{seat:seat}'s standing order {place} for defense: play enough cards for a strength of {number}, "
        "at most {most} {most:card|cards}[, except {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_defence-win": (
        "{seat:seat}'s standing order {place} for defense: play enough cards to be certain to win by {number}, "
        "at most {most} {most:card|cards}[, except {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_flight": "{seat:seat}'s standing order for heroes that flee: go to {first:ranked}.",
    "order_given.set_return": "{seat:seat}'s standing order for disbanded heroes: return to {first:ranked}.",
    "order_given.set_spoils": "{seat:seat}'s standing order for the ruins: take {first:spoils}.",
    "order_given.set_wish": "{seat:seat}'s standing order for amulets: wish for {first:cards}.",
    "order_withdrawn": "{seat:seat} withdraws a standing order.",
    "order_withdrawn.set_defence": "{seat:seat} withdraws standing order {place} for defense.",
    "order_withdrawn.set_flight": "{seat:seat} withdraws the standing order for heroes that flee.",
    "order_withdrawn.set_return": "{seat:seat} withdraws the standing order for disbanded heroes.",
    "order_withdrawn.set_spoils": "{seat:seat} withdraws the standing order for the ruins.",
    "order_withdrawn.set_wish": "{seat:seat} withdraws the standing order for amulets.",
}

ASKS: Templates = {
    "turn": "It is your turn.",
    "faction": "Choose your faction.",
    "start": "Choose your starting square.",
    "defend": "{attacker:seat} attacks you on {square:square}. Play cards to defend it, or play none.",
    "wish": "Your amulet rolled a six. Wish for a card.",
    "spoils": "You conquered the ruins on {square:square}. Take one of the great artefacts.",
    "flee": "The city on {square:square} is gone. Choose where {hero:yours} flees.",
    "return": "Choose the city where {hero:yours} returns.",
}
"""The task of a seat, by kind of question."""

REMARKS: Templates = {
    # lines of condensed paragraphs
    "wheel_turned": "The wheel lights the {lit} and matches the {matching}.",
    "wheel_turned.both": "The wheel lights and matches the {lit}.",
    "turn_passed": "{seat:seat} does nothing.",
    "hero_walked": "{seat:seat} moves {hero:hero} from {origin:square} via {via:list} to {to:square}[ for {paid:paid}].",
    # changes for a seat
    "date_changed": "It is now day {day} of week {week}.",
    "points_lost": "You lost {by:number} {by:point|points} and now have {now}.",
    "points_won": "You gained {by:number} {by:point|points} and now have {now}.",
    "city_lost": "You lost the level {level} city on {square:square} to {to:seat}.",
    "city_lost.unowned": "You lost the level {level} city on {square:square}. No one holds it now.",
    "city_lost.gone": "Your level {level} city on {square:square} was destroyed.",
    "city_won": "You gained the level {level} city on {square:square}.",
    "city_fell": "Your city on {square:square} fell from level {level} to {now}.",
    "city_rose": "Your city on {square:square} rose from level {level} to {now}.",
    "hero_lost": "You lost {hero:yours} on {square:square}.",
    "hero_moved": "{hero:yours} moved from {origin:square} to {to:square}.",
    "hero_back": "{hero:yours} is back on {to:square}.",
    "cards_lost": "No longer in your hand: {cards:cards}.",
    "cards_come": "New in your hand: {cards:cards}.",
    "hidden_lost": "No longer face down: {cards:cards}.",
    "rival_points": "{seat:seat} now has {now} {now:point|points} (was {before}).",
    "rival_out": "{seat:seat} is out of the game.",
}
