"""Players' commands settled over HTTP, compared to moves in boardgame.io with each of its storages.

Both play the same number of games at once on the same cores, one after the other. boardgame.io runs a small game: a
move marks one of nine cells, and the whole state goes to both players over their WebSockets. It runs in memory, with
its FlatFile storage (files, no fsync), and with bgio-postgres on PostgreSQL (each commit on disk). We write a signed
log to disk (AOF always): one command a request is the end of a turn of Battalia, after which hands are drawn, and each
second time SYSTEM ends the day, a commit that is not counted. In lists of eight a player of Fronela moves three units
out and back, eight steps a request; its peer is boardgame.io in memory with eight moves of each player in a row. It has
no lists, so one move is in flight in each game there too.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.kept import kept
from bench.load.closed_loop import Done, closed_loop
from bench.load.instance import Instance
from bench.load.marching import EACH, Marching, opened
from bench.load.raw import Connection
from bench.load.sparring import Sparring, register
from bench.measure import Row, Sample
from bench.peers.boardgame_io import NotHere, Peer, Played, Postgres, set_up

GAMES, SECONDS = 24, 4.0
PILE, OPENERS = 320, 8
"""Games of Fronela that are prepared, six lists each; a client that has finished one takes the next."""
ONE = Row(
    "player commands settled over HTTP, one a request, against boardgame.io in memory", 0.4, "times", at_least=True
)
FILES = Row(
    "player commands settled over HTTP, one a request, against boardgame.io with files", 1.3, "times", at_least=True
)
POSTGRES = Row(
    "player commands settled over HTTP, one a request, against boardgame.io with PostgreSQL",
    2.0,
    "times",
    at_least=True,
)
LISTS = Row("player commands settled over HTTP, lists of eight, against boardgame.io", 1.0, "times", at_least=True)


def measure() -> Iterator[Sample]:
    try:
        folder = set_up()
    except NotHere as reason:
        yield from (row.absent(str(reason)) for row in (ONE, FILES, POSTGRES, LISTS))
        return
    pile = kept("pile", _opened)
    with Instance(pile / "data") as instance, Peer(folder) as peer:
        sparring = [Sparring(instance.address, number) for number in range(GAMES)]
        ours = closed_loop(sparring, SECONDS)
        yield _compared(ONE, ours, peer.play(1, GAMES, SECONDS))
        yield _compared(FILES, ours, _with_files(folder))
        try:
            yield _compared(POSTGRES, ours, _with_postgres(folder))
        except NotHere as reason:
            yield POSTGRES.absent(str(reason))
        yield _compared(LISTS, closed_loop(_marching(instance, pile), SECONDS), peer.play(EACH, GAMES, SECONDS))


def _with_files(folder: Path) -> Played:
    with TemporaryDirectory() as stored, Peer(folder, f"files:{stored}") as peer:
        return peer.play(1, GAMES, SECONDS)


def _with_postgres(folder: Path) -> Played:
    with Postgres() as database, Peer(folder, database.url, others=database.core_seconds) as peer:
        return peer.play(1, GAMES, SECONDS)


def _opened(folder: Path) -> None:
    with Instance() as instance:
        token = register(Connection(*instance.address), "Marshal")
        with ThreadPoolExecutor(OPENERS) as openers:
            games = list(openers.map(lambda _: opened(Connection(*instance.address), token), range(PILE)))
        instance.stop()
        shutil.copytree(instance.folder / "data", folder / "data")
    (folder / "games.json").write_text(json.dumps({"token": token, "games": games}), encoding="utf-8")


def _marching(instance: Instance, pile: Path) -> list[Marching]:
    made = json.loads((pile / "games.json").read_text(encoding="utf-8"))
    games = iter(made["games"])
    return [Marching(Connection(*instance.address), made["token"], games) for _ in range(GAMES)]


def _compared(row: Row, ours: Done, theirs: Played) -> Sample:
    detail = (
        f"{ours.rate:,.0f}/s against {theirs.rate:,.0f}/s; of a core, our players took {_share(ours.own, ours.seconds)},"
        f" theirs {_share(theirs.own, theirs.seconds)}, their server {1000 * theirs.served / theirs.moves:.2f} ms a move"
    )
    return row.got(ours.rate / theirs.rate, detail)


def _share(own: float, seconds: float) -> str:
    return f"{100 * own / seconds:.0f} %"
