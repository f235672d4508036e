"""A webhook: a subscription whose words are posted to an address of its owner's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from service.post.words import EVENTS, GAME_FULL
from service.store.ports.outbox import Subscription

KIND = "webhook"
"""What these subscriptions are."""

FORMATS = ("json", "discord", "slack", "text")
READERS = ("seat", "public")
"""With whose eyes a webhook reads: those of its owner's seat, or everybody's."""

TEST, AGAIN = "test", "again"
"""What a webhook may be owed besides commits: ``test:<id of the word>``, or ``again:<seq>`` of a game."""

FAILING, GONE = "failing", "gone"
"""Why a webhook was switched off: nothing of it was taken for a day, or its receiver answered 410."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """What a subscription of this kind goes by."""

    url: str = field(repr=False)
    """In which a secret of its owner's may be."""
    format: str
    events: tuple[str, ...]
    reader: str
    secrets: tuple[tuple[str, int], ...] = field(repr=False)
    """Each with the instant until which it signs, the newest first, with 0 for no end; they lie in the store as they are,
    like the seeds of games: whoever reads the store can do worse than sign."""
    label: str = ""
    stopped: str = ""
    """Why the service has switched it off, if it has."""

    @classmethod
    def of(cls, subscription: Subscription) -> Webhook:
        """What a subscription's terms say."""
        terms = subscription.terms
        return cls(
            terms["url"],
            terms["format"],
            tuple(terms["events"]),
            terms["reader"],
            tuple((secret, until) for secret, until in terms["secrets"]),
            terms.get("label", ""),
            terms.get("stopped", ""),
        )

    def terms(self) -> Mapping[str, Any]:
        """As a subscription keeps it."""
        return {name: getattr(self, name) for name in self.__slots__}

    def signing(self, now: int) -> Sequence[str]:
        """The secrets that sign now."""
        return [secret for secret, until in self.secrets if not until or until > now]

    def with_secret(self, secret: str, until: int) -> Webhook:
        """With a new secret; the one before it signs until that instant, and none that is older."""
        return replace(self, secrets=((secret, 0), (self.secrets[0][0], until)))


def default_reader(format_: str) -> str:
    """Whose eyes, if nothing is said: what goes into a channel is read by others than the owner."""
    return "seat" if format_ == "json" else "public"


DEFAULT_EVENTS: Mapping[str, Sequence[str]] = {
    "json": EVENTS,
    "discord": ("game_over", "turn", "commit", GAME_FULL),
    "slack": ("game_over", "turn", "commit", GAME_FULL),
    "text": ("game_over", "turn", "commit", GAME_FULL),
}
"""What a webhook of each format hears of if nothing is said."""
