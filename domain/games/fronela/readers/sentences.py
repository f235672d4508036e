"""Templates for events, questions, condensed paragraphs, and changes since the last turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain.games.fronela.episodes import EPISODES

Sentences = Mapping[str, str | Sequence[str]]

ASKS: Mapping[str, str] = {
    "attack_wizards": "Choose what the wizards of {nation:folk} do in the attack on {area:place}.",
    "attacker_losses": "Choose which units of {nation:folk} are lost in {area:place}.",
    "battle": "Choose the next battle of {nation:folk}, or retreat from a battle.",
    "blinding_eye": "Choose the unit of {nation:folk} that the Blinding Eye takes in {area:place}.",
    "defence_wizards": "Choose what the wizards of {nation:folk} do in the defense of {area:place}.",
    "defender_losses": "Choose which units of {nation:folk} are lost in {area:place}.",
    "eleven_beasts": "Choose where one more unit of {nation:folk} appears.",
    "growth": "Choose what grows for {nation:folk}, and where.",
    "harrek_ride": "Choose where Harrek the Berserk rides from {area:place}.",
    "hrestol": "Choose where Hrestol goes from {area:place} with {nation:folk}.",
    "jonat": "Choose the battle of {nation:folk} in which Jonat Bigbear fights.",
    "landing": "Choose where the fleet of {nation:folk} lands.",
    "move": "Move {nation:folk}.",
    "retreat": "Choose whether to retreat with {nation:folk} from {area:place}.",
    "rout": "Choose where to go from {area:place} with {nation:folk}, who must leave.",
    "siglat": "Choose where the soldiers of Prince Siglat appear.",
    "special_retreat": "Choose whether to retreat with {nation:folk} from {area:place} before the first roll.",
    "talor": "Choose the battle of {nation:folk} in which Talor fights.",
}
"""Templates for every kind of question except the end of a round, which no player is asked."""

_TURNS: Sentences = {
    "history_begun": "The history of Fronela begins.",
    "round_begun": "Round {round} begins, years {years} ST: {title}.",
    "round_ended": "Round {round} is over.",
    "round_ended.last": "Round {round} is over, and the history of Fronela ends.",
    "order_changed": "The turn order is {order:folks}.",
    "order_changed.usual": "The nations take their turns in the usual order.",
    "order_changed.front": "First in this round: {front:folks}. All others follow in the usual order.",
    "order_changed.next": "{next:folk} {next_n:is|are} next[, before {then:folk}].",
    "turn_begun": "It is the turn of {nation:folk}.",
    "asked": "{seat:seat} must decide.",
    "asked.round": "All turns of the round are over.",
    **{f"asked.{kind}": f"{{seat:seat}} must {text[0].lower()}{text[1:]}" for kind, text in ASKS.items()},
}
_UNITS: Sentences = {
    "growth_rolled": "{nation:folk} {nation_n:rolls|roll} for growth in {area:place}: {roll:roll}, which is too low.",
    "growth_rolled.grows": "{nation:folk} {nation_n:rolls|roll} for growth in {area:place}: {roll:roll}, which is enough.",
    "growth_lost": "The growth of {nation:folk} in {area:place} is lost.",
    "growth_lost.declined": "{nation:folk} {nation_n:declines|decline} growth in {area:place}.",
    "growth_lost.no_counter": "No counter is left for {nation:folk} to grow in {area:place}.",
    "units_placed": "{nation:folk} {nation_n:gains|gain} {units:units} in {area:place}.",
    "units_placed.growth": "Growth brings {nation:folk} {units:units} in {area:place}.",
    "units_placed.arrival": "{them:them} {units:arrives|arrive} in {area:place}.",
    "units_readied": "{nation:folk} {nation_n:gets|get} ready to move.",
    "units_readied.none": "{nation:folk} cannot move.",
    "units_marched": "{them:them} {units:goes|go} from {area:place} to {to:place}.",
    "units_marched.ferried": "{them:them} {units:crosses|cross} from {area:place} to {to:place} by boat.",
    "units_marched.landed": "{them:them} {units:goes|go} ashore in {to:place}.",
    "moves_ended": "{nation:folk} {nation_n:finishes|finish} moving.",
}
_BATTLES: Sentences = {
    "battle_joined": "{attacker:folk} {attacker_n:attacks|attack} {defender:folk} in {area:place}[, {forces:forces}].",
    "battle_joined.further": (
        "The battle in {area:place} continues, round {number}: {attacker:folk} against {defender:folk}[, {forces:forces}]."
    ),
    "die_bent": "A wizard of {nation:folk} lowers die {die} of the {side:side} in {area:place} by {much}.",
    "die_bent.stronger": "A wizard of {nation:folk} raises die {die} of the {side:side} in {area:place} by {much}.",
    "battle_rolled": (
        "In {area:place}, {attacker:folk} {attacker_n:rolls|roll} {attack:dice} against {defence:dice} from {defender:folk}: "
        "{toll:toll}[ ({help:help})]."
    ),
    "units_lost": "{nation:folk} {nation_n:loses|lose} {units:units} in {area:place}.",
    "units_lost.fallen": "{nation:folk} falls in {area:place} to {by:folk}.",
    "units_lost.battle": "{nation:folk} {nation_n:loses|lose} {units:units} in {area:place} to {by:folk}.",
    "units_lost.farmers": (
        "{by:folk} {by_n:kills|kill} {units:units} of {nation:folk}, left undefended in {area:place}."
    ),
    "units_lost.no-retreat": "{them:them} {units:finds|find} no way out of {area:place} and {units:is|are} lost.",
    "units_lost.overpopulation": "{area:place} is overpopulated: {nation:folk} {nation_n:loses|lose} {units:units}.",
    "units_lost.crowded": (
        "{area:place} has room for only {room} of their kind: {nation:folk} {nation_n:loses|lose} {units:units}."
    ),
    "units_lost.bare": "Units of this kind cannot stay in {area:place}: {nation:folk} {nation_n:loses|lose} {units:units}.",
    "hits_spent": "No further hits on {nation:folk} in {area:place} count.",
    "hits_spent.person": "{nation:folk} loses nothing in {area:place}: hits only drive a person back.",
    "hits_spent.tough": "{hits} {hits:hit is|hits are} not enough to kill {nation:folk}.",
    "hits_spent.beyond": "{hits} {hits:hit has|hits have} no effect: no unit of {nation:folk} is left in {area:place}.",
    "farmers_taken": "{by:folk} {by_n:takes|take} over {taken:units} of {nation:folk} in {area:place}.",
    "farmers_taken.some": (
        "{by:folk} {by_n:takes|take} over {taken:units} of {nation:folk} in {area:place}, "
        "but there are counters for only {joined} of them."
    ),
    "units_retreated": "{them:them} {units:retreats|retreat} from {area:place} to {to:place}.",
    "units_retreated.special": (
        "Before the first roll, {them:them} {units:retreats|retreat} from {area:place} to {to:place}."
    ),
    "units_retreated.forced": "{them:them} {units:is|are} forced back from {area:place} to {to:place}.",
    "fighting_ended": "{nation:folk} {nation_n:has|have} no battles left.",
    "fighting_ended.held": "The battles are over: {held:held}.",
}
_HISTORY: Sentences = {
    "person_placed": "{person:folk} appears in {area:place}.",
    "person_moved": "{person:folk} goes from {area:place} to {to:place}.",
    "person_removed": "{person:folk} leaves {area:place}.",
    "token_given": "{token:folk} goes to {nation:folk}.",
    "token_taken": "{token:folk} leaves {nation:folk}.",
    "points_scored": "{nation:folk} {nation_n:scores|score} {points} {points:point|points} {reason:reason}.",
    "points_scored.where": (
        "{nation:folk} {nation_n:scores|score} {points} {points:point|points} {reason:reason} in {area:place}."
    ),
    "points_scored.area": (
        "{nation:folk} {nation_n:scores|score} {points} {points:point|points} for holding {area:place}."
    ),
    "stance_set": "{nation:folk} {nation_n:has|have} orders {stance:stance}.",
    "refuges_set": "{nation:folk} {nation_n:has|have} orders to retreat [first to {areas:places}~to the best area].",
    "losses_set": "Loss orders of {nation:folk}. Own units: {own:losses}. Enemy units: {enemy:losses}.",
    "growth_set.decline": "{nation:folk} {nation_n:has|have} orders to decline growth.",
    "growth_set.grow": "{nation:folk} {nation_n:has|have} orders to grow where they can.",
    "growth_set": "{nation:folk} {nation_n:has|have} orders for growth.",
    "withdrawal_set": "{nation:folk} {nation_n:has|have} orders to ask their player after each battle round.",
    "withdrawal_set.if_outnumbered": "{nation:folk} {nation_n:has|have} orders to retreat from a battle once outnumbered.",
    "withdrawal_set.always": "{nation:folk} {nation_n:has|have} orders to retreat after each battle round.",
    "wizards_set": "The wizards of {nation:folk} have orders {policy:policy}.",
}
SENTENCES: Sentences = {
    **_TURNS,
    **_UNITS,
    **_BATTLES,
    **_HISTORY,
    **{key: text for episode in EPISODES.values() for key, text in episode.sentences.items()},
}
REMARKS: Sentences = {
    "growth_told": "Growth {rolls:growth}.",
    "arrived": "{units:units} {units:arrives|arrive} in {area:place}.",
    "crowded_told": "Lost to overpopulation: {lost:crowded}.",
    "moves_told": "{moves:moves}.",
    "stayed": "No unit moves.",
    "battle_told": (
        "[{they}~{attacker:folk}] {attacker_n:attacks|attack} {defender:folk} in {area:place}[, {forces:forces}]"
        "[: {rounds:rounds}][; {help:help}].[ {ends:ends}.]"
    ),
    "kills_told": "{scores:deeds}.",
    "land_told": "{colour} scores {points} for land: {nations:tally}.",
    "areas_lost": "You lost {areas:holders}.",
    "areas_won": "You gained {areas:places}.",
    "units_changed": "{nations:balance}.",
    "points_changed": "Points: {scores:standing}.",
    "rounds_passed": "It is now round {round}, {years} ST: {title}.",
}
"""Templates for the lines of `condense` and `changes`."""
OPENINGS: Mapping[str, str] = {
    "round_begun": "Round {round}, {years} ST: {title}",
    "turn_begun": "{nation:folk}",
    "asked.round": "The round ends",
}
"""The lines that begin a paragraph of the history, with its heading."""
