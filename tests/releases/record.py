"""Record the data folder of a release, for the test that updates it: `python -m tests.releases.record TREE`.

TREE is the source tree of the release. The archive `data-RELEASE.tar.xz` holds the data folder of a stopped service with running
and finished games, and `recorded.json` with what its players saw last. Run it once for each release and commit the archive.
"""

from __future__ import annotations

import json
import re
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from domain.kernel.dice import Dice
from tests.driver import Player, Remote, play_out
from tests.workers.test_serve import Instance

HERE = Path(__file__).parent
RECORDED = "recorded.json"
GAMES = {
    "nim-over": ("nim", 2, (), {}),
    "battalia-over": ("battalia", 2, (), {"options": {"max_weeks": 1}}),
    "nim": ("nim", 2, (), {"pace": {"mode": "per_question", "hours": 720}}),
    "battalia": ("battalia", 2, ("greedy",), {"modules": ["rammoth", "armamentum"]}),
    "fronela": ("fronela", 2, ("greedy", "greedy"), {}),
}
"""Kind, seats of players, bots, and options of creation. Games whose name ends with ``over`` are finished."""
MOVES = 20
"""Moves of each running game; one for Nim."""


def archive(release: str) -> Path:
    """Return the path of the recorded data folder of a release."""
    return HERE / f"data-{release}.tar.xz"


def play(url: str) -> dict[str, Any]:
    """Play all games; return what their players see in the end."""
    site, dice = Remote(url), Dice(b"u" * 32)
    players = [Player.register(site, name) for name in ("Ash", "Birk")]
    found = {}
    for name, (kind, seats, bots, told) in GAMES.items():
        made = players[0].make_game(kind, seats + len(bots), visibility="public", **told)
        players[1].join(made["id"], made["invitation"])
        for bot in bots:
            players[0].seat_bot(made["id"], bot)
        players[0].start(made["id"])
        if name.endswith("over"):
            play_out(players, made["id"], dice)
        moves = 0 if name.endswith("over") else 1 if kind == "nim" else MOVES
        while moves > 0:
            moves -= sum(player.move(made["id"], dice, want=None) is not None for player in players)
        found[name] = made["id"]
    players[0].make_game("nim", 2)
    seen = {name: summary(players[0], game) for name, game in found.items()}
    return {"players": [[each.token, each.id, each.name] for each in players], "games": seen}


def summary(player: Player, game: str) -> dict[str, Any]:
    """Return what identifies the state of a game in every release."""
    told = player.summary(game)
    return {"id": game, **{name: told[name] for name in ("kind", "status", "seq", "head", "outcome")}}


def main(tree: Path) -> None:
    release = re.search(r'^RELEASE = "(.+)"$', (tree / "domain/__init__.py").read_text(), re.MULTILINE)
    assert release is not None
    with tempfile.TemporaryDirectory(prefix="ow-") as folder:
        instance = Instance(
            Path(folder) / "one",
            PYTHONPATH=str(tree),
            ORACLEWHEEL_PARTITIONS="256",  # the default of release 0.3.0 is 64
            ORACLEWHEEL_RATE_REGISTRATIONS="0",
            ORACLEWHEEL_RATE_REQUESTS="0",
        )
        try:
            instance.start()
            recorded = play(instance.url)
        finally:
            status = instance.stop()
        assert status == 0, instance.told()
        data = Path(instance.environ["ORACLEWHEEL_DATA"])
        (data / RECORDED).write_text(json.dumps(recorded, indent=1))
        with tarfile.open(archive(release[1]), "w:xz") as packed:
            for file in sorted(data.rglob("*")):
                if file.is_file() and file.suffix != ".log":
                    packed.add(file, file.relative_to(data).as_posix())
    print(archive(release[1]), archive(release[1]).stat().st_size, "bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
