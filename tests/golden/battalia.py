"""Standing orders of Battalia, which no recording contains: each kind and variant once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_LINE = {"most": 12, "spare": [], "ambush": "if_needed"}
_GIVEN: Sequence[Mapping[str, Any]] = (
    {"type": "set_defence", "place": 1, "how": "nothing", "number": 0, **_LINE},
    {"type": "set_defence", "place": 2, "how": "all", "number": 0, **_LINE, "most": 1, "ambush": "never"},
    {"type": "set_defence", "place": 1, "how": "reach", "number": 7, **_LINE, "spare": ["frimen", "priest", "sword"]},
    {"type": "set_defence", "place": 3, "how": "win", "number": 2, **_LINE, "ambush": "always"},
    {"type": "set_flight", "first": ["own", "C3", "any"]},
    {"type": "set_return", "first": ["home", "G1", "any"]},
    {"type": "set_spoils", "first": ["great-crown", "great-book", "any"]},
    {"type": "set_wish", "first": ["priest-islanders"]},
    {"type": "set_discard", "first": ["supply", "tool"]},
    {"type": "set_bet", "place": 1, "how": "nothing", "number": 0, "spare": []},
    {"type": "set_bet", "place": 1, "how": "all", "number": 0, "spare": ["lord"]},
    {"type": "set_bet", "place": 1, "how": "exactly", "number": 6, "spare": []},
    {"type": "set_bet", "place": 2, "how": "at_most", "number": 4, "spare": ["weapon"]},
    {"type": "set_entrance", "first": ["G5", "any"]},
    {"type": "set_victim", "first": [2, 1]},
    {"type": "set_stir", "how": "leave"},
    {"type": "set_raid", "place": 1, "how": "bribe", "number": 0, **_LINE, "most": 3},
    {"type": "set_raid", "place": 2, "how": "hire", "number": 0, **_LINE, "spare": ["lord"]},
    {"type": "set_raid", "place": 3, "how": "nothing", "number": 0, **_LINE},
    {"type": "set_raid", "place": 3, "how": "all", "number": 0, **_LINE},
    {"type": "set_raid", "place": 3, "how": "reach", "number": 9, **_LINE},
    {"type": "set_raid", "place": 3, "how": "win", "number": 1, **_LINE},
    {"type": "set_of_a_later_release"},
)

ORDERS: Sequence[Mapping[str, Any]] = (
    *({"type": "order_given", "seat": 1, "order": order} for order in _GIVEN),
    *(
        {"type": "order_withdrawn", "seat": 1, "order": order, "place": 1}
        for order in dict.fromkeys(str(given["type"]) for given in _GIVEN)
    ),
    {"type": "order_followed", "seat": 1, "kind": "defend"},
)
