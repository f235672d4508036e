"""Extra servers for tests: start, wait, and stop by process id."""

from __future__ import annotations

import datetime as dt
import ipaddress
import random
import socket
import ssl
import subprocess
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import redis

from service.ops.instance.server_binary import find_binary, identify

LONG = 240.0
"""Timeout in seconds that allows for a busy machine."""

THIS = identify(find_binary())
"""The server with which the tests run."""

WAITS_FOR_DISKS = THIS.name == "valkey" or THIS.release >= (7, 2)
"""Whether the server can wait for the disks of replicas (`WAITAOF`). Redis 7.0 cannot."""


PORTS = range(20_000, 22_700)
"""Ports that, like those 10,000 above, are not used for outgoing connections (Linux uses 32,768 and above)."""


def free_port():
    """Find a free port whose port 10,000 above, the cluster bus, is free too."""
    while True:
        port = random.SystemRandom().choice(PORTS)
        with socket.socket() as one, socket.socket() as bus, suppress(OSError):
            one.bind(("127.0.0.1", port))
            bus.bind(("127.0.0.1", port + 10_000))
            return port


def eventually(look, seconds=LONG, every=0.05):
    """Call ``look`` until it returns something, and return that; chain its last failure on a timeout."""
    until, failure = time.monotonic() + seconds, None
    while time.monotonic() < until:
        try:
            if found := look():
                return found
        except (AssertionError, redis.RedisError, OSError) as error:
            failure = error
        time.sleep(every)
    raise AssertionError(f"it has not come to pass in {seconds} seconds") from failure


class Ended(Exception):
    """A server exited instead of starting; the message is the end of its log."""


class Server:
    """A server with its own folder; ``flags`` are configuration options."""

    def __init__(self, folder: Path, *, port=None, binary=None, **flags):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.port = folder, port or free_port()
        self.flags = {"port": str(self.port), "bind": "127.0.0.1", "dir": str(folder), "save": "", **flags}
        self.process, self.binary = None, binary

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self, *words):
        arguments = [part for name, value in self.flags.items() for part in (f"--{name.replace('_', '-')}", value)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([self.binary or find_binary(), *words, *arguments], stdout=log, stderr=log)
        eventually(self.answers)
        return self

    def answers(self):
        if self.process.poll() is not None:
            raise Ended((self.folder / "log").read_text()[-2000:])
        with socket.create_connection(("127.0.0.1", self.port), 2) as line:
            line.sendall(b"PING\r\n")
            return line.recv(1) in (b"+", b"-")

    def client(self, **told):
        return redis.Redis.from_url(self.url, socket_timeout=10, **told)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
                return
            self.kill()


@contextmanager
def running(folder, *words, **flags):
    server = Server(folder, **flags)
    try:
        yield server.start(*words)
    finally:
        server.stop()


def certificate(folder: Path):
    """Write a self-signed certificate for 127.0.0.1 and its key; return both files."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    written = folder / "certificate.pem", folder / "key.pem"
    written[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.PKCS8
    written[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return written


class Encrypting:
    """A TLS proxy in front of a plain server, because the embedded binary has no TLS."""

    def __init__(self, behind: int, files, port=None):
        self._behind, self._context = behind, ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*files)
        self._listening = socket.create_server(("127.0.0.1", port or 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def close(self):
        self._listening.close()

    def _run(self):
        with suppress(OSError):
            while True:
                line, _ = self._listening.accept()
                threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line):
        with (
            suppress(OSError),
            closing(line),
            self._context.wrap_socket(line, server_side=True) as hither,
            socket.create_connection(("127.0.0.1", self._behind)) as thither,
        ):
            # Only one thread uses the TLS connection: OpenSSL connections are not thread-safe.
            hither.settimeout(0.005)
            thither.settimeout(0.005)
            while self._passed(hither, thither) and self._passed(thither, hither):
                pass

    @staticmethod
    def _passed(one, other):
        try:
            data = one.recv(65536)
        except (TimeoutError, ssl.SSLWantReadError):
            return True
        if data:
            other.sendall(data)
        return bool(data)
