"""``oraclewheel serve``: run the embedded server, the API, the workers and the schedule."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from service.cli.serving import gate
from service.cli.serving.children import Family, Hopeless, fork, preload, program
from service.cli.stores.sentences import sentences
from service.instance.embedded import EmbeddedServer
from service.instance.folder import keep_private
from service.instance.identity import Marker
from service.instance.queue_server import QueueServer
from service.instance.server_binary import BINARY_SETTING
from service.post.webhooks.addresses import Reach
from service.post.webhooks.retries import retries
from service.process import logs
from service.process.figures.gathering import FOLDER
from service.process.open_files import raise_limit
from service.queue import CRON, SIDE
from service.queue.compute import COMPUTE
from service.queue.lanes import SETTLE
from service.settings import BadSetting, Settings, unknown_settings
from service.store.ports.errors import StoreUnusable
from service.store.redis.store import Store

PORT_WAIT = 5.0
"""Seconds to wait for a port that is in use."""

ROLES = ("api", "worker", COMPUTE, "schedule")

RENAMED = {"think": COMPUTE}
"""Names of roles in release 0.3.0, and their current names."""

API = (sys.executable, "-m", "gunicorn", "-c", "python:service.server.config", "service.server.app:app()")
"""The command that serves the API."""

WORKER, PRELOAD = "workers.__main__", "workers.preload"
"""The module that runs a worker, and the one that imports all that workers need."""

SAMPLE = "service.cli.commands.check_release"
"""The module that warns of running games that this release would decide differently."""

log = logs.logger("serve")


@click.command("serve")
@click.option(
    "--only",
    type=click.Choice((*ROLES, *RENAMED)),
    help="Run only this role. The other roles run elsewhere on the same Redis. `think` is an old name of `compute`.",
)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Accept a store that is empty, older than the data folder knows, or a different one.",
)
@click.option(
    "--accept-new-key",
    is_flag=True,
    help="Accept a signing key that differs from the one the store knows.",
)
@click.option(
    "--repair-aof",
    is_flag=True,
    help="Truncate a damaged end of the embedded server's append-only file, as after a power failure. Keeps a copy.",
)
def command(only: str | None, accept_loss: bool, accept_new_key: bool, repair_aof: bool) -> None:
    """Run the service.

    Starts everything on one port (ORACLEWHEEL_PORT), or one role with --only. Without ORACLEWHEEL_REDIS_URL it also starts an
    embedded Redis-compatible server in ORACLEWHEEL_DATA. Stop it with Ctrl-C or SIGTERM.

    Exit status: 0 after Ctrl-C or SIGTERM, 1 if the service cannot start or cannot continue.
    """
    keep_private()
    only = None if only is None else RENAMED.get(only, only)
    with sentences():
        settings = Settings.load()
        _check(settings, only)
    for warning in unknown_settings():
        click.echo(f"Warning: {warning}", err=True)
    logs.configure(settings.log_level)
    click.echo("Starting …")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    raise_limit()
    roles = ROLES if only is None else (only,)
    server = None if settings.redis_url else _embedded(settings, accept_loss, repair_aof)
    queue = None if server is None or settings.queue_url else QueueServer(settings.data)
    try:
        with sentences(Hopeless, OSError):
            _serve(settings, server, queue, roles, stop, accept_loss=accept_loss, accept_new_key=accept_new_key)
    finally:
        if queue is not None:
            queue.stop()
        if server is not None:
            server.stop()


def _serve(
    settings: Settings,
    server: EmbeddedServer | None,
    queue: QueueServer | None,
    roles: tuple[str, ...],
    stop: threading.Event,
    *,
    accept_loss: bool,
    accept_new_key: bool,
) -> None:
    """Start the embedded store if there is one, check the store, and run the roles."""
    url = settings.redis_url if server is None else server.start()
    store, known = gate.enter(settings, url, accept_loss=accept_loss)
    marker = Marker(settings.data, store.wire, known.id)
    try:
        gate.check_key(settings, store, accept_new=accept_new_key, signs="worker" in roles)
        gate.check_queue(settings)
        for warning in store.warnings():
            log.warning("games could be lost", why=warning)
        marker.start()
        with tempfile.TemporaryDirectory(prefix="oraclewheel-") as figures:
            if "api" in roles or settings.metrics_port:  # otherwise nothing reads the metrics or deletes old ones
                os.environ[FOLDER] = figures
            environ = {**os.environ, **settings.environ(), "ORACLEWHEEL_REDIS_URL": url}
            if queue is not None:
                environ["ORACLEWHEEL_QUEUE_URL"] = queue.start()
            with _scraped(settings, store, figures):
                threading.Thread(target=_report, args=(settings, environ, roles, stop), daemon=True).start()
                _run(settings, environ, roles, stop, lambda: _failure(server, marker))
        marker.stop()
        if server is not None:
            server.stop()
            marker.finish()
    finally:
        store.close()


def _scraped(settings: Settings, store: Store, figures: str) -> AbstractContextManager[None]:
    """The separate metrics port, if configured. Its module is imported only then."""
    if not settings.metrics_port or settings.metrics == "off":
        return nullcontext()
    from service.cli.serving.figures import scraped

    return scraped(settings, store, figures)


def _failure(server: EmbeddedServer | None, marker: Marker) -> str | None:
    """Why the service must stop; None if it need not."""
    if server is not None and server.failure is not None:
        return str(server.failure)
    return marker.failure


def _check(settings: Settings, only: str | None) -> None:
    if only is not None and not settings.redis_url:
        raise BadSetting("--only needs ORACLEWHEEL_REDIS_URL. Set it to the Redis that all roles share.")
    Reach.of(settings), retries(settings)
    if only in (None, "api"):
        _check_port(settings, settings.port, "ORACLEWHEEL_PORT")
    if settings.metrics_port:
        _check_port(settings, settings.metrics_port, "ORACLEWHEEL_METRICS_PORT")


def _check_port(settings: Settings, port: int, name: str) -> None:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    until = time.monotonic() + PORT_WAIT
    while True:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((settings.host, port))
            except OSError as error:
                if error.errno == errno.EADDRINUSE and time.monotonic() < until:
                    time.sleep(0.1)  # a killed service on this port may be finishing its last requests
                    continue
                reason = f"The service cannot listen on {settings.host}:{port} ({error.strerror})"
                raise BadSetting(f"{reason}. Stop the other process or set {name} to a free port.") from error
            return


def _embedded(settings: Settings, accept_loss: bool, repair: bool) -> EmbeddedServer:
    if settings.redis_server:
        os.environ[BINARY_SETTING] = settings.redis_server
    fsync: Any = settings.appendfsync
    return EmbeddedServer(settings.data, fsync=fsync, accept_loss=accept_loss, repair=repair)


def _run(
    settings: Settings,
    environ: dict[str, str],
    roles: tuple[str, ...],
    stop: threading.Event,
    failure: Callable[[], str | None],
) -> None:
    family = Family(environ)
    if roles != ("api",):
        preload(PRELOAD)
    if "api" in roles:
        family.add("api", program(*API))
    if "schedule" in roles or "worker" in roles:
        family.add(CRON, fork(WORKER, CRON))
    if "worker" in roles:
        family.add(SIDE, fork(WORKER, SIDE), settings.sides)
        for number in range(settings.settle_workers):
            family.add(SETTLE, fork(WORKER, SETTLE, str(number)))
    if "worker" in roles or COMPUTE in roles:
        family.add(COMPUTE, fork(WORKER, COMPUTE), settings.thinkers)
    try:
        family.watch(lambda seconds: stop.wait(seconds) or failure() is not None)
        if (reason := failure()) is not None:
            raise StoreUnusable(reason)
    finally:
        stop.set()
        click.echo("Stopping …")
        family.stop(first="api")


def _report(settings: Settings, environ: dict[str, str], roles: tuple[str, ...], stop: threading.Event) -> None:
    """Print the address, the demo game, and warnings about games that this release decides differently."""
    if "api" in roles:
        _greet(settings, environ, stop)
    if roles != ("api",):
        sample = fork(SAMPLE)(environ)  # in another process, because it imports all games
        while sample.poll() is None:
            if stop.wait(0.1):
                sample.terminate()
                return


def _greet(settings: Settings, environ: dict[str, str], stop: threading.Event) -> None:
    """Print the address as soon as it answers. Start the demo game if configured."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 - not to bind to
    url = f"http://{host}:{settings.port}"
    while not stop.wait(0.05):
        if _answers(url):
            where = "" if settings.redis_url else f" (data in {settings.data})"
            click.echo(f"Oracle Wheel is running at {url}{where}. API documentation: {url}/docs. Press Ctrl-C to stop.")
            if settings.demo:
                from service.cli.serving.demo import start

                click.echo(f"Demo game between bots: {url}/v1/games/{start(environ)}/view")
            return


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=2) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        time.sleep(0.1)
        return False
