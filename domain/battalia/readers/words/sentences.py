"""A sentence for each event of the core, for each question, and for what has changed; those of modules stand with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Templates = Mapping[str, str | Sequence[str]]

END, OVER = "end_reached.", "The end has come: "
"""How the types of ends begin that are told, and their sentences."""
OPENINGS: Mapping[str, str] = {"day_announced": "Day {day} of week {week}", "turn_began": "{seat:seat}"}

SENTENCES: Templates = {
    "battalia_begun": (
        "The table is laid for {order:seats}, who take their turns in this order. Beside the board lie open {great:cards}."
    ),
    "faction_chosen": "{seat:seat} leads the {faction:faction}.",
    "start_placed": "{seat:seat} begins on {square:square}, in {card:land}, with a city of level {level}.",
    "day_announced": "Day {day} of week {week} dawns: the wheel lights the {lit} and matches the {matching}.",
    "day_announced.both": "Day {day} of week {week} dawns: the wheel lights and matches the {lit}.",
    "day_ended": "Day {day} of week {week} is over.",
    "turn_began": "It is the turn of {seat:seat}.",
    "turn_ended": "{seat:seat} ends the turn.",
    "question_asked": "Something is for {seats:seats} to decide.",
    "question_asked.faction": "It is for {seats:seats} to choose a faction.",
    "question_asked.start": "It is for {seats:seats} to choose a place to begin.",
    "question_asked.wish": "The amulet grants {seats:seats} a wish.",
    "question_asked.spoils": "Among the ruins on {square:square} the great artefacts are for {seats:seats} to choose from.",
    "question_asked.flee": "With the city on {square:square} gone, {hero:whose} has to flee.",
    "question_asked.return": "Disbanded before, {hero:whose} may come back.",
    "question_answered": "{seat:seat} has decided.",
    "seat_out": "{seat:seat} has neither a city nor a hero nor a place to begin anew, and is out of the game.",
    "end_reached": "The end has come.",
    "end_reached.cities": "The end has come: somebody holds enough cities of the highest level.",
    "end_reached.full-map": "The end has come: every square of the map holds a card.",
    "end_reached.no-square": "The end has come: nobody has a square left on which to build.",
    "end_reached.weeks": "The end has come: the last week is over.",
    "end_reached.alone": "The end has come: one side alone is left.",
    "hand_mulliganed": "{seat:seat} discards [{cards:cards}~an empty hand] and draws a smaller hand.",
    "cohort_shown": "{seat:seat} shows a cohort: {cards:cards}.",
    "cards_drawn": ("{seat:seat} draws {cards:cards}.", "{seat:seat} draws {count:number} {count:card|cards}."),
    "cards_drawn.none": "{seat:seat} has no card left to draw.",
    "deck_shuffled": "{seat:seat} shuffles the discarded cards, {count:number} in all, into a new deck.",
    "cards_discarded": "{seat:seat} discards {cards:cards}.",
    "card_taken": "{seat:seat} takes {card:card}[ for {paid:paid}].",
    "card_taken.unit": "{seat:seat} hires {card:card}[ for {paid:paid}].",
    "road_built": "{seat:seat} lays {card:road} on {square:square}, open to the {exits:exits}[, for {paid:paid}].",
    "city_founded": (
        "{seat:seat} founds a city of level {level} on {square:square}, in {card:land}, open to the {exits:exits}"
        "[, for {paid:paid}]."
    ),
    "city_upgraded": "{seat:seat} raises the city on {square:square} to level {level}[ for {paid:paid}].",
    "city_rebuilt": "{seat:seat} rebuilds the ruined city on {square:square}[ for {paid:paid}].",
    "hero_stepped": "{seat:seat} leads {hero:hero} from {origin:square} to {to:square}[ for {paid:paid}].",
    "step_paid": "{seat:seat} leads {hero:hero} onto {to:square}[ for {paid:paid}].",
    "amulet_rolled": "{seat:seat} rolls {rolls:list} with {paid:cards} and gets {tokens:cards} for this turn.",
    "amulet_rolled.wish": "{seat:seat} rolls {rolls:list} with {paid:cards}[ and gets {tokens:cards} for this turn], and may wish.",
    "wish_granted": "{seat:seat} wishes for {token:card}.",
    "cards_kept": (
        "{seat:seat} keeps {kept:cards} in {tent:card}.",
        "{seat:seat} keeps {count:number} {count:card|cards} in {tent:card}.",
    ),
    "card_hidden": (
        "{seat:seat} lays {card:card} face down for an ambush.",
        "{seat:seat} lays a card face down for an ambush.",
    ),
    "wings_spread": "{seat:seat} plays {paid:cards}, and {hero:hero} walks free this turn.",
    "horn_sounded": "{seat:seat} sounds {paid:cards}.",
    "hand_reached": "{seat:seat} reaches out with {paid:cards}.",
    "line_paid": "{seat:seat} pays {cards:paid}.",
    "cards_laid": "{seat:seat} lays {cards:cards} open.",
    "hero_joined": "{hero:whose} on {square:square} fights for {seat:seat} from now on.",
    "hero_left": "{hero:whose} leaves the service of {seat:seat}.",
    "hero_returned": "{seat:seat} brings {hero:hero} back on {square:square}.",
    "battle_began": "{seat:seat} attacks {defender:seat} on {square:square} with {hero:hero} from {origin:square}[, for {paid:paid}].",
    "battle_began.unowned": "{seat:seat} attacks {square:square} with {hero:hero} from {origin:square}[, for {paid:paid}].",
    "line_pledged": "{seat:seat} lays [{cards:cards}~no cards] for the battle, unseen[, with {ambush:cards} from ambush].",
    "line_revealed": (
        "{seat:seat} shows [{cards:cards}~no cards][, with {ambush:cards} from ambush][; the amulets roll {rolls:list}]."
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
        "{defender:seat} holds {square:square} against {seat:seat}, {against}{defence:parts} to {strength}{attack:parts}: "
        "a tie is the defender's."
    ),
    "battle_fought.city": "{seat:seat} fails at the neutral city on {square:square}, {strength}{attack:parts} to {against}{defence:parts}.",
    "battle_fought.ruins": "{seat:seat} fails at the ruins on {square:square}, {strength}{attack:parts} to {against}.",
    "figure_fought": "{seat:seat} loses to {npc:module} on {square:square}, {strength}{parts:parts} to {against}.",
    "figure_fought.won": "{seat:seat} defeats {npc:module} on {square:square}, {strength}{parts:parts} to {against}.",
    "hero_disbanded": "Beaten on {square:square}, {hero:whose} is disbanded.",
    "hero_disbanded.no-refuge": "With no refuge beside {square:square}, {hero:whose} is disbanded.",
    "hero_entered": "{seat:seat} moves {hero:hero} into {square:square}.",
    "city_taken": "{seat:seat} takes the city on {square:square}, of level {level}, from {loser:seat}.",
    "city_taken.unowned": "{seat:seat} takes the neutral city on {square:square}, of level {level}.",
    "city_levelled": "The city on {square:square} falls to level {level}.",
    "city_levelled.ruined": "The city on {square:square} lies in ruins, and can be rebuilt.",
    "city_destroyed": "The city of {owner:seat} on {square:square} is destroyed.",
    "city_destroyed.unowned": "The neutral city on {square:square} is destroyed.",
    "ruins_beaten": "{seat:seat} masters the ruins.",
    "spoils_taken": "{seat:seat} takes {card:card} from the ruins.",
    "hero_fled": "From {origin:square} {hero:whose} flees to {to:square}.",
    "order_followed": "{seat:seat} answers by standing orders.",
    "order_given": "{seat:seat} gives a standing order.",
    "order_given.set_defence-nothing": "{seat:seat} orders, in place {place}, that no card is laid for a defence.",
    "order_given.set_defence-all": (
        "{seat:seat} orders, in place {place}, that a defence lays all that fights, {most} {most:card|cards} at most"
        "[, without {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_defence-reach": (
        "{seat:seat} orders, in place {place}, that a defence lays what reaches a strength of {number}, {most} {most:card|cards} at "
        "most[, without {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_defence-win": (
        "{seat:seat} orders, in place {place}, that a defence lays what is certain to win by {number}, {most} {most:card|cards} at "
        "most[, without {spare:kinds}]; {ambush:ambush}."
    ),
    "order_given.set_flight": "{seat:seat} orders that heroes flee to {first:ranked}.",
    "order_given.set_return": "{seat:seat} orders that disbanded heroes come back in {first:ranked}.",
    "order_given.set_spoils": "{seat:seat} orders that of the great artefacts of the ruins {first:spoils} is taken.",
    "order_given.set_wish": "{seat:seat} orders that an amulet's wish is for {first:cards}.",
    "order_withdrawn": "{seat:seat} withdraws a standing order.",
    "order_withdrawn.set_defence": "{seat:seat} withdraws the standing order for a defence, in place {place}.",
    "order_withdrawn.set_flight": "{seat:seat} withdraws the standing order for heroes that flee.",
    "order_withdrawn.set_return": "{seat:seat} withdraws the standing order for disbanded heroes.",
    "order_withdrawn.set_spoils": "{seat:seat} withdraws the standing order for the ruins.",
    "order_withdrawn.set_wish": "{seat:seat} withdraws the standing order for wishes.",
}

ASKS: Templates = {
    "turn": "It is your turn.",
    "faction": "Choose your faction.",
    "start": "Choose where you begin.",
    "defend": "{attacker:seat} attacks you on {square:square}: lay the cards that defend it, or none.",
    "wish": "Your amulet rolled a six: wish for a card.",
    "spoils": "You have mastered the ruins on {square:square}: take one of the great artefacts.",
    "flee": "The city on {square:square} is gone: choose where {hero:hero} flees.",
    "return": "Choose the city in which {hero:hero} comes back.",
}
"""What a seat is to do, by the kind of the question."""

REMARKS: Templates = {
    # what a paragraph tells instead of events
    "wheel_turned": "The wheel lights the {lit} and matches the {matching}.",
    "wheel_turned.both": "The wheel lights and matches the {lit}.",
    "turn_passed": "{seat:seat} does nothing.",
    "hero_walked": "{seat:seat} leads {hero:hero} from {origin:square} by way of {via:list} to {to:square}[ for {paid:paid}].",
    # what has changed for a seat
    "date_changed": "It is day {day} of week {week} now.",
    "points_lost": "You have lost {by:number} {by:point|points} and have {now} now.",
    "points_won": "You have won {by:number} {by:point|points} and have {now} now.",
    "city_lost": "You have lost the city on {square:square}, of level {level}, to {to:seat}.",
    "city_lost.unowned": "You have lost the city on {square:square}, of level {level}: nobody holds it now.",
    "city_lost.gone": "Your city on {square:square}, of level {level}, has been destroyed.",
    "city_won": "You have won the city on {square:square}, of level {level}.",
    "city_fell": "Your city on {square:square} has fallen from level {level} to {now}.",
    "city_rose": "Your city on {square:square} has risen from level {level} to {now}.",
    "hero_lost": "On {square:square} you have lost {hero:hero}.",
    "hero_moved": "You have {hero:hero} on {to:square} now, no longer on {origin:square}.",
    "hero_back": "You have {hero:hero} back, on {to:square}.",
    "cards_lost": "Your hand no longer holds {cards:cards}.",
    "cards_come": "Your hand now holds {cards:cards}, which it did not.",
    "hidden_lost": "Face down you no longer have {cards:cards}.",
    "rival_points": "{seat:seat} has {now} {now:point|points} now, after {before}.",
    "rival_out": "{seat:seat} is out of the game.",
}
