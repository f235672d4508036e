"""``oraclewheel serve``: the embedded server, the API, the workers and the schedule, under one roof."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from typing import Any

import click

from service import logs
from service.cli.children import Family
from service.cli.warden import Warden
from service.embedded import EmbeddedServer
from service.folder import keep_private
from service.queue import PUMP, SIDE
from service.server_binary import BINARY_SETTING, ServerUnusable
from service.settings import BadSetting, Settings

ROLES = ("api", "worker", "schedule")


@click.command("serve")
@click.option("--only", type=click.Choice(ROLES), help="Run one role; the others run elsewhere, on the same Redis.")
def command(only: str | None) -> None:
    """Run the service until Ctrl-C or SIGTERM: everything on one port, or one role of it."""
    keep_private()
    try:
        settings = Settings.load()
        _check(settings, only)
    except BadSetting as error:
        raise click.ClickException(str(error)) from error
    logs.configure(settings.log_level)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    server = None if settings.redis_url else _embedded(settings)
    with tempfile.TemporaryDirectory(prefix="oraclewheel-") as figures:
        environ = {**os.environ, **settings.environ(), "PROMETHEUS_MULTIPROC_DIR": figures}
        try:
            if server is not None:
                environ["ORACLEWHEEL_REDIS_URL"] = server.start()
            _run(settings, environ, ROLES if only is None else (only,), stop)
        except ServerUnusable as error:
            raise click.ClickException(str(error)) from error
        finally:
            if server is not None:
                server.stop()


def _check(settings: Settings, only: str | None) -> None:
    if only is not None and not settings.redis_url:
        raise BadSetting("One role alone needs ORACLEWHEEL_REDIS_URL: the Redis that it shares with the others.")
    if only in (None, "api"):
        _check_port(settings)


def _check_port(settings: Settings) -> None:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            reason = f"{settings.host}:{settings.port} cannot be listened on ({error.strerror})"
            raise BadSetting(f"{reason}; set ORACLEWHEEL_PORT to a free port.") from error


def _embedded(settings: Settings) -> EmbeddedServer:
    if settings.redis_server:
        os.environ[BINARY_SETTING] = settings.redis_server
    fsync: Any = settings.appendfsync
    return EmbeddedServer(settings.data, fsync=fsync)


def _run(settings: Settings, environ: dict[str, str], roles: tuple[str, ...], stop: threading.Event) -> None:
    python = sys.executable
    warden = Warden(Settings.load(environ, None))
    if "worker" in roles:
        warden.start()
    family = Family(environ, warden.died)
    if "api" in roles:
        family.add("api", [python, "-m", "gunicorn", "-c", "python:service.cli.http", "service.api:create_app()"])
    if "schedule" in roles:
        family.add("schedule", [python, "-m", "workers", "schedule"])
    if "worker" in roles:
        family.add("side", [python, "-m", "workers", SIDE], settings.sides)
        family.add("pump", [python, "-m", "workers", PUMP], settings.pumps, spares=1)
    if "api" in roles:
        threading.Thread(target=_greet, args=(settings, environ, stop), daemon=True).start()
    try:
        family.watch(stop.wait)
    finally:
        click.echo("Stopping …")
        family.stop(first="api")


def _greet(settings: Settings, environ: dict[str, str], stop: threading.Event) -> None:
    """Print the address as soon as it answers, and let bots play there if that is wished."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 - not to bind to
    url = f"http://{host}:{settings.port}"
    while not stop.wait(0.1):
        if _answers(url):
            where = "" if settings.redis_url else f" (data in {settings.data})"
            click.echo(f"Oracle Wheel is at {url}{where}; its API is described at {url}/docs. Stop it with Ctrl-C.")
            if settings.demo:
                from service.cli.demo import start

                click.echo(f"Bots play a game at {url}/v1/games/{start(environ)}/view")
            return


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=2) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        time.sleep(0.1)
        return False
