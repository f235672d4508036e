"""Randomness: numbered draws from a key, so that anyone who has the key can check every draw."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from random import Random
from struct import Struct
from typing import Any, TypeVar

from domain.kernel.errors import DiceExhausted
from domain.kernel.terms import GameId

T = TypeVar("T")
_SPAN = 1 << 64
_FIRST = Struct(">Q").unpack_from
"""The first eight bytes of a digest as one number."""
_BLOCK = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


@lru_cache(maxsize=1024)
def _keyed(key: bytes) -> tuple[Any, Any]:
    """The inner and outer hash of HMAC-SHA256 after absorbing the key: the common start of all draws of a game."""
    block = (hashlib.sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
    return hashlib.sha256(block.translate(_INNER)), hashlib.sha256(block.translate(_OUTER))


def mac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 for keys that are used repeatedly.

    Copying both hashes costs half as much as absorbing the key again.
    """
    inner, outer = _keyed(key)
    within, around = inner.copy(), outer.copy()
    within.update(message)
    around.update(within.digest())
    digest: bytes = around.digest()
    return digest


def dice_key(seed: bytes, game_id: GameId, entropy: Sequence[tuple[int, str]]) -> bytes:
    """The 32-byte key of a game's dice, from its seed and the entropy of the seats (docs/audit.md).

    ``entropy`` holds one pair of seat number and lower-case hex digits for every seat, in seat order. A seat without
    entropy has the empty string.
    """
    setup = json.dumps([game_id, [[seat, text] for seat, text in entropy]], separators=(",", ":"), ensure_ascii=False)
    return hmac.digest(seed, b"oraclewheel/dice/1" + hashlib.sha256(setup.encode()).digest(), "sha256")


class Dice:
    """The random draws of a game: draw number ``drawn`` is next, and no draw is made twice."""

    def __init__(self, key: bytes, drawn: int = 0) -> None:
        self._key = key
        self.drawn = drawn

    def below(self, count: int) -> int:
        """A uniform number from 0 to ``count - 1``. Takes one draw, or more if a draw is rejected."""
        if count < 1:
            raise ValueError("nothing to draw from")
        return self._draw((count,))[0]

    def _draw(self, counts: Iterable[int]) -> list[int]:
        """A number below each of the counts, in order. Looks up what all draws share only once."""
        inner, outer = _keyed(self._key)
        numbers = []
        for count in counts:
            chosen, number = 0, _SPAN
            while number - chosen > _SPAN - count:  # in the last, incomplete range: rejected
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
        """One of the items, drawn at random. Not a die: scripts do not set it."""
        return among[Dice.below(self, len(among))]

    def shuffle(self, things: Iterable[T]) -> tuple[T, ...]:
        """All items in random order (Fisher-Yates from the last place down)."""
        order = list(things)
        for last, other in zip(range(len(order) - 1, 0, -1), self._draw(range(len(order), 1, -1)), strict=True):
            order[last], order[other] = order[other], order[last]
        return tuple(order)


class ScriptedDice(Dice):
    """Dice whose rolls come from a list, while shuffles and choices are still drawn; for sandboxes and tests.

    ``rolled`` counts the used entries of the script. Raises `DiceExhausted` at the end of the script, or if the next
    number does not fit the die.
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
    """Throwaway dice for what is not part of a game: a bot's choice, a default, an imagined state.

    They are never checked, so they do not need numbered draws, which cost ten times as much.
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
