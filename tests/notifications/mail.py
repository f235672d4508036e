"""A real mail server for tests that can accept or refuse email, hang, or be stopped."""

from __future__ import annotations

import asyncio
import email
import email.policy
import socket

from aiosmtpd.controller import Controller


class MailServer:
    """Accepts email, or gives the answers set by a test."""

    def __init__(self, **told):
        self.letters, self.answers, self.hangs = [], [], 0.0
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._told = told
        self._controller = None

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.port}"

    def start(self):
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, **self._told)
        self._controller.start()

    def stop(self):
        if self._controller is not None:
            self._controller.stop(no_assert=True)
            self._controller = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.answers and self.answers[0].startswith("rcpt "):
            return self.answers.pop(0)[5:]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.hangs:
            await asyncio.sleep(self.hangs)
        if self.answers:
            return self.answers.pop(0)
        self.letters.append(
            (envelope.rcpt_tos, email.message_from_bytes(envelope.content, policy=email.policy.default))
        )
        return "250 OK"
