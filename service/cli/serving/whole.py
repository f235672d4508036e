"""All that one address answers: the API, and beside it the client for browsers, which know nothing of each other."""

from __future__ import annotations

from flask import Flask

from service.api import application
from service.settings import Settings
from service.web import site


def create_app() -> Flask:
    """The API over the store that the settings name, with the site unless they leave it out."""
    settings = Settings.load()
    return site.install(application.create_app(settings=settings), settings)
