"""How clauses are read that have been read in more than one way: for each, by a name, the words that stand for the ways.

A reading is a `Ruling` whose value is one of its words. The rule that it belongs to asks `Scenario.reads` in one place; a
scenario that reads the clause anew names the reading with another word in its ``READINGS``, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from domain.rulings import Ruling

FIRST: Mapping[str, Ruling] = {
    # What units are called in commands: "tracks", their kind with where they came from and the steps they have left, or
    # "kinds", their kind alone, which stays the same for a whole turn.
    "unit_names": Ruling("tracks", "FRO-D56", "P"),
}
"""Every reading there is, with the word for how `fronela_v1` reads it."""
