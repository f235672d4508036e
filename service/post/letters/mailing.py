"""Handing a letter to a mail server: once, within some seconds, and with a password over TLS alone."""

from __future__ import annotations

import smtplib
import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from service.settings import Settings

SECONDS = 20.0
"""For how long a server may say nothing."""

LOCAL = ("localhost", "127.0.0.1", "::1")
"""Where a password may go in the clear: it leaves this machine on no wire."""


@dataclass(frozen=True, slots=True)
class Handed:
    """What became of it."""

    taken: bool
    for_good: bool = False
    """Whether it is no use to try again: the server refuses this letter, or this address."""
    reason: str = ""
    """Why it was not taken: a word, and the server's number if it gave one. Never what it said, which may name the address."""


@dataclass(frozen=True, slots=True)
class Mailer:
    """A mail server, from a URL: ``smtp://user:password@host:587`` or ``smtps://…``."""

    url: str
    sender: str
    seconds: float = SECONDS

    @staticmethod
    def of(settings: Settings) -> Mailer | None:
        """The one that the settings name; None where no letters are sent."""
        return Mailer(settings.smtp_url, settings.mail_from) if settings.letters else None

    def hand(self, letter: EmailMessage) -> Handed:
        """Hand it over; whatever goes wrong is said and not raised."""
        try:
            server = self._connected()
            try:
                server.send_message(letter)
            finally:
                # Whatever is said at the goodbye, what was taken was taken.
                with suppress(smtplib.SMTPException, OSError):
                    server.quit()
                server.close()
        except smtplib.SMTPRecipientsRefused as error:
            codes = [code for code, _ in error.recipients.values()]
            return Handed(False, all(500 <= code < 600 for code in codes), f"recipient-refused {max(codes)}")
        except smtplib.SMTPAuthenticationError as error:  # the operator's matter, and no fault of the address
            return Handed(False, False, f"not-let-in {error.smtp_code}")
        except (smtplib.SMTPConnectError, smtplib.SMTPHeloError, smtplib.SMTPSenderRefused) as error:
            return Handed(False, False, f"refused {error.smtp_code}")
        except smtplib.SMTPResponseException as error:
            return Handed(False, 500 <= error.smtp_code < 600, f"refused {error.smtp_code}")
        except smtplib.SMTPServerDisconnected as error:
            return Handed(False, False, "too-slow" if isinstance(error.__context__, TimeoutError) else "hung-up")
        except TimeoutError:
            return Handed(False, False, "too-slow")
        except ssl.SSLError:
            return Handed(False, False, "tls-failed")
        except (smtplib.SMTPException, OSError) as error:
            return Handed(False, False, type(error).__name__)
        return Handed(True)

    def _connected(self) -> smtplib.SMTP:
        parts = urlsplit(self.url)
        host, user = parts.hostname or "", unquote(parts.username or "")
        if parts.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                host, parts.port or 465, timeout=self.seconds, context=ssl.create_default_context()
            )
        else:
            server = smtplib.SMTP(host, parts.port or 25, timeout=self.seconds)
        try:
            server.ehlo_or_helo_if_needed()
            if parts.scheme == "smtp" and server.has_extn("starttls"):
                server.starttls(context=ssl.create_default_context())
                server.ehlo()
            elif parts.scheme == "smtp" and user and host not in LOCAL:
                raise ssl.SSLError("a password is not sent in the clear")
            if user:
                server.login(user, unquote(parts.password or ""))
        except BaseException:
            server.close()
            raise
        return server
