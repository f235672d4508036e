"""What goes wrong with settings, servers and stores, as the one sentence that a command ends with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from service.instance.server_binary import ServerUnusable
from service.settings import BadSetting
from service.store.ports.errors import StoreDown, StoreUnusable


@contextmanager
def sentences(*others: type[Exception]) -> Iterator[None]:
    """Turn what is known to go wrong in the block, ``others`` among it, into a `click.ClickException`."""
    known: tuple[type[Exception], ...] = (BadSetting, ServerUnusable, StoreUnusable, *others)
    try:
        yield
    except StoreDown as error:
        raise click.ClickException(f"The store does not answer: {error}") from error
    except known as error:
        raise click.ClickException(str(error)) from error
