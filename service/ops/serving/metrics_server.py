"""A separate port for the metrics of one `serve`, for hosts without an API that answers `/metrics`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6

from service.core.accounts.scopes import ADMIN, includes
from service.core.http.context.tokens import digest_of
from service.core.http.metrics import SCRAPE_SECONDS
from service.core.http.resources.operations import METRICS
from service.core.http.ttl_cache import CachedValue
from service.ops.metrics.gathering import gathered
from service.ops.settings import Settings
from service.store.ports.errors import StoreDown
from service.store.redis.store import Store

_SLOW = 10
"""Seconds that a scraper may take to send its request and to read the response."""


class FiguresServer(ThreadingHTTPServer):
    """Answers `GET /metrics` for clients that the settings allow, and nothing else."""

    daemon_threads = True

    def __init__(self, settings: Settings, store: Store, folder: str) -> None:
        """``folder`` has the processes' metrics files. Raises `OSError` if it cannot listen on the port."""
        self.address_family = AF_INET6 if ":" in settings.host else AF_INET
        self._closed, self._store = settings.metrics == "token", store
        self.figures = CachedValue(partial(gathered, folder), SCRAPE_SECONDS)
        super().__init__((settings.host, settings.metrics_port), _Handler)

    def lets(self, authorization: str) -> bool:
        """Whether a client with this header may read the metrics. Raises `StoreDown`."""
        if not self._closed:
            return True
        kind, _, token = authorization.partition(" ")
        found = self._store.accounts.by_token(digest_of(token.strip())) if kind.lower() == "bearer" else None
        if found is None or self._store.accounts.suspension(found.player) is not None:
            return False
        return found.game is None and includes(found.scopes, ADMIN)


class _Handler(BaseHTTPRequestHandler):
    server: FiguresServer
    timeout = _SLOW
    server_version = "oraclewheel"
    sys_version = ""

    def do_GET(self) -> None:
        if self.path.partition("?")[0] != "/metrics":
            self.send_error(404)
            return
        try:
            if not self.server.lets(self.headers.get("Authorization", "")):
                self.send_error(401)
                return
        except StoreDown:
            self.send_error(503)
            return
        told = self.server.figures.get()
        self.send_response(200)
        self.send_header("Content-Type", METRICS)
        self.send_header("Content-Length", str(len(told)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *_: object) -> None:
        """Scrapes are not logged."""


@contextmanager
def scraped(settings: Settings, store: Store, folder: str) -> Iterator[None]:
    """Serve the metrics on their port during the block."""
    with FiguresServer(settings, store, folder) as server:
        threading.Thread(target=server.serve_forever, name="figures", daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()
