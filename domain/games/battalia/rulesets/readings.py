"""Readings of ambiguous clauses: a name for each, and words for the alternatives.

A reading is a `Ruling` whose value is one of its words. Its rule calls `Rules.reads` in one place. A ruleset that reads
the clause differently names another word (`amended(…, readings={…})`). Nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping

from domain.games.battalia.rulesets.rules import house, sourced
from domain.kernel.rulings import Ruling

EVERY_EVENT, WHOLE_BATTLES = "after every event", "after a battle as a whole"
BY_ROAD, OR_REFOUNDING = "by road", "by road or by refounding"
WALKS_ON, STOPS = "walks on", "walks no further"
NO_UNIT, ITS_COPY = "is no unit", "is as Unbound as what it copies"
ALWAYS, WITH_STORMGATES = "always", "with Stormgates"
EVERY_WEEK, WHEN_IT_GROWS = "every week", "when it grows"
ASKED, GIVEN = "asked for", "given unasked"
BY_LOT, LOWEST = "by lot", "the lowest numbered"
START_FIRST, FIRST_SQUARE = "the starting city first", "the first in the order of squares"

FIRST: Mapping[str, Ruling] = {
    "endings_looked_at": house("END-05", EVERY_EVENT),
    "square_left": house("END-01", BY_ROAD),
    "after_meeting": house("BUF-09", WALKS_ON),
    "scroll_under_buff": house("BUF-16, ART-05", NO_UNIT),
    "harder_defence": house("GATE-03, BAT-11", ALWAYS),
    "horde_announced": sourced("BUF-05", EVERY_WEEK),
    "only_answer": house("DAY-08", ASKED),
    "silent_victim": house("DAY-08, BUF-08", BY_LOT),
    "silent_return": house("DAY-08, BAT-13", START_FIRST),
}
"""All readings, with the words for `creation_v1`."""
