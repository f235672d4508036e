"""The store for a command that runs with or without the service."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager

import click

from service.cli.stores.sentences import sentences
from service.ops.instance.embedded import EmbeddedServer, InUse, answers, is_read_only
from service.ops.instance.folder import AOF, is_foreign
from service.ops.instance.server_binary import BINARY_SETTING
from service.ops.private_files import keep_private
from service.ops.serving.preflight import enter, must_have_served
from service.ops.settings import Settings
from service.store.redis.store import Store


@contextmanager
def opened(*, served: bool = False, existing: bool = False, older: bool = False) -> Iterator[tuple[Settings, Store]]:
    """The settings and their store.

    Without a Redis URL this is the embedded server: that of a running `serve` on the data folder, or a temporary one.
    With ``served`` it must be running, or, in an external Redis, a service must have run on it. With ``existing`` there
    must be a store, and none is created. ``older``: it may be one of release 0.3.0. Errors are raised as `ClickException`.
    """
    with _reached(served=served, existing=existing) as (settings, url), sentences():
        if served or (existing and settings.redis_url):
            must_have_served(settings, url)
        store, _ = enter(settings, url, older=older)
        with closing(store):
            yield settings, store


@contextmanager
def _reached(*, served: bool = False, existing: bool = False) -> Iterator[tuple[Settings, str]]:
    """The settings, and the URL of a server that runs during the block."""
    keep_private()
    with sentences(OSError):
        settings = Settings.load()
        server = None if settings.redis_url else _embedded(settings)
        url = settings.redis_url
        if server is not None:
            if existing and not (settings.data / AOF).is_dir() and not is_foreign(settings.data):
                raise click.ClickException(
                    f"There is no store in the folder {settings.data}. Set ORACLEWHEEL_DATA or ORACLEWHEEL_REDIS_URL to"
                    " the right one."
                )
            if served and not answers(server.socket):
                if (launcher := server.launcher()) is not None:
                    raise click.ClickException(
                        f"The service runs on the folder {settings.data} (process {launcher}), but its server does not"
                        f" answer. {server.diagnosis()}"
                    )
                raise click.ClickException(
                    f"No service runs on the folder {settings.data}. Start it with `oraclewheel serve`, or set ORACLEWHEEL_DATA."
                )
            if is_read_only(server.socket):
                raise click.ClickException(
                    f"The service runs on the folder {settings.data}, and only answers reads. {server.diagnosis()}"
                )
            url = server.url if answers(server.socket) else _started(server)
    try:
        yield settings, url
    finally:
        if server is not None:
            server.stop()


def _started(server: EmbeddedServer) -> str:
    """Start the server, which did not answer before. Returns its URL."""
    try:
        return server.start()
    except InUse as error:
        raise click.ClickException(
            f"{error} Its server does not answer: it is still starting, or it cannot start. {server.diagnosis()}"
        ) from error


def _embedded(settings: Settings) -> EmbeddedServer:
    if settings.redis_server:
        os.environ[BINARY_SETTING] = settings.redis_server
    return EmbeddedServer(settings.data, fsync="always")
