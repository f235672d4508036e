"""Sends the emails of attempts to sign in. What cannot be sent now is sent by the next job, every minute."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

from service.core.accounts.ways import PASSKEY, RECOVERY_CODE
from service.core.jobs import worker_context
from service.core.notifications.email_address import EmailAddress, find_email_address
from service.core.outbound import mail_server
from service.core.outbound.message import EmailDraft, build_message
from service.core.outbound.smtp import Mailer, SendResult
from service.features.email_sign_in import attempts
from service.features.email_sign_in.addresses import find_recipient
from service.features.email_sign_in.attempts import LIFETIME_SECONDS
from service.features.email_sign_in.notices import LIFETIME, SignInNotice, drop_notice, list_notices
from service.ops.logging import logger
from service.ops.settings import Settings
from service.store.redis.store import Store

SECONDS, TOTAL_SECONDS = 5.0, 15.0
"""Seconds of silence and seconds in total that the mail server is allowed: the reader waits, and a later try is better."""

JOB_SECONDS = 40.0
"""Seconds after which the rest is left to the next job."""

LOCK_SECONDS = 60
"""Longer than one email can take."""

TEXT = """\
Someone, probably you, wants to sign in to Oracle Wheel as {name}.

Open this link in the browser in which you asked:
{link}

Or type this code there: {code}

Both work once, within {minutes} minutes. If it was not you, do nothing: no one can sign in without this email.
Do not forward it, and do not share the code.
"""

NOTICE = """\
Someone has signed in to your account {name} on Oracle Wheel with a {way}, on {at} (UTC).

If it was you, do nothing. If it was not you, sign in and end all other sessions:
{url}
"""
WAYS = {PASSKEY: "passkey", RECOVERY_CODE: "recovery code"}

log = logger("email_sign_in")


def send_pending() -> int:
    """The job: send all emails that wait; returns how many were sent."""
    context = worker_context()
    return SignInMailer(context.store, context.settings).send_all()


class SignInMailer:
    def __init__(self, store: Store, settings: Settings, mailer: Mailer | None = None) -> None:
        self._store, self._settings = store, settings
        own = Mailer(settings.smtp_url, settings.mail_from, SECONDS, TOTAL_SECONDS) if settings.letters else None
        self._mailer = mailer or own

    def send_all(self) -> int:
        until, sent = time.monotonic() + JOB_SECONDS, 0
        for id_ in attempts.list_pending(self._store):
            if time.monotonic() > until:
                break
            sent += self._send(id_)
        for id_, notice in list_notices(self._store).items():
            if time.monotonic() > until:
                break
            sent += self._send_notice(id_, notice)
        return sent

    def _send_notice(self, id_: str, notice: SignInNotice) -> bool:
        """Send a notice. It keeps waiting if the mail server fails, for a day."""
        with self._locked(id_) as is_ours:
            if not is_ours:
                return False
            email = find_email_address(self._store, notice.player)
            player = self._store.accounts.player(notice.player)
            is_late = self._store.schedule.now() - notice.at > LIFETIME
            if email is None or not email.is_confirmed or player is None or is_late or self._mailer is None:
                drop_notice(self._store, id_)
                return False
            at = datetime.fromtimestamp(notice.at // 1000, UTC).strftime("%Y-%m-%d %H:%M")
            way = WAYS.get(notice.way, notice.way)
            text = NOTICE.format(name=player.name, way=way, at=at, url=f"{self._settings.public_url}/me")
            result = self._hand_over(email, f"notice.{id_}", "New sign-in to Oracle Wheel", text)
            if result.is_accepted or result.is_bounced:
                drop_notice(self._store, id_)
            return result.is_accepted

    def _send(self, id_: str) -> bool:
        """Send the email of an attempt. It keeps waiting if the mail server fails, until the attempt expires."""
        with self._locked(id_) as is_ours:
            if not is_ours:
                return False
            result = self._attempt(id_)
            if result is None or result.is_accepted or result.is_bounced:
                attempts.drop_pending(self._store, id_)
            else:
                attempts.put_pending(self._store, id_)
            return result is not None and result.is_accepted

    @contextmanager
    def _locked(self, id_: str) -> Iterator[bool]:
        """Whether no other job sends this email now."""
        lock = f"sign-in-email:{id_}"
        if self._store.accounts.claim_answer(lock, LOCK_SECONDS) is not None:
            yield False
            return
        try:
            yield True
        finally:
            self._store.accounts.drop_answer(lock)

    def _attempt(self, id_: str) -> SendResult | None:
        """The mail server's result; None if there is no email to send."""
        attempt = attempts.find_attempt(self._store, id_)
        recipient = None if attempt is None else find_recipient(self._store, attempt.address)
        if attempt is None or recipient is None or self._mailer is None:
            return None
        link, code = attempts.write_secrets(self._store, id_, attempt, recipient.player.id)
        text = TEXT.format(
            name=recipient.player.name,
            link=f"{self._settings.public_url}/sign-in/email/{link}",
            code=code,
            minutes=LIFETIME_SECONDS // 60,
        )
        return self._hand_over(recipient.email, f"sign-in.{id_[:16]}", "Sign in to Oracle Wheel", text)

    def _hand_over(self, email: EmailAddress, name: str, subject: str, text: str) -> SendResult:
        assert self._mailer is not None
        now = self._store.schedule.now()
        message_id = f"{name}.{now}@{urlsplit(self._settings.public_url).hostname}"
        draft = EmailDraft(email.address, subject, message_id, opening=text.rstrip("\n"))
        result = self._mailer.send(build_message(draft, self._settings.mail_from, now))
        mail_server.record_result(self._store, email.subscription, result)
        if result.is_accepted:
            log.info("sign_in_email_sent")
        else:
            log.info("sign_in_email_failed", reason=result.reason)
        return result
