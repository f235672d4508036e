"""A receiver on loopback that records requests and answers as a test chooses: normally, late, never, or with nonsense."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook as Verifier


@dataclass
class Got:
    """One request."""

    path: str
    headers: dict
    body: bytes
    at: float = field(default_factory=time.monotonic)

    @property
    def id(self):
        return self.headers["webhook-id"]

    @property
    def json(self):
        return json.loads(self.body)

    def verified(self, secret):
        """Return the payload if the library's own verifier accepts the signature."""
        return Verifier(secret).verify(self.body, self.headers)


class Receiver:
    """One receiver per path: `act[path]` is called with the request and the handler, and may answer itself."""

    def __init__(self, tls=None):
        self.got = defaultdict(list)
        self.act = {}
        self.guard = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length)
                if len(body) < length:
                    self.close_connection = True
                    return  # the sender was killed in the middle of the request
                got = Got(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                with outer.guard:
                    outer.got[self.path].append(got)
                with contextlib.suppress(OSError):
                    answered = outer.act.get(self.path, lambda *_: 204)(got, self)
                    if answered is not None:
                        self.send_response(answered)
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                self.close_connection = True

            do_GET = do_POST

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 256  # with the default of five, a sixth concurrent connection may be refused

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()

    def url(self, path="/hook", scheme="http", host="127.0.0.1"):
        return f"{scheme}://{host}:{self.port}{path}"

    def ids(self, path="/hook"):
        """Return the distinct event ids received at this path, in the order of first arrival."""
        return list(dict.fromkeys(got.id for got in self.got[path]))

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def redirect(to):
    def act(_, handler):
        handler.send_response(307)
        handler.send_header("Location", to)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return act


def document(body, status=200):
    """Answer with a body."""

    def act(_, handler):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return act


def hang(seconds):
    def act(*_):
        time.sleep(seconds)

    return act


def drip(seconds):
    """Send a byte of the response head every tenth of a second."""

    def act(_, handler):
        until = time.monotonic() + seconds
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while time.monotonic() < until:
            handler.wfile.write(b"X-Drop: x\r\n"[0:1])
            handler.wfile.flush()
            time.sleep(0.1)

    return act


def endless(status):
    """Send an endless body."""

    def act(_, handler):
        handler.send_response(status)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65536)

    return act


def nonsense(_, handler):
    handler.wfile.write(b"\x00\xff" * 100 + b"\r\n\r\n")
    handler.wfile.flush()
