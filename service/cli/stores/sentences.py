"""Error messages of commands for problems with settings, servers and stores."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import click
from redis.exceptions import ConnectionError as Away
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as Silent

from service.ops.instance.server_binary import ServerUnusable
from service.ops.keys.key_file import BadKey
from service.ops.settings import BadSetting
from service.store.ports.errors import ArchiveDown, StoreDown, StoreUnusable


def store_down(error: StoreDown) -> str:
    """The reason why the store cannot be used, and what to do."""
    said = str(error)
    if "'maxmemory'" in said:
        return (
            "The memory of the store is full (maxmemory), so it rejects writes. Raise maxmemory, or free"
            f" memory with ORACLEWHEEL_ARCHIVE. The server says: {error}"
        )
    if any(each in said for each in ("NOREPLICAS", "MISCONF", "READONLY", "read only")):
        return (
            "The store rejects writes: its disk is full, or (external Redis) it has too few replicas. Free some"
            f" space; the service then continues by itself. The server says: {error}"
        )
    return f"The store does not answer: {error}"


@contextmanager
def sentences(*others: type[Exception]) -> Iterator[None]:
    """Turn known errors in the block, including ``others``, into a `click.ClickException`.

    A missing queue, a refused command or a full disk is not a bug, so a traceback would not help.
    """
    known: tuple[type[Exception], ...] = (BadSetting, BadKey, ServerUnusable, StoreUnusable, *others)
    try:
        yield
    except ArchiveDown as error:
        raise click.ClickException(f"{str(error)[:1].upper()}{str(error)[1:]}") from error
    except StoreDown as error:
        raise click.ClickException(store_down(error)) from error
    except (Away, Silent) as error:
        raise click.ClickException(f"The queue does not answer: {error}") from error
    except RedisError as error:
        raise click.ClickException(f"A Redis server rejected a command: {error}") from error
    except known as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader has closed the pipe, which click handles silently
            raise
        raise click.ClickException(str(error)) from error
