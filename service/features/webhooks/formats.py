"""The formats of a notification: JSON for programs, and those of chat services."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from service.core.notifications.notification import EVENTS, NOTICES, Notification

MAX_DISCORD_LENGTH = 2000
"""Maximum characters of a Discord message."""
MAX_TEXT_LENGTH = 3000
"""Maximum characters of other messages."""

_NO_EMBEDS = 4
"""Discord flag: no link previews."""
_MARKS = re.compile(r"([\\*_~`|>\[\]()#<@:-])")
"""Characters with a meaning in Discord's Markdown or mentions."""

JSON, PLAIN = "application/json", "text/plain; charset=utf-8"


EVENTS_WITH_LINK = frozenset(("game_over", "your_turn", "turn"))
"""Events after which a reader may want to open the game."""


Message = Callable[[str, str, str, Mapping[str, int]], tuple[str, bytes]]
"""The media type and body of a message: from its title, its text, the address of the game, and the deadlines by their wording in
the text."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format of webhooks."""

    title: str
    """Its name for people."""
    message: Message | None = None
    """Builds the message for a chat channel; None for the format for programs."""

    @property
    def default_events(self) -> Sequence[str]:
        """The events of a webhook that names none."""
        return EVENTS if self.message is None else ("game_over", "turn", "commit", *NOTICES.values())

    @property
    def default_reader(self) -> str:
        """Whose view it has by default: a chat channel has more readers than the owner, so it gets the public one."""
        return "seat" if self.message is None else "public"

    def render(self, notification: Notification, link: str = "") -> tuple[str, bytes] | None:
        """The media type and body of a notification; None if it has no text.

        ``link`` is the address of the game, for chat services; empty if missing.
        """
        if self.message is None:
            return JSON, _json(notification.events[0], notification.at, _data(notification))
        if not notification.text:
            return None  # a refusal is private to its sender, who has its response
        link = link if EVENTS_WITH_LINK.intersection(notification.events) else ""
        return self.message(notification.heading.text, notification.text, link, notification.instants)

    def render_test(self, webhook: str, at: int) -> tuple[str, bytes]:
        """As `render`, for a test notification."""
        text = "This is a test. Messages about your games will appear here."
        if self.message is None:
            return JSON, _json("test", at, {"webhook": webhook, "text": text})
        return self.message("Oracle Wheel", text, "", {})


def _json(type_: str, at: int, data: Mapping[str, Any]) -> bytes:
    instant = datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return orjson.dumps({"type": type_, "timestamp": instant, "data": data}, option=orjson.OPT_NON_STR_KEYS)


def _data(notification: Notification) -> Mapping[str, Any]:
    return {
        "game": notification.game,
        "game_kind": notification.kind,
        "title": notification.heading.title,
        "opponents": notification.heading.opponents,
        "seq": notification.seq,
        "at": notification.at,
        "seat": notification.seat,
        "events": notification.events,
        "entry": notification.entry,
        "questions": notification.questions,
        "outcome": notification.outcome,
        "text": notification.text,
    }


def _discord(head: str, text: str, link: str, instants: Mapping[str, int]) -> tuple[str, bytes]:
    text = _escape(text)
    for written, instant in instants.items():  # Discord shows each reader the time in their own time zone
        text = text.replace(_escape(written), f"<t:{instant // 1000}:f>")
    opens = f"[{_escape(head)}]({link})" if link else _escape(head)
    message = _truncate(f"**{opens}**\n{text}", MAX_DISCORD_LENGTH)
    document = {"content": message, "allowed_mentions": {"parse": []}, "flags": _NO_EMBEDS}
    return JSON, orjson.dumps(document)


def _slack(head: str, text: str, link: str, _: Mapping[str, int]) -> tuple[str, bytes]:
    message = f"{head}\n{text}".replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    document = {"text": _append_link(message, link), "mrkdwn": False, "unfurl_links": False, "unfurl_media": False}
    return JSON, orjson.dumps(document)


def _text(head: str, text: str, link: str, _: Mapping[str, int]) -> tuple[str, bytes]:
    return PLAIN, (_append_link(f"{head}\n{text}", link) + "\n").encode()


def _append_link(message: str, link: str) -> str:
    """The text with the link on its own line. The link is never cut."""
    last = f"\n{link}" if link else ""
    return _truncate(message, MAX_TEXT_LENGTH - len(last)) + last


def _escape(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)


def _truncate(text: str, most: int) -> str:
    """The text cut to ``most`` characters, without splitting an escape sequence."""
    if len(text) <= most:
        return text
    return re.sub(r"(\\|&[a-z]*|<[t:\df]*)$", "", text[: most - 1]) + "\N{HORIZONTAL ELLIPSIS}"


FORMATS: Mapping[str, Format] = {
    "json": Format("JSON"),
    "discord": Format("Discord", _discord),
    "slack": Format("Slack", _slack),
    "text": Format("Plain text", _text),
}
"""All formats by name, the default first."""
