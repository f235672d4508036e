"""Hands an email to a mail server: one attempt, within a time limit, with passwords only over TLS."""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from service.core.outbound.deadline import ConnectionDeadline
from service.core.outbound.dns import resolve, run_with_timeout
from service.ops.settings import Settings

SECONDS, TOTAL_SECONDS = 20.0, 120.0
"""Seconds of silence and seconds in total that a server is allowed. The total stops a server that sends a byte per second."""

READY = 220
"""The reply code of a server that is ready, for a new connection or for TLS."""

HOSTNAME_SECONDS = 5.0
"""Seconds for the lookup of the machine's own name. The name is sent, but servers do not rely on it."""

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
"""Hosts to which a password may be sent in plain text, because it does not leave this machine."""


SENDER_STATUS = ("5.1.7", "5.1.8")
"""Enhanced status codes of class 5.1 that concern the sender's address."""

_ENHANCED = re.compile(rb"[245]\.\d{1,3}\.\d{1,3}(?=\s|$)")


@dataclass(frozen=True, slots=True)
class SendResult:
    """The result of an attempt."""

    is_accepted: bool
    is_bounced: bool = False
    """Whether the server reports a wrong address (enhanced status 5.1.x, RFC 3463). A retry is then useless."""
    reason: str = ""
    """Why it failed: a code, with the server's number if it gave one. Never the server's text, which may contain the address."""


@dataclass(frozen=True, slots=True)
class Mailer:
    """A mail server, from a URL: ``smtp://user:password@host:587`` or ``smtps://…``."""

    url: str
    sender: str
    seconds: float = SECONDS
    total_seconds: float = TOTAL_SECONDS

    @staticmethod
    def from_settings(settings: Settings) -> Mailer | None:
        """The mail server in the settings; None if email is disabled."""
        return Mailer(settings.smtp_url, settings.mail_from) if settings.letters else None

    def send(self, email: EmailMessage) -> SendResult:
        """Send an email. Errors are returned in the result, not raised."""
        deadline = ConnectionDeadline(self.total_seconds)
        try:
            server = self._connect_server(deadline)
            try:
                server.send_message(email)
            finally:
                # An accepted email stays accepted, even if closing the connection fails.
                with suppress(smtplib.SMTPException, OSError):
                    server.quit()
                server.close()
        except smtplib.SMTPRecipientsRefused as error:
            code, text = max(error.recipients.values())
            return _rejection("recipient-refused", code, text)
        except smtplib.SMTPAuthenticationError as error:  # a matter for the operator, not a fault of the address
            return SendResult(False, False, f"not-let-in {error.smtp_code}")
        except (smtplib.SMTPConnectError, smtplib.SMTPHeloError, smtplib.SMTPSenderRefused) as error:
            return SendResult(False, False, f"refused {error.smtp_code}")
        except smtplib.SMTPDataError as error:
            return _rejection("refused", error.smtp_code, error.smtp_error)
        except smtplib.SMTPResponseException as error:  # a protocol error of the server, not a fault of the email
            return SendResult(False, False, f"refused {error.smtp_code}")
        except smtplib.SMTPServerDisconnected as error:
            slow = deadline.is_expired or isinstance(error.__context__, TimeoutError)
            return SendResult(False, False, "too-slow" if slow else "hung-up")
        except TimeoutError:
            return SendResult(False, False, "too-slow")
        except ssl.SSLError:
            return SendResult(False, False, "too-slow" if deadline.is_expired else "tls-failed")
        except (smtplib.SMTPException, OSError) as error:
            return SendResult(False, False, "too-slow" if deadline.is_expired else type(error).__name__)
        finally:
            deadline.cancel()
        return SendResult(True)

    def _connect_server(self, deadline: ConnectionDeadline) -> smtplib.SMTP:
        parts = urlsplit(self.url)
        host, user = parts.hostname or "", unquote(parts.username or "")
        secure = parts.scheme == "smtps"
        server = smtplib.SMTP(local_hostname=_local_hostname(deadline), timeout=self.seconds)
        try:
            server.sock = _connect(host, parts.port or (465 if secure else 25), self.seconds, deadline)
            if secure:
                server.sock = ssl.create_default_context().wrap_socket(server.sock, server_hostname=host)
            code, text = server.getreply()
            if code != READY:
                raise smtplib.SMTPConnectError(code, text)
            server.ehlo_or_helo_if_needed()
            if not secure and server.has_extn("starttls"):
                _start_tls(server, host)
            elif not secure and user and host not in LOCAL_HOSTS:
                raise ssl.SSLError("a password is not sent in the clear")
            if user:
                server.login(user, unquote(parts.password or ""))
        except BaseException:
            server.close()
            raise
        return server


def _rejection(what: str, code: int, text: bytes | str) -> SendResult:
    """A refusal of the recipient or of the email. Codes such as 5.7.1 concern the server's policy, not the address."""
    found = _ENHANCED.match(text if isinstance(text, bytes) else text.encode())
    status = found[0].decode() if found else ""
    bounced = 500 <= code < 600 and status.startswith("5.1.") and status not in SENDER_STATUS
    return SendResult(False, bounced, f"{what} {code} {status}".rstrip())


def _connect(host: str, port: int, seconds: float, deadline: ConnectionDeadline) -> socket.socket:
    """A connection to one of the host's addresses. From here on the deadline can cut it."""
    failed: OSError = ConnectionRefusedError()
    for address in resolve(host, port, min(seconds, deadline.remaining())):
        try:
            connected = socket.create_connection((address, port), min(seconds, deadline.remaining()))
        except OSError as error:
            failed = error
            continue
        connected.settimeout(seconds)
        deadline.watch(connected)
        return connected
    raise failed


def _start_tls(server: smtplib.SMTP, host: str) -> None:
    """STARTTLS as in `smtplib.SMTP.starttls`, which knows only the name of a host to which it connected itself."""
    code, text = server.docmd("STARTTLS")
    if code != READY:
        raise smtplib.SMTPResponseException(code, text)
    assert server.sock is not None
    server.sock = ssl.create_default_context().wrap_socket(server.sock, server_hostname=host)
    # RFC 3207: discard everything that was received before TLS.
    server.file = server.helo_resp = server.ehlo_resp = None
    server.does_esmtp = False
    server.ehlo()


def _local_hostname(deadline: ConnectionDeadline) -> str:
    """The machine's full name, or an address if it has none, as `smtplib` does it but with a time limit."""
    with suppress(OSError, UnicodeError):
        name = run_with_timeout(min(HOSTNAME_SECONDS, deadline.remaining()), socket.getfqdn)
        if "." in name:
            return name
        return f"[{run_with_timeout(min(HOSTNAME_SECONDS, deadline.remaining()), lambda: socket.gethostbyname(socket.gethostname()))}]"
    return "[127.0.0.1]"
