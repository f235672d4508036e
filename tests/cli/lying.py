"""A faulty proxy: it acknowledges commands without sending them, sends them twice, or drops or garbles responses."""

from __future__ import annotations

import contextlib
import itertools
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

PASSED_ON = ("Authorization", "Content-Type", "Prefer", "Idempotency-Key", "If-None-Match", "Accept")
"""Request headers that are forwarded."""
GARBLED = itertools.cycle(
    (b"[]", b"{}", b"5", b'{"status": 5}', b'{"pending_questions": [{"seat": 9, "kind": "turn"}], "status": "on"}')
)
"""JSON that the service never returns."""
ANSWERED = ("Content-Type", "ETag", "Game-Head", "Location", "Retry-After")


@contextlib.contextmanager
def lying(url, *, how, each=5):
    """The URL of a proxy that mistreats every ``each``-th command. ``how`` is ``drops``, ``doubles`` or ``cuts``.

    With ``garbles`` it garbles every ``each``-th response about a game, except event pages and event streams.
    """
    counted = itertools.count(1)
    session = threading.local()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # head and body in one piece

        def _pass(self, **other):
            if not hasattr(session, "line"):
                session.line = requests.Session()
            headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers} | other
            return session.line.request(
                self.command, url + self.path, headers=headers, data=self.body, timeout=60, allow_redirects=False
            )

        def _answer(self):
            self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
            if how != "garbles" and self._is_command() and next(counted) % each == 0:
                if how == "drops":
                    return self._tell(
                        202, {"Content-Type": "application/json"}, b'{"id": "never-was", "status": "pending"}'
                    )
                answer = self._pass()
                if how == "cuts":
                    self.close_connection = True
                    return None
                self._pass(**{"Idempotency-Key": f"again-{next(counted)}"})
            else:
                answer = self._pass()
            if how == "garbles" and self._of_game() and next(counted) % each == 0:
                return self._tell(answer.status_code, answer.headers, next(GARBLED))
            return self._tell(answer.status_code, answer.headers, answer.content)

        def _is_command(self):
            return self.command == "POST" and self.path.endswith("/commands")

        def _of_game(self):
            return self.path.startswith("/v1/games/") and "/events" not in self.path

        def _tell(self, status, headers, body):
            self.send_response(status)
            for name in ANSWERED:
                if name in headers:
                    self.send_header(name, headers[name])
            if status not in (204, 304):
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if status not in (204, 304):
                self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _answer

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def strange(body, *, status=200):
    """The URL of a server that gives the same response to every request, like a single-page application."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_DELETE = do_GET

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
