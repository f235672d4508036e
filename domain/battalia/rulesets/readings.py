"""How clauses are read that have been read in more than one way: for each, by a name, the words that stand for the ways.

A reading is a `Ruling` whose value is one of its words. The rule that it belongs to asks `Rules.reads` in one place; a ruleset
that reads the clause anew names the reading with another word (`amended(…, readings={…})`), and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from domain.rulings import Ruling

FIRST: Mapping[str, Ruling] = {}
"""Every reading there is, with the word for how `creation_v1` reads it."""
