"""The line of an export that proves which of the game's heads are in the public log."""

from __future__ import annotations

from collections.abc import Sequence

from domain.kernel.terms import GameId
from service.audit.lines import LogLine
from service.store.redis.side_data.transparency_log import TransparencyLog
from service.store.transparency.leaves import name_of
from service.store.transparency.notes import checkpoint_in, note_in
from service.store.transparency.proofs import proof
from service.store.transparency.tiles import TiledTree

MAX_HEADS = 64
"""Maximum number of heads proved in one file.

If more heads were logged, this many of them at equal distances, including the first and the last.
"""


def build_log_line(ledger: TransparencyLog, game_id: GameId, last: int, kept: int = 0) -> LogLine | None:
    """The proof for the heads of a game up to a seq. None if no head was logged.

    ``kept`` is the size of a checkpoint that the reader has. The proof then also covers that checkpoint, and includes
    the newest head of the game below it.
    """
    size, written = ledger.checkpoint()
    logged = [(place, seq) for place, seq in ledger.of(name_of(game_id)) if seq <= last and place < size]
    if not logged:
        return None
    leaves = set(_select_evenly(logged))
    leaves.update([leaf for leaf in logged if leaf[0] < kept][-1:])
    newest = logged[-1][0]
    sized = [(checkpoint_in(note_in(note)).size, note.decode()) for note in ledger.days().values()]
    earlier = [min((each for each in sized if newest < each[0] < size), default=(0, ""))]
    sizes = [size, *(each for each, _ in earlier), *([kept] if kept <= size else [])]
    nodes = proof(
        [each for each in sizes if each], [place for place, _ in leaves], TiledTree(size, ledger.read_tile).node
    )
    return LogLine(
        written.decode(),
        tuple(note for _, note in earlier if note),
        tuple(sorted(leaves)),
        tuple((level, place, hash_.hex()) for (level, place), hash_ in sorted(nodes.items())),
    )


def _select_evenly(logged: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    if len(logged) <= MAX_HEADS:
        return list(logged)
    return [logged[at * (len(logged) - 1) // (MAX_HEADS - 1)] for at in range(MAX_HEADS)]
