"""``oraclewheel serve``: run the embedded server, the API, the workers and the schedule."""

from __future__ import annotations

import errno
import os
import signal
import socket
import tempfile
import time

import click

from service.core.outbound.addresses import AllowedAddresses
from service.core.outbound.retries import parse_retries
from service.ops.logging import configure
from service.ops.private_files import keep_private
from service.ops.processes.open_files import raise_limit
from service.ops.processes.supervisor import Hopeless
from service.ops.serving.processes import Processes
from service.ops.settings import BadSetting, Settings, unknown_settings

PORT_WAIT = 5.0
"""Seconds to wait for a port that is in use."""

ROLES = ("api", "worker", "compute", "schedule")

RENAMED = {"think": "compute"}
"""Names of roles in release 0.3.0, and their current names."""


@click.command("serve")
@click.option(
    "--only",
    type=click.Choice((*ROLES, *RENAMED)),
    help="Run only this role. The other roles run elsewhere on the same Redis. `think` is an old name of `compute`.",
)
@click.option(
    "--accept-loss",
    is_flag=True,
    help="Start although the store is empty, a different one, or older than the data folder has recorded.",
)
@click.option(
    "--accept-new-key",
    is_flag=True,
    help="Start although the signing key is not the one recorded in the store.",
)
@click.option(
    "--repair-aof",
    is_flag=True,
    help="Remove the damaged end of the embedded server's append-only file, for example after a power failure. Keeps a copy.",
)
def command(only: str | None, accept_loss: bool, accept_new_key: bool, repair_aof: bool) -> None:
    """Run the service.

    Starts everything on one port (ORACLEWHEEL_PORT), or one role with --only. Without ORACLEWHEEL_REDIS_URL it also starts an
    embedded Redis-compatible server in ORACLEWHEEL_DATA. Stop it with Ctrl-C or SIGTERM. SIGHUP loads the settings and the
    installed code again while the service answers.

    Exit status: 0 after Ctrl-C or SIGTERM, 1 if the service cannot start or cannot continue.

    Example: oraclewheel serve --only worker
    """
    keep_private()
    only = None if only is None else RENAMED.get(only, only)
    try:
        settings = Settings.load()
        listener = _check(settings, only)
    except BadSetting as error:
        raise click.ClickException(str(error)) from error
    for warning in unknown_settings():
        click.echo(f"Warning: {warning}", err=True)
    configure(settings.log_level)
    click.echo("Starting …")
    received: list[int] = []  # not an Event: `Event.set` deadlocks if a second signal interrupts it
    numbers = [signal.SIGINT, signal.SIGTERM]
    if not os.isatty(0):  # at a terminal, SIGHUP means that it was closed
        numbers.append(signal.SIGHUP)
    for number in numbers:
        signal.signal(number, lambda number, _: received.append(number))
    raise_limit()
    roles = ROLES if only is None else (only,)
    with tempfile.TemporaryDirectory(prefix="oraclewheel-") as metrics:
        processes = Processes(settings, roles, listener, metrics)
        processes.start()
        try:
            # only now, because this process and its child processes import the same modules at the same time
            from service.cli.stores.sentences import sentences
            from service.ops.serving.running import run

            with sentences(Hopeless, OSError):
                run(
                    settings,
                    processes,
                    received,
                    accept_loss=accept_loss,
                    accept_new_key=accept_new_key,
                    repair_aof=repair_aof,
                )
        finally:
            processes.stop()


def _check(settings: Settings, only: str | None) -> socket.socket | None:
    """The socket of the API, if it runs here. Raises `BadSetting`."""
    if only is not None and not settings.redis_url:
        raise BadSetting("--only needs ORACLEWHEEL_REDIS_URL. Set it to the Redis that all roles share.")
    AllowedAddresses.from_settings(settings), parse_retries(settings)
    if settings.metrics_port:
        _bound(settings, settings.metrics_port, "ORACLEWHEEL_METRICS_PORT").close()
    return _bound(settings, settings.port, "ORACLEWHEEL_PORT") if only in (None, "api") else None


def _bound(settings: Settings, port: int, name: str) -> socket.socket:
    """A socket on the port, which does not listen yet. Raises `BadSetting` if the port is in use."""
    until = time.monotonic() + PORT_WAIT
    while True:
        bound = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((settings.host, port))
        except OSError as error:
            bound.close()
            if error.errno == errno.EADDRINUSE and time.monotonic() < until:
                time.sleep(0.1)  # a killed service on this port may be finishing its last requests
                continue
            reason = f"The service cannot listen on {settings.host}:{port} ({error.strerror})"
            raise BadSetting(f"{reason}. Stop the other process or set {name} to a free port.") from error
        return bound
