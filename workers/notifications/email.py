"""Emails about questions, one a day or one per question, and to confirm an address; retried for a day."""

from __future__ import annotations

import dataclasses
from email.message import EmailMessage

from domain.terms import GameId
from service.notifications import full_games
from service.notifications.email import mail_server, mailbox
from service.notifications.email.content import Desk, news, standing
from service.notifications.email.mailbox import BOUNCED, DAILY, DAY, MOST_BOUNCES, Mailbox, after_quiet, next_day
from service.notifications.email.smtp import Mailer
from service.notifications.email.writer import Writer
from service.notifications.game_subscriptions import leave_everywhere
from service.notifications.preferences import opened
from service.process.logs import logger
from service.projections.positions.cache import Positions
from service.projections.positions.visibility import Resignations
from service.store.chain import BrokenLog
from service.store.codec import UnknownEvent
from service.store.ports.errors import StoreDown
from service.store.ports.outbox import EVERYWHERE, Owed, Subscription, Told
from workers.notifications.deliveries import Post, Verdict, log_attempt, seq_of
from workers.notifications.reminders import due_at, put_off

SOONEST, LATEST = 30_000, 3_600_000
"""Minimum and maximum milliseconds between two tries; in between, as long as it has been tried so far."""

TRIED = 24 * 3_600_000
"""Milliseconds for which an email is retried."""

THERE = 10 * 60_000
"""Milliseconds for which a player who has moved in a game is assumed to be watching it."""

FAULT = "fault"
"""The reason for an email that could not be written because of a bug."""

REMEMBERED = 64
"""Games whose position is cached: emails are about many games, each rarely."""

log = logger("letters")


class LetterDelivery:
    """See `workers.notifications.deliveries.Delivery`.

    A commit's questions to the player are put into the outbox as future emails, by the id of the question: each waits
    there for its instant, and is dropped if the question is no longer pending then.
    """

    def __init__(self, post: Post, mailer: Mailer | None = None) -> None:
        self._store = post.store
        self._mailer = mailer or Mailer.of(post.settings)
        self._desk = Desk(post.store, Positions(post.store, REMEMBERED), Resignations())
        self._writer = Writer(self._desk, post.settings)

    def deliver(self, owed: Owed, told: Told, subscription: Subscription) -> Verdict:
        try:
            return self._see_to(owed, told, subscription)
        except (StoreDown, BrokenLog, UnknownEvent):
            raise
        except Exception:  # whatever is wrong with one email, it is not retried forever
            log.exception("email_not_written", game=owed.game_id, subscription=subscription.id)
            return self._broken(owed, subscription)

    def _broken(self, owed: Owed, subscription: Subscription) -> Verdict:
        """After a bug: retried for a day, as if the mail server had refused it, and then given up.

        The subscription's delivery results contain the start, so a restart does not begin a new day.
        """
        now, kind = self._store.schedule.now(), owed.what.partition(":")[0]
        since = now
        for each in self._store.subscriptions.noted(subscription.id):
            if (each["kind"], each["game"]) != (kind or mailbox.ASKED, _game_of(owed)):
                continue
            if (each["state"], each["reason"]) != ("failed", FAULT):
                break
            since = each["at"]
        if now - since <= TRIED:
            self._note(owed, subscription, "failed", FAULT, now)
            return Verdict(owed.told, now + min(max(now - since, SOONEST), LATEST))
        self._note(owed, subscription, "dead", FAULT, now)
        if kind == mailbox.DAY:
            box = opened(self._store, subscription)
            self._store.outbox.put(EVERYWHERE, subscription.id, f"{DAY}:{next_day(box, now)}")
        return Verdict(None if owed.what else Told(self._store.log.head(owed.game_id)[0]))

    def _see_to(self, owed: Owed, told: Told, subscription: Subscription) -> Verdict:
        box = opened(self._store, subscription)
        what, _, rest = owed.what.partition(":")
        if not what:
            return self._commits(owed, told, subscription, box)
        if self._mailer is None:
            return Verdict(None)
        match what:
            case mailbox.CONFIRM:
                return self._confirm(owed, subscription, box, int(rest))
            case mailbox.DAY:
                return self._daily(owed, subscription, box, int(rest))
            case mailbox.ASKED | mailbox.HALF | mailbox.TENTH:
                return self._question(owed, subscription, box, what, rest)
            case mailbox.OVER | mailbox.GIVEN_UP:
                return self._news(owed, subscription, box, what, int(rest))
            case full_games.FULL:
                return self._full(owed, subscription, box, full_games.instant_of(rest))
            case _:  # written by a later release
                return Verdict(None)

    def _full(self, owed: Owed, subscription: Subscription, box: Mailbox, full: int) -> Verdict:
        """Report to the creator of a game that its last seat is taken, also if they get one email a day about questions."""
        at = after_quiet(box, full)
        if not box.open:
            return Verdict(None)
        if self._store.schedule.now() < at:
            return Verdict(None, at)
        letter = self._writer.full_game(subscription, box, owed.game_id, full)
        return Verdict(None) if letter is None else self._send(letter, owed, subscription, at)

    def _commits(self, owed: Owed, told: Told, subscription: Subscription, box: Mailbox) -> Verdict:
        gone = self._mailer is None or not box.listens or self._store.accounts.player(subscription.owner) is None
        return put_off(self._store, owed, told, subscription, None if gone else box, THERE)

    def _news(self, owed: Owed, subscription: Subscription, box: Mailbox, what: str, seq: int) -> Verdict:
        found = news(self._desk, owed.game_id, subscription.owner, seq - 1) if box.listens else None
        if found is None or (found.what, found.seq) != (what, seq):
            return Verdict(None)
        at = after_quiet(box, found.at)
        if self._store.schedule.now() < at:
            return Verdict(None, at)
        letter = self._writer.news(subscription, box, owed.game_id, what, seq)
        return Verdict(None) if letter is None else self._send(letter, owed, subscription, at)

    def _question(self, owed: Owed, subscription: Subscription, box: Mailbox, mark: str, question: str) -> Verdict:
        at = due_at(self._store, owed.game_id, subscription.owner, box, question, mark, THERE)
        if at is None:
            return Verdict(None)
        if self._store.schedule.now() < at:
            return Verdict(None, at)
        letter = self._writer.about(subscription, box, owed.game_id, question, mark)
        # Writing took a while, and they may have answered in the meantime.
        stands = any(each["id"] == question for each in standing(self._desk, owed.game_id, subscription.owner))
        return self._send(letter, owed, subscription, at) if letter is not None and stands else Verdict(None)

    def _daily(self, owed: Owed, subscription: Subscription, box: Mailbox, at: int) -> Verdict:
        if not box.open or box.when != DAILY or next_day(box, at - 1) != at:
            return Verdict(None)
        now = self._store.schedule.now()
        if now < at:
            return Verdict(None, at)
        letter = self._writer.of_a_day(subscription, box, at)
        verdict = Verdict(None) if letter is None else self._send(letter, owed, subscription, at)
        if verdict.again is None:
            self._store.outbox.put(EVERYWHERE, subscription.id, f"{DAY}:{next_day(box, now)}")
        return verdict

    def _confirm(self, owed: Owed, subscription: Subscription, box: Mailbox, asked: int) -> Verdict:
        if box.verified:
            return Verdict(None)
        return self._send(self._writer.confirmation(subscription, box, asked), owed, subscription, asked)

    def _send(self, letter: EmailMessage, owed: Owed, subscription: Subscription, at: int) -> Verdict:
        """Hand over an email that was due at ``at``. Retried for a day, unless its address is wrong."""
        assert self._mailer is not None
        handed = self._mailer.hand(letter)
        now = self._store.schedule.now()
        if handed.taken:
            mail_server.record(self._store, subscription.id, mail_server.ACCEPTED)
            self._note(owed, subscription, "delivered", "", now)
            self._bounced(subscription, again=False)
            return Verdict(None)
        result = mail_server.BOUNCED if handed.bounced else mail_server.REFUSED
        mail_server.record(self._store, subscription.id, result, handed.reason)
        bounced = handed.bounced and not mail_server.refuses_everyone(self._store)
        if bounced or now - at > TRIED:
            self._note(owed, subscription, "dead", handed.reason, now)
            if bounced:
                self._bounced(subscription, again=True)
            return Verdict(None, failed=True)
        self._note(owed, subscription, "failed", handed.reason, now)
        return Verdict(None, now + min(max(now - at, SOONEST), LATEST), failed=True)

    def _bounced(self, subscription: Subscription, *, again: bool) -> None:
        """Count consecutive bounces; `MOST_BOUNCES` of them stop all email to the address."""
        known = self._store.subscriptions.get(subscription.id)
        if known is None:
            return
        box = Mailbox.of(known)
        bounces = box.bounces + 1 if again else 0
        if bounces == box.bounces or box.address != Mailbox.of(subscription).address:
            return
        stops = bounces >= MOST_BOUNCES
        box = dataclasses.replace(box, bounces=bounces, stopped=BOUNCED if stops else box.stopped)
        after = dataclasses.replace(known, terms=box.terms(), active=known.active and not stops)
        if not self._store.subscriptions.change(after, known):
            self._bounced(subscription, again=again)  # its owner has changed it just now
        elif stops:
            leave_everywhere(self._store, known)
            log.info("email_address_bounced", subscription=known.id)

    def _note(self, owed: Owed, subscription: Subscription, state: str, reason: str, at: int) -> None:
        game = _game_of(owed)
        kind = owed.what.partition(":")[0] or mailbox.ASKED
        noted = {"at": at, "kind": kind, "game": game, "state": state, "reason": reason}
        self._store.subscriptions.note(subscription.id, noted, dead=state == "dead")
        log_attempt(
            self._store, subscription, game, seq_of(owed.what) if game else None, state, about=kind, reason=reason
        )


def _game_of(owed: Owed) -> GameId | None:
    return None if owed.game_id == EVERYWHERE else GameId(owed.game_id)
