"""Stores for tests: each is an empty database on the server of this test process."""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from service.ops.instance.embedded import EmbeddedServer
from service.store.redis.store import Store, open_store

DATABASES = range(4, 16)
"""The databases of `new_store`; lower ones are for the fixtures of `tests/conftest.py` and for tests that name one."""

_scopes: list[list[tuple[int, Store]]] = [[]]
"""The open stores: those of the collection, the session, the module and the test."""
after_flush: list[Callable[[int], None]] = []
"""Called with the number of each database that was emptied (`tests.clock`)."""


@functools.cache
def server() -> EmbeddedServer:
    """The server of this test process, started on first use."""
    embedded = EmbeddedServer(Path(tempfile.mkdtemp(prefix="ow-")), fsync="no")
    embedded.start()
    return embedded


def stop_server() -> None:
    """Stop the server if it was started."""
    if server.cache_info().currsize:
        folder = server()._data
        server().stop()
        server.cache_clear()
        _client.cache_clear()
        shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def _client() -> redis.Redis:
    return redis.Redis.from_url(server().url)


def url_of(database: int) -> str:
    return f"{server().url}?db={database}"


def flush(*databases: int) -> None:
    """Empty these databases."""
    pipeline = _client().pipeline(transaction=False)
    for database in databases:
        pipeline.execute_command("SELECT", database)
        pipeline.flushdb()
    pipeline.execute()
    for call in after_flush:
        for database in databases:
            call(database)


def new_store() -> Store:
    """An empty store, closed at the end of the test, or of the module if one of its fixtures opened it.

    If a test opens more stores than there are databases, its oldest store is closed.
    """
    used = {database for scope in _scopes for database, _ in scope}
    database = next((each for each in DATABASES if each not in used), None)
    if database is None:
        database, oldest = _scopes[-1].pop(0)
        oldest.close()
    flush(database)
    store = open_store(url_of(database))
    _scopes[-1].append((database, store))
    return store


@contextmanager
def scope() -> Iterator[None]:
    """Close the stores that are opened in the block."""
    _scopes.append([])
    try:
        yield
    finally:
        for _, store in _scopes.pop():
            store.close()
