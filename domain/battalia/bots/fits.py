"""How much each feature of a seat tells of its chances in Battalia: the Creation: written by ``oraclewheel simulate --fit``, never by hand.

Each fit says by which command it was made, of how many games and states, by which release, and what doubt (mean log loss, in
nats) it leaves, beside that of somebody who knows nothing of a state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# fmt: off
FITS: Mapping[str, Mapping[str, Any]] = {
    "cities great hand heroes keys one points points_late ranks top": {
        "command": "oraclewheel simulate --games 120 --seats 4 --modules keeper --bots greedy --seed fit --fit domain/battalia/bots/fits.py",
        "games": 120,
        "bots": [
            "greedy",
            "greedy",
            "greedy",
            "greedy"
        ],
        "seed": "fit",
        "modules": [
            "keeper"
        ],
        "release": "0.1.0",
        "states": 41500,
        "doubt": 0.4981,
        "doubt_by_the_mean": 0.5623,
        "weights": {
            "cities": -0.5874,
            "great": -0.3138,
            "hand": 0.0043,
            "heroes": -0.2669,
            "keys": 1.432,
            "one": -0.6937,
            "points": 0.9858,
            "points_late": 0.4826,
            "ranks": 1.226,
            "top": -0.0613
        }
    },
    "cities great hand heroes one points points_late ranks top": {
        "command": "oraclewheel simulate --games 240 --seats 4 --bots greedy --seed fit --fit domain/battalia/bots/fits.py",
        "games": 240,
        "bots": [
            "greedy",
            "greedy",
            "greedy",
            "greedy"
        ],
        "seed": "fit",
        "modules": [],
        "release": "0.1.0",
        "states": 57352,
        "doubt": 0.4701,
        "doubt_by_the_mean": 0.5623,
        "weights": {
            "cities": 0.0409,
            "great": -0.1788,
            "hand": 0.1727,
            "heroes": -0.0694,
            "one": -0.5282,
            "points": 0.7781,
            "points_late": 2.7619,
            "ranks": 1.9208,
            "top": 0.1111
        }
    }
}
