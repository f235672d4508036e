"""How much each feature of a seat tells of its chances in History of Fronela: written by ``oraclewheel simulate --fit``, never by hand.

Each fit says by which command it was made, of how many games and states, by which release, and what doubt (mean log loss, in
nats) it leaves, beside that of somebody who knows nothing of a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# fmt: off
FITS: Mapping[str, Mapping[str, Any]] = {
    "dice dice_late income income_to_come lead lead_late one": {
        "command": "oraclewheel simulate --kind fronela --games 100 --bots greedy --seed fit --fit domain/fronela/bots/fits.py",
        "games": 100,
        "bots": [
            "greedy",
            "greedy",
            "greedy",
            "greedy"
        ],
        "seed": "fit",
        "modules": [],
        "release": "0.1.0",
        "states": 70036,
        "doubt": 0.401,
        "doubt_by_the_mean": 0.5623,
        "weights": {
            "dice": 3.3567,
            "dice_late": -1.3289,
            "income": 2.153,
            "income_to_come": -1.4609,
            "lead": -0.7363,
            "lead_late": 4.7578,
            "one": -0.447
        }
    }
}
