"""Emails about questions, one a day or one per question, and to confirm an address; retried for a day."""

from __future__ import annotations

import dataclasses
from email.message import EmailMessage

from domain.kernel.terms import GameId
from service.core.notifications import reminders, schedule
from service.core.notifications.deliveries import DeliveryContext, DeliveryResult, log_attempt, parse_seq
from service.core.notifications.game_subscriptions import unsubscribe_all
from service.core.notifications.lobby_notices import LOBBY_NOTICES, parse_instant
from service.core.notifications.questions import MessageContext
from service.core.outbound import mail_server
from service.core.outbound.retries import MAX_RETRY_TIME, plan_retry
from service.core.outbound.smtp import Mailer
from service.features.email import mailbox
from service.features.email.mailbox import (
    BOUNCED,
    DAILY,
    DAY,
    MAX_BOUNCES,
    Mailbox,
    load_mailbox,
    next_daily_email,
)
from service.features.email.writer import EmailWriter
from service.ops.logging import logger
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.ports.outbox import NO_GAME, DeliveryCursor, OutboxEntry, Subscription

MIN_RETRY_INTERVAL = 30_000
"""Minimum milliseconds between two tries."""

ONLINE_MILLISECONDS = 10 * 60_000
"""Milliseconds for which a player who has moved in a game is assumed to be watching it."""

FAULT = "fault"
"""The reason for an email that could not be written because of a bug."""

log = logger("letters")


class EmailHandler:
    """See `service.core.notifications.deliveries.DeliveryHandler`.

    A commit's questions to the player are put into the outbox as future emails, by the id of the question: each waits
    there for its instant, and is dropped if the question is no longer pending then.
    """

    def __init__(self, context: DeliveryContext, mailer: Mailer | None = None) -> None:
        self._store = context.store
        self._mailer = mailer or Mailer.from_settings(context.settings)
        self._context = MessageContext.create(context.store)
        self._writer = EmailWriter(self._context, context.settings)

    def deliver(self, entry: OutboxEntry, cursor: DeliveryCursor, subscription: Subscription) -> DeliveryResult:
        try:
            return self._deliver(entry, cursor, subscription)
        except (StoreDown, BrokenLog, UnknownEvent):
            raise
        except Exception:  # whatever is wrong with one email, it is not retried forever
            log.exception("email_not_written", game=entry.game_id, subscription=subscription.id)
            return self._handle_fault(entry, subscription)

    def _handle_fault(self, entry: OutboxEntry, subscription: Subscription) -> DeliveryResult:
        """After a bug: retried for a day, as if the mail server had refused it, and then given up.

        The subscription's delivery results contain the start, so a restart does not begin a new day.
        """
        now, kind = self._store.schedule.now(), entry.subject.partition(":")[0]
        since = now
        for each in self._store.subscriptions.noted(subscription.id):
            if (each["kind"], each["game"]) != (kind or schedule.ASKED, _game_id(entry)):
                continue
            if (each["state"], each["reason"]) != ("failed", FAULT):
                break
            since = each["at"]
        if now - since <= MAX_RETRY_TIME:
            self._record(entry, subscription, "failed", FAULT, now)
            return DeliveryResult(entry.cursor, plan_retry(since, now, MIN_RETRY_INTERVAL))
        self._record(entry, subscription, "dead", FAULT, now)
        if kind == mailbox.DAY:
            box = load_mailbox(self._store, subscription)
            self._store.outbox.put(NO_GAME, subscription.id, f"{DAY}:{next_daily_email(box, now)}")
        return DeliveryResult(None if entry.subject else DeliveryCursor(self._store.log.head(entry.game_id)[0]))

    def _deliver(self, entry: OutboxEntry, cursor: DeliveryCursor, subscription: Subscription) -> DeliveryResult:
        box = load_mailbox(self._store, subscription)
        what, _, rest = entry.subject.partition(":")
        if not what:
            return self._schedule(entry, cursor, subscription, box)
        if self._mailer is None:
            return DeliveryResult(None)
        match what:
            case mailbox.CONFIRM:
                return self._deliver_confirmation(entry, subscription, box, int(rest))
            case mailbox.DAY:
                return self._deliver_daily(entry, subscription, box, int(rest))
            case _ if what in reminders.ABOUT_GAMES:
                return self._deliver_about_game(entry, subscription, box, what, rest)
            case _:  # written by a later release
                return DeliveryResult(None)

    def _schedule(
        self, entry: OutboxEntry, cursor: DeliveryCursor, subscription: Subscription, box: Mailbox
    ) -> DeliveryResult:
        gone = (
            self._mailer is None or not box.follows_commits or self._store.accounts.player(subscription.owner) is None
        )
        return reminders.schedule_reminders(
            self._store, entry, cursor, subscription, None if gone else box.schedule, ONLINE_MILLISECONDS
        )

    def _deliver_about_game(
        self, entry: OutboxEntry, subscription: Subscription, box: Mailbox, what: str, rest: str
    ) -> DeliveryResult:
        player, game = subscription.owner, entry.game_id
        # Notices about a game that has not started are sent also to a player who gets one email a day about questions.
        if not (box.is_open if what in LOBBY_NOTICES else box.follows_commits):
            return DeliveryResult(None)
        at = reminders.find_due_instant(self._context, entry, player, box.schedule, ONLINE_MILLISECONDS)
        if at is None:
            return DeliveryResult(None)
        if self._store.schedule.now() < at:
            return DeliveryResult(None, at)
        match what:
            case _ if what in LOBBY_NOTICES:
                letter = self._writer.write_lobby_notice(subscription, box, game, what, parse_instant(rest))
            case schedule.OVER | schedule.SEAT_VACANT:
                letter = self._writer.write_status_change(subscription, box, game, what, int(rest))
            case _:
                letter = self._writer.write_question(subscription, box, game, rest, what)
                # Writing took a while, and they may have answered in the meantime.
                if reminders.find_pending_question(self._store, self._store.lobbies.get(game), player, rest) is None:
                    return DeliveryResult(None)
        return DeliveryResult(None) if letter is None else self._send(letter, entry, subscription, at)

    def _deliver_daily(self, entry: OutboxEntry, subscription: Subscription, box: Mailbox, at: int) -> DeliveryResult:
        if not box.is_open or box.when != DAILY or next_daily_email(box, at - 1) != at:
            return DeliveryResult(None)
        now = self._store.schedule.now()
        if now < at:
            return DeliveryResult(None, at)
        letter = self._writer.write_daily(subscription, box, at)
        result = DeliveryResult(None) if letter is None else self._send(letter, entry, subscription, at)
        if result.retry_at is None:
            self._store.outbox.put(NO_GAME, subscription.id, f"{DAY}:{next_daily_email(box, now)}")
        return result

    def _deliver_confirmation(
        self, entry: OutboxEntry, subscription: Subscription, box: Mailbox, asked: int
    ) -> DeliveryResult:
        if box.verified:
            return DeliveryResult(None)
        return self._send(self._writer.write_confirmation(subscription, box, asked), entry, subscription, asked)

    def _send(self, letter: EmailMessage, entry: OutboxEntry, subscription: Subscription, at: int) -> DeliveryResult:
        """Hand over an email that was due at ``at``. Retried for a day, unless its address is wrong."""
        assert self._mailer is not None
        handed = self._mailer.send(letter)
        now = self._store.schedule.now()
        mail_server.record_result(self._store, subscription.id, handed)
        if handed.is_accepted:
            self._record(entry, subscription, "delivered", "", now)
            self._count_bounce(subscription, again=False)
            return DeliveryResult(None)
        bounced = handed.is_bounced and not mail_server.is_rejecting_everyone(self._store)
        if bounced or now - at > MAX_RETRY_TIME:
            self._record(entry, subscription, "dead", handed.reason, now)
            if bounced:
                self._count_bounce(subscription, again=True)
            return DeliveryResult(None, failed=True)
        self._record(entry, subscription, "failed", handed.reason, now)
        return DeliveryResult(None, plan_retry(at, now, MIN_RETRY_INTERVAL), failed=True)

    def _count_bounce(self, subscription: Subscription, *, again: bool) -> None:
        """Count consecutive bounces; `MAX_BOUNCES` of them stop all email to the address."""
        known = self._store.subscriptions.get(subscription.id)
        if known is None:
            return
        box = Mailbox.from_subscription(known)
        bounces = box.bounces + 1 if again else 0
        if bounces == box.bounces or box.address != Mailbox.from_subscription(subscription).address:
            return
        stops = bounces >= MAX_BOUNCES
        box = dataclasses.replace(box, bounces=bounces, stopped=BOUNCED if stops else box.stopped)
        after = dataclasses.replace(known, terms=box.terms(), active=known.active and not stops)
        if not self._store.subscriptions.change(after, known):
            self._count_bounce(subscription, again=again)  # its owner has changed it just now
        elif stops:
            unsubscribe_all(self._store, known)
            log.info("email_address_bounced", subscription=known.id)

    def _record(self, entry: OutboxEntry, subscription: Subscription, state: str, reason: str, at: int) -> None:
        game = _game_id(entry)
        kind = entry.subject.partition(":")[0] or schedule.ASKED
        noted = {"at": at, "kind": kind, "game": game, "state": state, "reason": reason}
        self._store.subscriptions.note(subscription.id, noted, dead=state == "dead")
        seq = parse_seq(entry.subject) if game else None
        log_attempt(self._store, subscription, game, seq, state, about=kind, reason=reason)


def _game_id(entry: OutboxEntry) -> GameId | None:
    return None if entry.game_id == NO_GAME else GameId(entry.game_id)
