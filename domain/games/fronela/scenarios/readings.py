"""Readings of ambiguous clauses: a name for each, and words for the alternatives.

A reading is a `Ruling` whose value is one of its words. Its rule calls `Scenario.reads` in one place. A scenario that
reads the clause differently names another word in its ``READINGS``. Nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from domain.kernel.rulings import Ruling

FIRST: Mapping[str, Ruling] = {
    # Whether nations other than Malkioni can decline successful growth, by their owner's order or choice.
    "growth_declined": Ruling("by-malkioni", "FRO-D54", "L"),  # or `by-everybody`
    # Whether a named battle is joined if its participants are lost before it (lone farmers).
    "battle_joined": Ruling("once-named", "FRO-D06", "P"),  # or `while-both-stand`
    # The area in the question for the next battle: always the last one, or only while its battle continues.
    "battle_asked": Ruling("of-the-last", "FRO-10", "P"),  # or `of-those-that-stand`
    # The standing orders that apply on a timeout of a question that is already pending.
    "orders_in_silence": Ruling("refuges-alone", "FRO-D55", "P"),  # or `all`
    # The questions at which `auto` and `done` answer the rest: those with several commands, or all.
    "auto_and_done": Ruling("where-several", "FRO-D57", "P"),  # or `everywhere`
    # How a question with a single answer is handled.
    "only_answer": Ruling("asked", "FRO-D58", "P"),  # or `taken`
    # Unit names in commands: `tracks` is the kind with origin and remaining steps; `kinds` is the kind alone, which
    # does not change during a turn.
    "unit_names": Ruling("tracks", "FRO-D56", "P"),
    "telling": Ruling("spare", "FRO-D60", "P"),  # whether events also have fields that only their narration needs
}
"""All readings, with the words for `fronela_v1`."""
