"""The second ruleset: the first one with the readings of the amended docs/rules/battalia.md."""

from __future__ import annotations

from collections.abc import Mapping

from domain.games.battalia.rulesets import readings as read
from domain.games.battalia.rulesets.creation_v1 import CREATION_V1
from domain.games.battalia.rulesets.rules import amended, house, sourced
from domain.kernel.rulings import Ruling

READINGS: Mapping[str, Ruling] = {
    "endings_looked_at": house("END-05", read.WHOLE_BATTLES),
    "square_left": house("END-01", read.OR_REFOUNDING),
    "after_meeting": sourced("BUF-09", read.STOPS),
    "scroll_under_buff": house("BUF-16, ART-05", read.ITS_COPY),
    "harder_defence": sourced("GATE-03, BAT-11", read.WITH_STORMGATES),
    "horde_announced": sourced("BUF-05", read.WHEN_IT_GROWS),
    "only_answer": house("DAY-08", read.GIVEN),
    "silent_victim": house("DAY-08, BUF-08", read.LOWEST),
    "silent_return": house("DAY-08, BAT-13", read.FIRST_SQUARE),
}
"""The readings that differ."""

CREATION_V2 = amended(
    CREATION_V1,
    "creation_v2",
    READINGS,
    keeper_strength=house("KEE-05", 8),
    keeper_max_weeks=house("END-04, KEE-06", 12),
    armamentum_stock=sourced("ARM-02", 6),
)
