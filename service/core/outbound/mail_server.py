"""Recent results of the mail server, for all players. They show whether an address or the server is at fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from prometheus_client.core import GaugeMetricFamily, Metric

from service.core.outbound.smtp import SendResult
from service.store.redis.store import Store

MAIL_SERVER_ID = "mail-server"
"""The subscription id under which results are stored. No real subscription has it."""

ACCEPTED, BOUNCED, REFUSED = "accepted", "bounced", "refused"
"""The server accepted the email; it reported a wrong address; it failed in another way."""

MAX_BOUNCING_MAILBOXES = 3
"""If this many mailboxes in a row bounce and none accepts email, the server is at fault and not the addresses."""

RETRIED = 24 * 3_600_000
"""Milliseconds after which a refused email no longer shows the current state of the mail server."""


def record_result(store: Store, subscription: str, result: SendResult) -> None:
    """Store the result of an attempt."""
    state = ACCEPTED if result.is_accepted else BOUNCED if result.is_bounced else REFUSED
    noted = {"at": store.schedule.now(), "subscription": subscription, "state": state, "reason": result.reason}
    store.subscriptions.note(MAIL_SERVER_ID, noted)


def is_rejecting_everyone(store: Store) -> bool:
    """Whether too many mailboxes bounced since the last accepted email for all of them to be wrong."""
    return (
        len({each["subscription"] for each in _since_accepted(store) if each["state"] == BOUNCED})
        >= MAX_BOUNCING_MAILBOXES
    )


def list_failures(store: Store) -> tuple[Mapping[str, Any], ...]:
    """Attempts since the last accepted email that failed because of the server, newest first."""
    since = _since_accepted(store)
    bounced = {each["subscription"] for each in since if each["state"] == BOUNCED}
    return tuple(each for each in since if each["state"] == REFUSED or len(bounced) >= MAX_BOUNCING_MAILBOXES)


def _since_accepted(store: Store) -> tuple[Mapping[str, Any], ...]:
    return tuple(takewhile(lambda each: each["state"] != ACCEPTED, store.subscriptions.noted(MAIL_SERVER_ID)))


def metrics(store: Store) -> Iterable[Metric]:
    """The metric of the mail server."""
    yield GaugeMetricFamily(
        "oraclewheel_email_server_failures",
        "Consecutive failures of the mail server since it last accepted an email, at most 100.",
        value=len(list_failures(store)),
    )


def find_problems(store: Store) -> Iterator[str]:
    """A sentence if the mail server has refused the last emails."""
    failed = list_failures(store)
    if len(failed) >= MAX_BOUNCING_MAILBOXES and store.schedule.now() - failed[0]["at"] < RETRIED:
        mailboxes = len({each["subscription"] for each in failed})
        yield (
            f"The mail server has refused the last {len(failed)} emails, to {mailboxes} mailboxes: {failed[0]['reason']}. "
            "They are retried for a day. Check ORACLEWHEEL_SMTP_URL, ORACLEWHEEL_MAIL_FROM and the log of the mail server"
        )
