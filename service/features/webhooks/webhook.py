"""A webhook: a subscription whose notifications are posted to its owner's URL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from service.store.ports.outbox import Subscription

READERS = ("seat", "public")
"""Whose view a webhook gets: the owner's seat, or the public."""

TEST, AGAIN = "test", "again"
"""Outbox entries that are not commits: ``test:<notification id>``, or ``again:<seq>`` of a game."""

FAILING, GONE = "failing", "gone"
"""Why a webhook was disabled: nothing was accepted for a day, or its receiver answered 410."""


@dataclass(frozen=True, slots=True)
class WebhookTerms:
    """The terms of a webhook subscription."""

    url: str = field(repr=False)
    """May contain a secret of the owner."""
    format: str
    events: tuple[str, ...]
    reader: str
    secrets: tuple[tuple[str, int], ...] = field(repr=False)
    """Each with the instant until which it signs (0: no end), newest first. They are stored in plain text, like the seeds of
    games: read access to the store permits worse than signing."""
    label: str = ""
    stopped: str = ""
    """Why the service disabled the webhook; empty if it did not."""

    @classmethod
    def from_subscription(cls, subscription: Subscription) -> WebhookTerms:
        """The webhook from a subscription's terms."""
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
        """The terms of the subscription."""
        return {name: getattr(self, name) for name in self.__slots__}

    def active_secrets(self, now: int) -> Sequence[str]:
        """The secrets that sign now."""
        return [secret for secret, until in self.secrets if not until or until > now]

    def with_secret(self, secret: str, until: int) -> WebhookTerms:
        """A copy with a new secret. The previous secret signs until ``until``; older ones are dropped."""
        return replace(self, secrets=((secret, 0), (self.secrets[0][0], until)))
