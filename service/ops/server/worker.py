"""gunicorn's gevent worker, with a limit on the connections of one address and a quick end of idle ones."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gevent
from gevent.monkey import MonkeyPatchWarning
from gunicorn.workers.ggevent import GeventWorker

from service.ops.settings import Settings


def connection_limit(settings: Settings) -> int:
    """How many connections one address may have; 0 is no limit. Behind a proxy all connections come from the proxy."""
    return 0 if settings.proxies else settings.connections_address


class _Stopped(Exception):
    """Ends the wait for the head of a request."""


class CappedWorker(GeventWorker):  # type: ignore[misc]
    """Closes a connection at once if its address has as many as it may have, and idle connections when the worker stops."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.most = connection_limit(Settings.load())
        self.open: Counter[str] = Counter()
        self.idle: set[gevent.Greenlet] = set()
        """Those that wait for the head of a request."""

    def patch(self) -> None:
        """Patch the rest of what gevent patches: the process that this one was forked from had patched a part."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MonkeyPatchWarning)
            super().patch()

    @contextmanager
    def timeout_ctx(self) -> Iterator[None]:
        """Wait for the head of a request, for at most the keep-alive time."""
        waiting = gevent.getcurrent()
        self.idle.add(waiting)
        try:
            with super().timeout_ctx():
                yield
        except _Stopped:
            return
        finally:
            self.idle.discard(waiting)

    def handle_exit(self, sig: Any, frame: Any) -> None:
        """Stop; gunicorn would wait for idle connections as long as for requests under way."""
        super().handle_exit(sig, frame)
        for greenlet in list(self.idle):
            greenlet.kill(_Stopped, block=False)

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serve one connection until it ends."""
        if not self.most or not isinstance(addr, tuple):
            super().handle(listener, client, addr)
            return
        from service.core.http.limits.rates import network_of  # not before gevent has patched what this imports

        address = network_of(addr[0])
        if self.open[address] >= self.most:
            client.close()
            return
        self.open[address] += 1
        try:
            super().handle(listener, client, addr)
        finally:
            self.open[address] -= 1
            if not self.open[address]:
                del self.open[address]
