"""Running the service: the embedded servers, the checks of the store, and the child processes."""

from __future__ import annotations

import os
import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import click

from service.ops.instance.embedded import EmbeddedServer
from service.ops.instance.identity import Marker
from service.ops.instance.queue_server import QueueServer
from service.ops.instance.server_binary import BINARY_SETTING
from service.ops.logging import logger
from service.ops.serving import preflight
from service.ops.serving.processes import API, Processes
from service.ops.settings import Settings
from service.store.ports.errors import StoreUnusable
from service.store.redis.store import Store

log = logger("serve")


def run(
    settings: Settings,
    processes: Processes,
    received: list[int],
    *,
    accept_loss: bool,
    accept_new_key: bool,
    repair_aof: bool,
) -> None:
    """Start the embedded servers, check the store, and let the processes work until a signal asks to stop.

    ``received`` is the list to which the signal handlers append. Raises the errors of the checks, and `Hopeless` if a
    process can never start.
    """
    server = None if settings.redis_url else _embedded(settings, accept_loss, repair_aof)
    queue = None if server is None or settings.queue_url else QueueServer(settings.data)
    try:
        if server is not None:
            server.start()
        store, known = preflight.enter(settings, processes.redis_url, accept_loss=accept_loss)
        marker = Marker(settings.data, store.wire, known.id)
        try:
            preflight.check_key(settings, store, accept_new=accept_new_key, signs="worker" in processes.roles)
            preflight.check_queue(settings)
            for warning in store.warnings():
                log.warning("durability_warning", reason=warning)
            marker.start()
            if queue is not None:
                queue.start()
            with _scraped(settings, store, processes.metrics):
                processes.begin()
                _watch(settings, processes, received, server, marker)
            marker.stop()
            if server is not None:
                server.stop()
                marker.finish()
        finally:
            store.close()
    finally:
        if queue is not None:
            queue.stop()
        if server is not None:
            server.stop()


def _watch(
    settings: Settings,
    processes: Processes,
    received: list[int],
    server: EmbeddedServer | None,
    marker: Marker,
) -> None:
    """Keep the processes running until a signal asks to stop. Raises `StoreUnusable` if the service must stop."""
    stop = threading.Event()
    if API in processes.roles:
        threading.Thread(target=_greet, args=(settings, processes.environ, stop), daemon=True).start()
    try:
        while (failure := _failure(server, marker)) is None:
            if received:
                if received.pop(0) != signal.SIGHUP:
                    break
                processes.reload()
            processes.look_after()
            time.sleep(0.05)
        if failure is not None:
            raise StoreUnusable(failure)
    finally:
        stop.set()
        click.echo("Stopping …")
        processes.stop()


def _scraped(settings: Settings, store: Store, metrics: str) -> AbstractContextManager[None]:
    """The separate metrics port, if configured. Its module is imported only then."""
    if not settings.metrics_port or settings.metrics == "off":
        return nullcontext()
    from service.ops.serving.metrics_server import scraped

    return scraped(settings, store, metrics)


def _failure(server: EmbeddedServer | None, marker: Marker) -> str | None:
    """The reason why the service must stop. None if it need not."""
    if server is not None and server.failure is not None:
        return str(server.failure)
    return marker.failure


def _embedded(settings: Settings, accept_loss: bool, repair: bool) -> EmbeddedServer:
    if settings.redis_server:
        os.environ[BINARY_SETTING] = settings.redis_server
    fsync: Any = settings.appendfsync
    return EmbeddedServer(settings.data, fsync=fsync, accept_loss=accept_loss, repair=repair)


def _greet(settings: Settings, environ: Mapping[str, str], stop: threading.Event) -> None:
    """Print the address as soon as it answers. Start the demo game if configured."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 - not used to bind
    url = f"http://{host}:{settings.port}"
    while not stop.wait(0.05):
        if _answers(url):
            where = "" if settings.redis_url else f" (data in {settings.data})"
            click.echo(f"Oracle Wheel is running at {url}{where}. API documentation: {url}/docs. Press Ctrl-C to stop.")
            if settings.demo:
                from service.ops.serving.demo import start

                click.echo(f"Demo game between bots: {url}/v1/games/{start(environ)}/view")
            return


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=2) as answer:  # noqa: S310 - the address of this service
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        time.sleep(0.1)
        return False
