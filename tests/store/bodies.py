"""Commit bodies of complete games, and the compression dictionary trained on them: `python -m tests.store.bodies OUT`."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import orjson

from domain.kernel.game import AnyGame
from domain.kernel.game.rules import Setup
from domain.kernel.lifecycle import PLAYER
from domain.kernel.record import Commit, Submission
from domain.kernel.terms import SYSTEM, Seat
from domain.registry import GAMES
from domain.table.settle import settle
from service.store.codec import canonical, encode_body
from service.store.seal import Sealed
from tools.simulation.selfplay import SelfPlay

SHARES = {"fronela": 6_000, "battalia": 10_000}
"""Bytes of the dictionary for each game; the game listed last comes last in it. Together they fit the compression
window of a commit; twice as much saves four bytes a commit and costs 20 µs."""
GRAM = 12


def random_text(*parts: object, letters: int) -> str:
    """Text that does not compress. The same parts give the same text."""
    return base64.urlsafe_b64encode(hashlib.sha512(repr(parts).encode()).digest()).decode()[:letters]


class Correspondence(SelfPlay):
    """Self-play whose submissions carry ids and credentials like those sent over HTTP; opponents' commands may be
    refused."""

    def say(self, seat: Seat, command, *, expected: int | None = None) -> Commit:
        number = self.position.seq + 1
        self.now += 3_600_000 + int.from_bytes(hashlib.sha256(f"{self.name}{number}".encode()).digest()[:4], "big") // 2
        if seat == SYSTEM:
            letter = "bot" if command["type"] == "act" else "due"
            id_ = f"{letter}:{self.name}:{command.get('question', '')}@{number - 1}"
            credential = None
        else:
            id_, credential = random_text(self.name, number, letters=24), random_text(self.name, seat, letters=17)
            expected = self.position.etag(seat) if number % 2 else None
        submission = Submission(id_, seat, command, self.now - 40, expected, credential)
        commit, after = settle(self.game, self.position, submission, self.now, self.chance, self._clock)
        body = canonical(encode_body(commit, self.seed if after.over else None))
        self.bodies.append((commit, body))
        self.position = replace(after, head=hashlib.sha256(body).hexdigest())
        return commit


def game_of(game: AnyGame, seats: int, bot: str, number: int, *, bots: bool = False) -> Correspondence:
    """A game whose seats are played over HTTP or by bots of the workers."""
    controller = f"bot:{bot}" if bots else f"{PLAYER}:{bot}"
    seed = hashlib.sha256(f"{game.key}{seats}{bot}{number}{bots}".encode()).digest()
    name = "g" + random_text(number, seats, letters=16)
    made = Correspondence(game, Setup(seats, game.rules.rulesets[0]), [controller] * seats, seed, name=name)
    made.bodies = []
    return made


def bodies_of(game: AnyGame, seats: int, bot: str, number: int, limit: int = 3000, *, bots: bool = False):
    """The name of a complete game, with its commits and their bodies."""
    played = game_of(game, seats, bot, number, bots=bots)
    played.run(limit)
    return played.name, played.bodies


def sealed_of(commit: Commit, body: bytes) -> Sealed:
    """A sealed commit with this body. The head is not computed over a header, but is equally random."""
    return Sealed(commit.seq, commit.at, commit.release, b"", body, hashlib.sha256(body).hexdigest(), "")


def train(bodies: Sequence[bytes], size: int) -> list[str]:
    """Choose the pieces of a preset dictionary: repeatedly the body that shares most text with other bodies, best ones
    last.

    Random parts of a body (ids, timestamps) are removed first, because they never occur again.
    """
    pool = list(dict.fromkeys(_template(body) for body in bodies))
    shared = Counter(gram for body in pool for gram in set(_grams(body)))
    chosen: list[bytes] = []
    length = turn = 0
    while pool and length < size:
        turn += 1
        some = pool[turn % 7 :: 7] or pool
        best = max(some, key=lambda body: sum(shared[gram] - 1 for gram in _grams(body)) / (len(body) + 40))
        pool.remove(best)
        length += len(best)
        if length > size:
            break
        chosen.append(best)
        for gram in _grams(best):
            shared[gram] = 1
    return [body.decode() for body in reversed(chosen)]


def _grams(body: bytes) -> list[bytes]:
    return [body[place : place + GRAM] for place in range(len(body) - GRAM)]


def _template(body: bytes) -> bytes:
    told = orjson.loads(body)
    told["submission"]["id"] = "due:" if told["submission"]["id"].startswith("due:") else ""
    told["submission"]["asked_at"] = 17
    told["actor"]["credential"] = "c" if told["actor"]["credential"] else None
    told["drawn"] = 1
    told.pop("seed", None)
    return canonical(told)


def corpus(kind: str) -> Iterator[bytes]:
    """The bodies from which a game's share of the first dictionary was made."""
    tables = {
        "battalia": ((2, "greedy", False), (3, "greedy", True), (4, "greedy", False), (2, "random", False)),
        "fronela": ((4, "greedy", False), (4, "random", False), (4, "random", True)),
    }
    for number, (seats, bot, bots) in enumerate(tables[kind]):
        _, bodies = bodies_of(GAMES[kind], seats, bot, 1000 + number, limit=1500, bots=bots)
        yield from (body for _, body in bodies)


if __name__ == "__main__":
    pieces = [piece for kind, size in SHARES.items() for piece in train(list(corpus(kind)), size)]
    Path(sys.argv[1]).write_bytes(orjson.dumps(pieces, option=orjson.OPT_INDENT_2) + b"\n")
