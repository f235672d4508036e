"""What is said of each event, of what a seat is to answer, and of what a paragraph or a return makes of several events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from domain.fronela.episodes import EPISODES

Sentences = Mapping[str, str | Sequence[str]]

ASKS: Mapping[str, str] = {
    "attack_wizards": "Say what the wizards of {nation:folk} do in the attack on {area:place}.",
    "attacker_losses": "Say who of {nation:folk} falls in {area:place}.",
    "battle": "Say which battle of {nation:folk} comes next, or who leaves one.",
    "blinding_eye": "Say whom of {nation:folk} the Blinding Eye takes in {area:place}.",
    "defence_wizards": "Say what the wizards of {nation:folk} do in the defence of {area:place}.",
    "defender_losses": "Say who of {nation:folk} falls in {area:place}.",
    "eleven_beasts": "Say where one more unit of {nation:folk} comes.",
    "growth": "Say what grows for {nation:folk}, and where.",
    "harrek_ride": "Say where Harrek the Berserk rides from {area:place}.",
    "hrestol": "Say where Hrestol goes from {area:place} with {nation:folk}.",
    "jonat": "Say in which battle of {nation:folk} Jonat Bigbear fights.",
    "landing": "Say where the fleet of {nation:folk} lands.",
    "move": "Move {nation:folk}.",
    "retreat": "Say whether to retreat with {nation:folk} from {area:place}.",
    "rout": "Say where to go with {nation:folk}, who must leave {area:place}.",
    "siglat": "Say where the soldiers of Prince Siglat gather.",
    "special_retreat": "Say whether to slip away with {nation:folk} from {area:place} before the first roll.",
    "talor": "Say in which battle of {nation:folk} Talor fights.",
}
"""What a seat is to answer, for every kind of question but the round's end, which no player is asked."""

_TURNS: Sentences = {
    "history_begun": "The history of Fronela begins.",
    "round_begun": "Round {round} begins, the years {years} ST: {title}.",
    "round_ended": "Round {round} is over.",
    "round_ended.last": "Round {round} is over, and with it the history of Fronela.",
    "order_changed": "The order of turns: {order:folks}.",
    "order_changed.usual": "The nations take their turns in the usual order.",
    "order_changed.front": "First in this round: {front:folks}; then all others in the usual order.",
    "order_changed.next": "Next {next_n:comes|come} {next:folk}[, before {then:folk}].",
    "turn_begun": "It is the turn of {nation:folk}.",
    "asked": "{seat:seat} is to answer.",
    "asked.round": "All have had their turns.",
    **{f"asked.{kind}": f"{{seat:seat}} is to {text[0].lower()}{text[1:]}" for kind, text in ASKS.items()},
}
_UNITS: Sentences = {
    "growth_rolled": "{nation:folk} {nation_n:rolls|roll} for growth in {area:place}: {roll:roll}, too little.",
    "growth_rolled.grows": "{nation:folk} {nation_n:rolls|roll} for growth in {area:place}: {roll:roll}, enough.",
    "growth_lost": "The growth of {nation:folk} in {area:place} comes to nothing.",
    "growth_lost.declined": "{nation:folk} {nation_n:leaves|leave} the growth in {area:place} be.",
    "growth_lost.no_counter": "No counter is left that could grow for {nation:folk} in {area:place}.",
    "units_placed": "{nation:folk} {nation_n:gains|gain} {units:units} in {area:place}.",
    "units_placed.growth": "Growth brings {nation:folk} {units:units} in {area:place}.",
    "units_placed.arrival": "{them:them} {units:arrives|arrive} in {area:place}.",
    "units_readied": "{nation:folk} {nation_n:makes|make} ready to move.",
    "units_readied.none": "Nobody of {nation:folk} can move.",
    "units_marched": "{them:them} {units:goes|go} from {area:place} to {to:place}.",
    "units_marched.ferried": "{them:them} {units:crosses|cross} from {area:place} to {to:place} by boat.",
    "units_marched.landed": "{them:them} {units:goes|go} ashore in {to:place}.",
    "moves_ended": "The moves of {nation:folk} are over.",
}
_BATTLES: Sentences = {
    "battle_joined": "{attacker:folk} {attacker_n:attacks|attack} {defender:folk} in {area:place}[, {forces:forces}].",
    "battle_joined.further": (
        "The battle in {area:place} goes on, round {number}: {attacker:folk} against {defender:folk}[, {forces:forces}]."
    ),
    "die_bent": "A wizard of {nation:folk} takes {much} off die {die} of the {side:side} in {area:place}.",
    "die_bent.stronger": "A wizard of {nation:folk} adds {much} to die {die} of the {side:side} in {area:place}.",
    "battle_rolled": (
        "In {area:place} {attacker:folk} {attacker_n:throws|throw} {attack:dice}, {defender:folk} {defence:dice}: "
        "{toll:toll}[ ({help:help})]."
    ),
    "units_lost": "{nation:folk} {nation_n:loses|lose} {units:units} in {area:place}.",
    "units_lost.fallen": "{nation:folk} falls in {area:place} to {by:folk}.",
    "units_lost.battle": "{nation:folk} {nation_n:loses|lose} {units:units} in {area:place} to {by:folk}.",
    "units_lost.farmers": ("{by:folk} {by_n:kills|kill} {units:units} of {nation:folk}, left alone in {area:place}."),
    "units_lost.no-retreat": "{them:them} {units:finds|find} no way out of {area:place} and {units:is|are} lost.",
    "units_lost.overpopulation": "{area:place} cannot feed them all: {nation:folk} {nation_n:loses|lose} {units:units}.",
    "units_lost.crowded": (
        "{area:place} has room for {room} of their kind: {nation:folk} {nation_n:loses|lose} {units:units}."
    ),
    "units_lost.bare": "Nothing of their kind can stay in {area:place}: {nation:folk} {nation_n:loses|lose} {units:units}.",
    "hits_spent": "No more of the hits on {nation:folk} in {area:place} count.",
    "hits_spent.person": "{nation:folk} loses nothing in {area:place}: hits only drive a person back.",
    "hits_spent.tough": "{hits} {hits:hit is|hits are} too little to fell {nation:folk}.",
    "hits_spent.beyond": "{hits} {hits:hit finds|hits find} nobody of {nation:folk} left in {area:place}.",
    "farmers_taken": "{by:folk} {by_n:takes|take} over {taken:units} of {nation:folk} in {area:place}.",
    "farmers_taken.some": (
        "{by:folk} {by_n:takes|take} over {taken:units} of {nation:folk} in {area:place}; "
        "there are counters for {joined} of them."
    ),
    "units_retreated": "{them:them} {units:retreats|retreat} from {area:place} to {to:place}.",
    "units_retreated.special": (
        "Before the first roll {them:them} {units:slips|slip} away from {area:place} to {to:place}."
    ),
    "units_retreated.forced": "{them:them} must go from {area:place} back to {to:place}.",
    "fighting_ended": "No battle is left in the turn of {nation:folk}.",
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
        "{nation:folk} {nation_n:scores|score} {points} {points:point|points} {reason:reason}, in {area:place}."
    ),
    "points_scored.area": (
        "{nation:folk} {nation_n:scores|score} {points} {points:point|points} for holding {area:place}."
    ),
    "stance_set": "{nation:folk} {nation_n:has|have} orders {stance:stance}.",
    "refuges_set": "{nation:folk} {nation_n:has|have} orders to retreat [first to {areas:places}~to where it seems best].",
    "losses_set": "Orders of {nation:folk} for losses: of their own {own:losses}; of enemies {enemy:losses}.",
    "growth_set.decline": "{nation:folk} {nation_n:has|have} orders to decline growth.",
    "growth_set.grow": "{nation:folk} {nation_n:has|have} orders to grow where they can.",
    "growth_set": "{nation:folk} {nation_n:has|have} orders for growth.",
    "withdrawal_set": "{nation:folk} {nation_n:has|have} orders to be asked after each battle round of theirs.",
    "withdrawal_set.if_outnumbered": "{nation:folk} {nation_n:has|have} orders to go back from a battle once outnumbered.",
    "withdrawal_set.always": "{nation:folk} {nation_n:has|have} orders to go back after each battle round.",
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
    "crowded_told": "Lost, since there is no room: {lost:crowded}.",
    "moves_told": "{moves:moves}.",
    "stayed": "Nobody moves.",
    "battle_told": (
        "[{they}~{attacker:folk}] {attacker_n:attacks|attack} {defender:folk} in {area:place}[, {forces:forces}]"
        "[: {rounds:rounds}][; {help:help}].[ {ends:ends}.]"
    ),
    "kills_told": "{scores:deeds}.",
    "land_told": "{colour} scores {points} for land: {nations:tally}.",
    "areas_lost": "You have lost {areas:holders}.",
    "areas_won": "You have won {areas:places}.",
    "units_changed": "{nations:balance}.",
    "points_changed": "Points: {scores:standing}.",
    "rounds_passed": "It is round {round} now, {years} ST: {title}.",
}
"""What `condense` makes of a turn, and what `changes` finds."""
OPENINGS: Mapping[str, str] = {
    "round_begun": "Round {round}, {years} ST: {title}",
    "turn_begun": "{nation:folk}",
    "asked.round": "The round ends",
}
"""Where a paragraph of the history begins, and its heading."""
