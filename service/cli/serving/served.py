"""The application as gunicorn loads it: what can never start is said in one sentence, and not tried again."""

from __future__ import annotations

from flask import Flask
from gunicorn.errors import AppImportError

from domain.registry import GAMES
from service.api.application import create_app
from service.settings import BadSetting
from service.store.ports.errors import StoreUnusable
from service.store.reading.bodies import prepare


def app() -> Flask:
    """The API; raises gunicorn's `AppImportError`, at which it ends for good, where another attempt is no use."""
    prepare(GAMES.values())
    try:
        return create_app()
    except (StoreUnusable, BadSetting) as error:
        raise AppImportError(f"Error: {error}") from None
