"""The application as gunicorn loads it: what can never start is said in one sentence, and not tried again."""

from __future__ import annotations

import time

from flask import Flask
from gunicorn.errors import AppImportError

from domain.registry import GAMES
from service.cli.serving.whole import create_app
from service.process.figures.noted import keep_counting
from service.settings import BadSetting
from service.store.ports.errors import StoreDown, StoreUnusable
from service.store.reading.bodies import prepare

PATIENCE = 30.0
"""Seconds that a process that starts waits for a store that is away: if one fails to start, gunicorn ends all the others too."""

_PAUSE = 0.1
"""Seconds between two attempts."""


def app() -> Flask:
    """The API, with the client for browsers; raises gunicorn's `AppImportError`, at which it ends for good, where another attempt is no use.

    Raises `StoreDown` where the store stays away.
    """
    prepare(GAMES.values())
    keep_counting()
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return create_app()
        except (StoreUnusable, BadSetting) as error:
            raise AppImportError(f"Error: {error}") from None
        except StoreDown:
            if time.monotonic() >= until:
                raise
            time.sleep(_PAUSE)
