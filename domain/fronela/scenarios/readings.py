"""How clauses are read that have been read in more than one way: for each, by a name, the words that stand for the ways.

A reading is a `Ruling` whose value is one of its words. The rule that it belongs to asks `Scenario.reads` in one place; a
scenario that reads the clause anew names the reading with another word in its ``READINGS``, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from domain.rulings import Ruling

FIRST: Mapping[str, Ruling] = {
    # Whether the order "declines" of an owner, or the rules, let others than Malkioni refuse a growth that succeeded.
    "growth_declined": Ruling("by-malkioni", "FRO-D54", "L"),  # or by-everybody
    # What is joined when the attacker names a battle and those who should fight it are just being lost: farmers alone.
    "battle_joined": Ruling("once-named", "FRO-D06", "P"),  # or while-both-stand
    # Which area the question for the next battle names: the last one, or that only as long as there is a battle.
    "battle_asked": Ruling("of-the-last", "FRO-10", "P"),  # or of-those-that-stand
    # Which standing orders count when silence answers a question that stands already.
    "orders_in_silence": Ruling("refuges-alone", "FRO-D55", "P"),  # or all
    # Where `auto` and `done` answer for all that is left: only at questions that take several commands, or at every one.
    "auto_and_done": Ruling("where-several", "FRO-D57", "P"),  # or everywhere
    # What happens to a question with one answer.
    "only_answer": Ruling("asked", "FRO-D58", "P"),  # or taken
    # What units are called in commands: "tracks", their kind with where they came from and the steps they have left, or
    # "kinds", their kind alone, which stays the same for a whole turn.
    "unit_names": Ruling("tracks", "FRO-D56", "P"),
    "telling": Ruling("spare", "FRO-D60", "P"),  # whether events also carry what only their telling needs
}
"""Every reading there is, with the word for how `fronela_v1` reads it."""
