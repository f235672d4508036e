"""Fitted weights of position features for the bots of History of Fronela.

``oraclewheel simulate --fit`` writes this file; do not edit it. Each fit names its command, the number of games and
states, and the release. ``doubt`` is its mean log loss in nats; ``doubt_by_the_mean`` is that of a constant guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# fmt: off
FITS: Mapping[str, Mapping[str, Any]] = {
    "odds": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "bots": [
            "greedy",
            "greedy",
            "greedy",
            "greedy"
        ],
        "seed": "fit",
        "modules": [],
        "release": "0.3.0",
        "states": 83760,
        "doubt": 0.3337,
        "doubt_by_the_mean": 0.5623,
        "weights": {
            "odds": 0.9921
        }
    }
}

OUTLOOKS: Mapping[str, Mapping[str, Any]] = {
    "1": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 766,
        "astray": 14.98,
        "spread": 11.75,
        "weights": { "areas": -0.432, "azure": 59.999, "black": 61.009, "brown": 71.008, "dice": 3.139, "grey": 60.611, "held": 0.051, "threatened": 0.15 }
    },
    "2": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1014,
        "astray": 14.86,
        "spread": 9.25,
        "weights": { "areas": -2.11, "azure": 63.077, "black": 63.244, "brown": 70.92, "dice": 1.878, "grey": 65.325, "held": 1.268, "threatened": -0.197 }
    },
    "3": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1235,
        "astray": 14.45,
        "spread": 11.0,
        "weights": { "areas": -1.143, "azure": 50.053, "black": 52.081, "brown": 56.546, "dice": 1.16, "grey": 52.219, "held": 2.219, "threatened": -0.596 }
    },
    "4": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1674,
        "astray": 13.32,
        "spread": 8.25,
        "weights": { "areas": 0.124, "azure": 26.248, "black": 23.24, "brown": 42.046, "dice": 0.84, "grey": 36.524, "held": 1.972, "threatened": -0.572 }
    },
    "5": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1385,
        "astray": 12.41,
        "spread": 9.0,
        "weights": { "areas": -0.04, "azure": 21.02, "black": 15.52, "brown": 34.113, "dice": 0.964, "grey": 32.169, "held": 2.473, "threatened": -0.83 }
    },
    "6": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1493,
        "astray": 11.03,
        "spread": 8.25,
        "weights": { "areas": 0.736, "azure": 14.708, "black": 8.718, "brown": 26.343, "dice": 1.067, "grey": 23.097, "held": 1.223, "threatened": -0.641 }
    },
    "7": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1415,
        "astray": 10.58,
        "spread": 7.75,
        "weights": { "areas": 0.1, "azure": 14.38, "black": 12.902, "brown": 28.348, "dice": 1.199, "grey": 27.205, "held": 1.28, "threatened": -0.588 }
    },
    "8": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1510,
        "astray": 9.63,
        "spread": 7.5,
        "weights": { "areas": 0.475, "azure": 14.738, "black": 9.969, "brown": 28.247, "dice": 0.833, "grey": 19.727, "held": 1.65, "threatened": -0.671 }
    },
    "9": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1234,
        "astray": 8.46,
        "spread": 7.0,
        "weights": { "areas": 0.761, "azure": 12.885, "black": 8.612, "brown": 27.123, "dice": 0.524, "grey": 16.665, "held": 0.845, "threatened": -0.396 }
    },
    "10": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1212,
        "astray": 8.03,
        "spread": 6.25,
        "weights": { "areas": 0.992, "azure": 12.418, "black": 5.841, "brown": 24.756, "dice": 0.389, "grey": 13.016, "held": 1.079, "threatened": -0.612 }
    },
    "11": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1344,
        "astray": 7.47,
        "spread": 6.75,
        "weights": { "areas": 0.527, "azure": 13.362, "black": 7.446, "brown": 23.439, "dice": 0.413, "grey": 13.862, "held": 1.285, "threatened": -0.447 }
    },
    "12": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1172,
        "astray": 6.03,
        "spread": 5.75,
        "weights": { "areas": 0.991, "azure": 10.17, "black": 3.956, "brown": 11.677, "dice": 0.201, "grey": 8.855, "held": 0.594, "threatened": -0.352 }
    },
    "13": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1185,
        "astray": 5.55,
        "spread": 5.0,
        "weights": { "areas": 0.673, "azure": 8.539, "black": 2.695, "brown": 12.121, "dice": 0.389, "grey": 7.34, "held": 0.692, "threatened": -0.446 }
    },
    "14": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1248,
        "astray": 4.85,
        "spread": 4.5,
        "weights": { "areas": 0.428, "azure": 7.718, "black": 2.615, "brown": 10.376, "dice": 0.317, "grey": 6.853, "held": 0.99, "threatened": -0.337 }
    },
    "15": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1176,
        "astray": 3.97,
        "spread": 3.25,
        "weights": { "areas": 0.512, "azure": 4.592, "black": 2.627, "brown": 8.793, "dice": 0.198, "grey": 5.285, "held": 1.093, "threatened": -0.108 }
    },
    "16": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 418,
        "astray": 2.81,
        "spread": 2.25,
        "weights": { "areas": 0.36, "azure": 3.274, "black": 3.131, "brown": 9.38, "dice": 0.092, "grey": 2.588, "held": 0.322, "threatened": 0.004 }
    },
    "17": {
        "command": "oraclewheel simulate --kind fronela --games 120 --bots greedy --seed fit --fit domain/games/fronela/bots/fits.py",
        "games": 120,
        "release": "0.3.0",
        "states": 1459,
        "astray": 2.56,
        "spread": 2.0,
        "weights": { "areas": 0.162, "azure": 2.463, "black": 2.532, "brown": 6.059, "dice": 0.033, "grey": 1.882, "held": 0.568, "threatened": -0.023 }
    }
}
"""Fitted values by round: ``weights`` predict the points that a seat still gets.

``astray`` is the root mean square error of these predictions in the same games. ``spread`` is the number of points that
multiplies the odds of winning by e.
"""
