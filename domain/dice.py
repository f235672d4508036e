"""Chance: numbered draws from a key, so that anyone who knows the key can check every one of them."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from struct import Struct
from typing import Any, TypeVar

from domain.errors import DiceExhausted
from domain.terms import GameId

T = TypeVar("T")
_SPAN = 1 << 64
_FIRST = Struct(">Q").unpack_from
"""The first eight bytes of a digest as one number."""
_BLOCK = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


@lru_cache(maxsize=1024)
def _keyed(key: bytes) -> tuple[Any, Any]:
    """The inner and the outer hash of HMAC-SHA256 with the key taken in: what all draws of a game begin with."""
    block = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return hashlib.sha256(block.translate(_INNER)), hashlib.sha256(block.translate(_OUTER))


def mac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256, for keys that are used again: a copy of both hashes costs half of what it costs to take the key in anew."""
    inner, outer = _keyed(key)
    within, around = inner.copy(), outer.copy()
    within.update(message)
    around.update(within.digest())
    digest: bytes = around.digest()
    return digest


def dice_key(seed: bytes, game_id: GameId, entropy: Sequence[tuple[int, str]]) -> bytes:
    """The 32-byte key of a game's dice, from its seed and what the seats added (docs/audit.md).

    ``entropy`` holds one pair of seat number and lower-case hex digits for every seat, in seat order; a seat that
    gave none has the empty string.
    """
    setup = json.dumps([game_id, [[seat, text] for seat, text in entropy]], separators=(",", ":"), ensure_ascii=False)
    return hmac.digest(seed, b"oraclewheel/dice/1" + hashlib.sha256(setup.encode()).digest(), "sha256")


class Dice:
    """The game's chance: draw number ``drawn`` is next, and no draw is ever made twice."""

    def __init__(self, key: bytes, drawn: int = 0) -> None:
        self._key = key
        self.drawn = drawn

    def below(self, count: int) -> int:
        """A number from 0 to ``count - 1``, each as likely; takes one draw, or more where one is rejected."""
        if count < 1:
            raise ValueError("nothing to draw from")
        return self._draw((count,))[0]

    def _draw(self, counts: Iterable[int]) -> list[int]:
        """A number below each of the counts, one after the other: what is the same for all draws is looked up once."""
        inner, outer = _keyed(self._key)
        numbers = []
        for count in counts:
            chosen, number = 0, _SPAN
            while number - chosen > _SPAN - count:  # of the last run of so many, which is not whole: rejected
                within, around = inner.copy(), outer.copy()
                within.update(self.drawn.to_bytes(8, "big"))
                around.update(within.digest())
                self.drawn += 1
                (number,) = _FIRST(around.digest())
                chosen = number % count
            numbers.append(chosen)
        return numbers

    def roll(self, faces: int = 6) -> int:
        """One die: 1 to ``faces``."""
        return self.below(faces) + 1

    def choose(self, among: Sequence[T]) -> T:
        """One of the things, drawn at random (not a die: scripts do not answer it)."""
        return among[Dice.below(self, len(among))]

    def shuffle(self, things: Iterable[T]) -> tuple[T, ...]:
        """All the things in random order (Fisher-Yates from the last place down)."""
        order = list(things)
        for last, other in zip(range(len(order) - 1, 0, -1), self._draw(range(len(order), 1, -1)), strict=True):
            order[last], order[other] = order[other], order[last]
        return tuple(order)


class ScriptedDice(Dice):
    """Dice whose rolls are read from a list while shuffles and choices stay drawn; for sandboxes and tests.

    ``rolled`` counts how many of the script are used. Raises `DiceExhausted` when the script is at its end, and when
    the next number does not fit the die.
    """

    def __init__(self, key: bytes, drawn: int = 0, script: Sequence[int] = (), rolled: int = 0) -> None:
        super().__init__(key, drawn)
        self._script = script
        self.rolled = rolled

    def roll(self, faces: int = 6) -> int:
        if self.rolled >= len(self._script):
            raise DiceExhausted("The scripted dice are used up.", rolled=self.rolled)
        face = self._script[self.rolled]
        if not 1 <= face <= faces:
            raise DiceExhausted(
                f"The next scripted die says {face}, and this one has {faces} faces.", rolled=self.rolled
            )
        self.rolled += 1
        return face


class Aside(Dice):
    """Throw-away chance for what is no part of a game: a bot's choice, a default, an imagined state.

    Nobody ever checks it, so it need not be made of numbered draws, which cost ten times as much.
    """

    def __init__(self, seed: bytes) -> None:
        super().__init__(seed)
        self._random = Random(seed)

    def below(self, count: int) -> int:
        if count < 1:
            raise ValueError("nothing to draw from")
        self.drawn += 1
        return int(self._random.random() * count)

    def choose(self, among: Sequence[T]) -> T:
        return among[self.below(len(among))]

    def shuffle(self, things: Iterable[T]) -> tuple[T, ...]:
        order = list(things)
        self._random.shuffle(order)
        return tuple(order)
