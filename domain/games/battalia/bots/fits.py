"""Fitted weights of position features for the bots of Battalia: the Creation.

``oraclewheel simulate --fit`` writes this file; do not edit it. Each fit names its command, the number of games and
states, and the release. ``doubt`` is its mean log loss in nats; ``doubt_by_the_mean`` is that of a constant guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# fmt: off
FITS: Mapping[str, Mapping[str, Any]] = {
    "artefacts cities duel great hand heroes near points points_keys ranks strong top": {
        "command": "oraclewheel simulate --games 200 --seats 2 --modules keeper --bots greedy --seed fit --fit domain/games/battalia/bots/fits.py",
        "games": 200,
        "bots": [
            "greedy",
            "greedy"
        ],
        "seed": "fit",
        "modules": [
            "keeper"
        ],
        "release": "0.3.0",
        "states": 18264,
        "doubt": 0.5475,
        "doubt_by_the_mean": 0.6931,
        "weights": {
            "artefacts": 1.0023,
            "cities": 0.4283,
            "duel": 0.0,
            "great": -0.2435,
            "hand": 0.0645,
            "heroes": 0.1245,
            "near": -0.0862,
            "points": 0.2857,
            "points_keys": 2.7446,
            "ranks": 0.384,
            "strong": 2.1702,
            "top": 1.0529
        }
    },
    "artefacts cities duel great hand heroes near points points_late ranks strong top": {
        "command": "oraclewheel simulate --games 300 --seats 2 --bots greedy --seed fit --fit domain/games/battalia/bots/fits.py",
        "games": 300,
        "bots": [
            "greedy",
            "greedy"
        ],
        "seed": "fit",
        "modules": [],
        "release": "0.2.0",
        "states": 24416,
        "doubt": 0.518,
        "doubt_by_the_mean": 0.6931,
        "weights": {
            "artefacts": -1.9693,
            "cities": 0.4288,
            "duel": -0.0,
            "great": -0.7985,
            "hand": 0.0966,
            "heroes": -0.1779,
            "near": 0.0353,
            "points": 0.009,
            "points_late": 3.4304,
            "ranks": 3.0149,
            "strong": -1.1799,
            "top": 0.2178
        }
    },
    "artefacts cities great hand heroes keys keys_cities near one points points_late ranks strong top": {
        "command": "oraclewheel simulate --games 120 --seats 4 --modules keeper --bots greedy --seed fit --fit domain/games/battalia/bots/fits.py",
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
        "release": "0.2.0",
        "states": 41500,
        "doubt": 0.4893,
        "doubt_by_the_mean": 0.5623,
        "weights": {
            "artefacts": -0.0341,
            "cities": -0.6416,
            "great": -0.2949,
            "hand": 0.0006,
            "heroes": -0.5621,
            "keys": 0.8012,
            "keys_cities": 1.424,
            "near": 0.2015,
            "one": -0.6007,
            "points": 1.2064,
            "points_late": 0.3585,
            "ranks": 1.0581,
            "strong": 0.3758,
            "top": -0.2051
        }
    },
    "artefacts cities great hand heroes near one points points_late ranks strong top": {
        "command": "oraclewheel simulate --games 240 --seats 4 --bots greedy --seed fit --fit domain/games/battalia/bots/fits.py",
        "games": 240,
        "bots": [
            "greedy",
            "greedy",
            "greedy",
            "greedy"
        ],
        "seed": "fit",
        "modules": [],
        "release": "0.2.0",
        "states": 57352,
        "doubt": 0.4694,
        "doubt_by_the_mean": 0.5623,
        "weights": {
            "artefacts": -0.2757,
            "cities": 0.1109,
            "great": -0.2409,
            "hand": 0.1714,
            "heroes": -0.1322,
            "near": 0.0492,
            "one": -0.5492,
            "points": 0.6382,
            "points_late": 2.892,
            "ranks": 2.5947,
            "strong": -0.9267,
            "top": 0.2351
        }
    }
}
