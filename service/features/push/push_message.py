"""The content of a push notification: short, and only what its player may read."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from domain.kernel.terms import GameId, PlayerId
from service.core.notifications.lobby_notices import LOBBY_NOTICES, find_lobby_notice
from service.core.notifications.notification import notification_id
from service.core.notifications.questions import MessageContext, get_head, summarize_question, summarize_status_change
from service.core.notifications.schedule import ASKED, HALF, OVER, SEAT_VACANT, TENTH
from service.store.redis.store import Store

TEST, SIGN_IN = "test", "sign-in"
"""Kinds of a test notification, and of the one that someone has signed in to the account."""

SIGNED_IN = "Someone has signed in to your account. If it was not you, end the session on your account page."

MAX_LENGTH = 300
"""Maximum characters of the text. A title has a third of that."""

OPENINGS = {HALF: "Half of your time has passed. ", TENTH: "Only a tenth of your time is left. "}
URGENCY: Mapping[str, str] = {
    ASKED: "normal",
    HALF: "normal",
    TENTH: "high",
    OVER: "low",
    SEAT_VACANT: "normal",
    **dict.fromkeys(LOBBY_NOTICES, "normal"),
    TEST: "high",
    SIGN_IN: "high",
}
"""RFC 8030: less urgent messages may wait until the device is in use or charging."""


@dataclass(frozen=True, slots=True)
class PushMessage:
    """A push notification for one device."""

    id: str
    """The same for every delivery attempt."""
    kind: str
    """``asked``, the reminders ``half`` and ``tenth``, ``over``, ``vacant``, one of `LOBBY_NOTICES`, ``sign-in`` or
    ``test``."""
    game: GameId | None
    title: str
    text: str
    seq: int | None = None
    """The commit that it reports; None for other notifications."""

    @property
    def body(self) -> bytes:
        """The JSON for the client's service worker, which opens ``path``."""
        path = "/me" if self.game is None else f"/games/{self.game}"
        fields: dict[str, Any] = {"id": self.id, "kind": self.kind, "game": self.game, "path": path}
        return orjson.dumps(
            {**fields, "title": _truncate(self.title, MAX_LENGTH // 3), "text": _truncate(self.text, MAX_LENGTH)}
        )

    def topic(self, device: str) -> str:
        """A push service replaces an undelivered notification with the same topic: one per device and game."""
        about = SIGN_IN if self.kind == SIGN_IN else self.game
        digest = hashlib.blake2b(f"{device} {about}".encode(), digest_size=18).digest()
        return base64.urlsafe_b64encode(digest).decode()


def build_question(
    context: MessageContext, device: str, player: PlayerId, zone: str, game: GameId, mark: str, question: str
) -> PushMessage | None:
    """The notification of a question, or a reminder of it; None if it is no longer pending."""
    found = summarize_question(context, game, player, zone, question)
    if found is None:
        return None
    title, text = found
    seq = int(question.partition(":")[0])
    id_ = notification_id(device, game, f"{mark}:{question}", get_head(context.store.log, game, seq))
    return PushMessage(id_, mark, game, title, OPENINGS.get(mark, "") + text, seq)


def build_status_change(
    context: MessageContext, device: str, player: PlayerId, game: GameId, what: str, seq: int
) -> PushMessage | None:
    """The notification that a game is over or a seat vacant; None if that no longer holds."""
    found = summarize_status_change(context, game, player, what, seq)
    if found is None:
        return None
    id_ = notification_id(device, game, f"{what}:{seq}", get_head(context.store.log, game, seq))
    return PushMessage(id_, what, game, *found, seq)


def build_lobby_notice(store: Store, device: str, player: PlayerId, game: GameId, entry: str) -> PushMessage | None:
    """The notification about a game that has not started; None if it no longer holds."""
    what = entry.partition(":")[0]
    found = find_lobby_notice(store, what, game, player)
    id_ = notification_id(device, game, entry)
    return None if found is None else PushMessage(id_, what, game, found.heading.text, found.text)


def build_test(device: str, notification: str) -> PushMessage:
    """A test notification that the player requested."""
    return PushMessage(
        notification_id(device, GameId("-"), notification),
        TEST,
        None,
        "Oracle Wheel",
        "Notifications about your games will appear here.",
    )


def build_sign_in(device: str, at: str) -> PushMessage:
    """The notification that someone has signed in to the account at an instant."""
    id_ = notification_id(device, GameId("-"), f"{SIGN_IN}:{at}")
    return PushMessage(id_, SIGN_IN, None, "New sign-in", SIGNED_IN)


def _truncate(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"
