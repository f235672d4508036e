"""What a notice says of a game: little, and nothing but what its player may read."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from domain.terms import GameId, PlayerId
from service.post.full_games import FULL, TEXT, find_full
from service.post.letters.mailbox import ASKED, GIVEN_UP, HALF, OVER, TENTH
from service.post.letters.telling import Desk, brief, brief_news, head_at
from service.post.words import word_id
from service.store.redis.store import Store

TEST = "test"
"""The kind of a notice that says no more than that it comes from here."""

MOST = 300
"""Characters of its text; of its title, a third."""

OPENINGS = {HALF: "Half of your time has passed. ", TENTH: "Only a tenth of your time is left. "}
URGENCY: Mapping[str, str] = {
    ASKED: "normal",
    HALF: "normal",
    TENTH: "high",
    OVER: "low",
    GIVEN_UP: "normal",
    FULL: "normal",
    TEST: "high",
}
"""RFC 8030: what is not urgent may wait until the device is in use, or has power."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What is pushed to one device."""

    id: str
    """The same however often it is delivered."""
    kind: str
    """``asked``, the reminders ``half`` and ``tenth``, ``over``, ``vacant``, ``full``, ``test``."""
    game: GameId | None
    title: str
    text: str
    seq: int | None = None
    """The commit that it is about."""

    @property
    def body(self) -> bytes:
        """As it goes to the service worker of the client, which opens ``path``."""
        path = "/me" if self.game is None else f"/games/{self.game}"
        told: dict[str, Any] = {"id": self.id, "kind": self.kind, "game": self.game, "path": path}
        return orjson.dumps({**told, "title": _cut(self.title, MOST // 3), "text": _cut(self.text, MOST)})

    def topic(self, device: str) -> str:
        """By which a push service puts it in place of an older one about the same game that has not been taken yet."""
        digest = hashlib.blake2b(f"{device} {self.game}".encode(), digest_size=18).digest()
        return base64.urlsafe_b64encode(digest).decode()


def of_question(
    desk: Desk, device: str, player: PlayerId, zone: str, game: GameId, mark: str, question: str
) -> Notice | None:
    """The notice of a question, or the reminder of it; None if it does not stand any more."""
    found = brief(desk, game, player, zone, question)
    if found is None:
        return None
    title, text = found
    seq = int(question.partition(":")[0])
    id_ = word_id(device, game, f"{mark}:{question}", head_at(desk.store.log, game, seq))
    return Notice(id_, mark, game, title, OPENINGS.get(mark, "") + text, seq)


def of_news(desk: Desk, device: str, player: PlayerId, game: GameId, what: str, seq: int) -> Notice | None:
    """The notice of what no question tells; None if that is not so any more."""
    found = brief_news(desk, game, player, what, seq)
    if found is None:
        return None
    id_ = word_id(device, game, f"{what}:{seq}", head_at(desk.store.log, game, seq))
    return Notice(id_, what, game, *found, seq)


def of_full_game(store: Store, device: str, player: PlayerId, game: GameId, what: str) -> Notice | None:
    """The notice that all seats of a game are taken; None if it does not wait for its creator any more."""
    found = find_full(store, game, player)
    return None if found is None else Notice(word_id(device, game, what), FULL, game, found.title, TEXT)


def of_test(device: str, word: str) -> Notice:
    """The notice that its player has asked for, to see whether it comes."""
    return Notice(
        word_id(device, GameId("-"), word),
        TEST,
        None,
        "Oracle Wheel",
        "Notifications about your games will appear here.",
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"
