"""Analyses as they are kept beside the games: piece by piece while they are made, then whole, and for a while only.

Nothing of an account is in them: seats are numbers, and nobody is named. What is gone can be made again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from domain import RELEASE
from domain.terms import GameId
from service.projections.positions.analysis.looking import Found
from service.store.ports.beside import NO_GAME
from service.store.redis.beside.notes import Notes

LASTS = 30 * 86_400_000
"""Milliseconds for which an analysis is kept."""
MOST = 500
"""Analyses that are kept; for one more the oldest goes."""
AGAIN = 3_600_000
"""Milliseconds after which one that failed may be asked for again: what kills whoever looks at it is not to do so all the time."""
LARGEST = 2_000_000
"""Bytes of one, packed; what would be larger is not kept, and fails."""

_INDEX, _GOING = "analyses", "analyses under way"
_PIECES, _WHOLE, _FAILED = "piece ", "whole", "failed"
_AND = b" "
"""Between the number of moments and the packed document."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an analysis is."""

    since: int
    """When it was asked for, milliseconds of Unix time."""
    done: int
    """Moments that have been looked at."""
    whole: int | None
    """Of how many; None before anybody has begun."""
    status: str
    """``under-way``, ``done`` or ``failed``."""
    upto: int | None = None
    """The last commit that it is about; None for all of a game that was over (release 0.3.0)."""
    why: str = ""
    """Why it failed."""


class Kept:
    """One analysis: of a game, at a level."""

    def __init__(self, notes: Notes, now: Callable[[], int], game_id: GameId, level: int) -> None:
        self._notes, self._now = notes, now
        self.game_id, self.level = game_id, level
        self.name = f"{game_id} {level}"
        self._drawer = f"analysis {self.name}"

    def asked_for(self, upto: int) -> None:
        """It is to be made of the commits up to this one, unless it is kept, or being made by this release; what is too old or too much goes.

        Where there is one of fewer commits that was made by this release, what it has found is not looked for again.
        """
        if not self.is_to_be_made(upto):
            return
        entry = self._standing()
        progress = self.progress()
        if progress is None or progress.status == "failed" or entry is None or entry["release"] != RELEASE:
            self._empty(self.name)  # it stays in the index: who asks at the same instant is to find it
        index = {
            name: self._entry(note) for name, note in self._notes.all(NO_GAME, _INDEX).items() if name != self.name
        }
        lasting = sorted((entry["since"], name) for name, entry in index.items() if self._lasts(entry))
        for name in {*index} - {name for _, name in lasting[-(MOST - 1) :]}:
            self._drop(name)
        asked = {"since": self._now(), "release": RELEASE, "upto": upto}
        self._notes.put(NO_GAME, _INDEX, self.name, orjson.dumps(asked))
        self._notes.put(NO_GAME, _GOING, self.name, orjson.dumps([0, 0]))

    def is_to_be_made(self, upto: int) -> bool:
        """Whether nobody has asked for it yet, or it is done of fewer commits than these, or it failed a while ago."""
        progress = self.progress()
        if progress is None:
            return True
        if progress.status == "failed":
            return self._now() >= progress.since + AGAIN
        return progress.status == "done" and progress.upto is not None and progress.upto < upto

    @classmethod
    def under_way(cls, notes: Notes, now: Callable[[], int]) -> Iterator[Kept]:
        """Those that are to be made and are neither whole nor failed; what does not count any more is forgotten on the way."""
        for name in sorted(notes.all(NO_GAME, _GOING)):
            game_id, _, level = name.partition(" ")
            kept = cls(notes, now, GameId(game_id), int(level))
            progress = kept.progress()
            if progress is not None and progress.status == "under-way":
                yield kept
            else:
                kept._ended()

    def picked_up(self) -> int:
        """It was begun again after whoever was at it had left it; how often that was so since it last came any further."""
        done, _ = self.reached()
        note = self._notes.read(NO_GAME, _GOING, [self.name]).get(self.name)
        at, times = (0, 0) if note is None else orjson.loads(note)
        times = times + 1 if at == done else 1
        self._notes.put(NO_GAME, _GOING, self.name, orjson.dumps([done, times]))
        return times

    def progress(self) -> Progress | None:
        """How far it is; None where nobody has asked for it, or so long ago that it does not count any more."""
        entry = self._standing()
        if entry is None:
            return None
        upto, whole_of = entry.get("upto"), _whole_of(entry)
        ends = self._notes.read(NO_GAME, self._drawer, [whole_of, _FAILED])
        if entry["release"] != RELEASE and whole_of not in ends:
            return None  # another release has begun it, and would have gone on otherwise, or has failed where this one need not
        if _FAILED in ends:
            return Progress(entry["since"], 0, None, "failed", upto, ends[_FAILED].decode())
        if whole_of in ends:
            whole, document = _unpacked(ends[whole_of])
            whole = len(document()["chances"]) if whole is None else whole
            return Progress(entry["since"], whole, whole, "done", upto)
        done, whole = self.reached()
        return Progress(entry["since"], done, whole, "under-way", upto)

    def reached(self) -> tuple[int, int | None]:
        """How many moments have been looked at without a gap, and how many there are."""
        entry, pieces = self._standing(), self._pieces()
        if entry is None or not pieces:
            return 0, None
        (first, count), newest = pieces[-1]
        piece = newest()
        return first + count, piece["whole"] if piece.get("upto") == entry.get("upto") else None

    def add(self, first: int, found: Sequence[Found], whole: int, upto: int | None) -> None:
        """What was found from the moment of this place on. Whoever was first has said it: of a second piece nothing is kept."""
        piece = zlib.compress(orjson.dumps({"found": found, "whole": whole, "upto": upto}))
        self._notes.keep(NO_GAME, self._drawer, f"{_PIECES}{first}", b"%d%b%b" % (len(found), _AND, piece))

    def found(self) -> list[Found]:
        """All that has been found, in order."""
        return [each for _, piece in self._pieces() for each in piece()["found"]]

    def finish(self, document: Mapping[str, Any], moments: int, upto: int | None, *, goes_on: bool = False) -> None:
        """It is whole, of so many moments up to this commit; unless the game goes on, its pieces are not needed any more."""
        packed = zlib.compress(orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS), 9)
        if len(packed) > LARGEST:
            self.fail("It is larger than what is kept.")
            return
        entry = self._standing()
        if entry is None or entry.get("upto") != upto:
            return  # more commits were asked for meanwhile: somebody goes on
        before = [name for name in self._notes.all(NO_GAME, self._drawer) if name.startswith(_WHOLE)]
        self._notes.put(NO_GAME, self._drawer, _whole_of(entry), b"%d%b%b" % (moments, _AND, packed))
        self._notes.erase(NO_GAME, self._drawer, [name for name in before if name != _whole_of(entry)])
        if not goes_on:
            self._forget_pieces()
        self._ended()

    def fail(self, why: str) -> None:
        """It cannot be made."""
        self._notes.put(NO_GAME, self._drawer, _FAILED, why.encode())
        self._forget_pieces()
        self._ended()

    def document(self) -> dict[str, Any] | None:
        """The analysis, if it is whole."""
        entry = self._standing()
        if entry is None:
            return None
        note = self._notes.read(NO_GAME, self._drawer, [_whole_of(entry)]).get(_whole_of(entry))
        return None if note is None else _unpacked(note)[1]()

    def _standing(self) -> Mapping[str, Any] | None:
        note = self._notes.read(NO_GAME, _INDEX, [self.name]).get(self.name)
        entry = None if note is None else self._entry(note)
        return entry if entry is not None and self._lasts(entry) else None

    def _lasts(self, entry: Mapping[str, Any]) -> bool:
        return bool(entry["since"] > self._now() - LASTS)

    @staticmethod
    def _entry(note: bytes) -> Mapping[str, Any]:
        entry: Mapping[str, Any] = orjson.loads(note)
        return entry

    def _pieces(self) -> list[tuple[tuple[int, int], Callable[[], dict[str, Any]]]]:
        """Those without a gap before them, in order: the place of its first moment, how many it has, and what makes it."""
        notes = self._notes.all(NO_GAME, self._drawer)
        pieces: list[tuple[tuple[int, int], Callable[[], dict[str, Any]]]] = []
        first = 0
        while (note := notes.get(f"{_PIECES}{first}")) is not None:
            count, piece = _unpacked(note)
            count = len(piece()["found"]) if count is None else count
            pieces.append(((first, count), piece))
            first += count
        return pieces

    def _ended(self) -> None:
        self._notes.erase(NO_GAME, _GOING, [self.name])

    def _forget_pieces(self) -> None:
        names = [name for name in self._notes.all(NO_GAME, self._drawer) if name.startswith(_PIECES)]
        self._notes.erase(NO_GAME, self._drawer, names)

    def _empty(self, name: str) -> None:
        drawer = f"analysis {name}"
        self._notes.erase(NO_GAME, drawer, list(self._notes.all(NO_GAME, drawer)))

    def _drop(self, name: str) -> None:
        self._empty(name)
        for index in (_INDEX, _GOING):
            self._notes.erase(NO_GAME, index, [name])


def _whole_of(entry: Mapping[str, Any]) -> str:
    """The name under which the whole analysis lies; by its last commit, so that what is made of more does not take it for its own."""
    upto = entry.get("upto")
    return _WHOLE if upto is None else f"{_WHOLE} {upto}"


def _unpacked(note: bytes) -> tuple[int | None, Callable[[], dict[str, Any]]]:
    """Of how many moments an analysis or a piece is, and what makes its document; release 0.3.0 has kept no number of moments."""
    number, _, packed = note.partition(_AND)
    told, packed = (int(number), packed) if number.isdigit() else (None, note)
    return told, lambda: orjson.loads(zlib.decompress(packed))
