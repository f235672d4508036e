"""What a feature brings to the service. `service.features` lists the features."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Code = str
"""The dotted path of a module, or ``module:name`` of something in it. It is imported on first use, so that a process imports only
what it needs."""


@dataclass(frozen=True, slots=True)
class Feature:
    """Everything that the core, the workers and the command line know of a feature."""

    name: str
    """The name of its package."""
    summary: str
    """One sentence for the docs."""
    page: str = ""
    """Its page in `docs/`."""
    api: Mapping[Code, str] = field(default_factory=dict)
    """Modules with a Flask ``blueprint``, each with the tag of its operations."""
    pages: tuple[Code, ...] = ()
    """Modules with a Flask ``blueprint`` of pages for people, which are not part of the API and its document."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags of its own in the OpenAPI document: name and description."""
    contract: Code = ""
    """A module with the requests that the service itself sends: ``WEBHOOKS`` and ``SCHEMAS`` of the OpenAPI document, by name."""
    follower: Code = ""
    """The class of its follower (`service.core.followers.follower.Follower`), which is made with the store."""
    deliveries: Mapping[str, Code] = field(default_factory=dict)
    """By kind of subscription: the class that makes its deliveries (`service.core.notifications.deliveries.DeliveryHandler`)."""
    jobs: Mapping[str, Code] = field(default_factory=dict)
    """By kind of worker (`workers.process.JOBS`): a module with jobs."""
    minutely: tuple[Code, ...] = ()
    """Jobs, by the name that RQ has for them, that a side worker runs every minute."""
    hourly: tuple[Code, ...] = ()
    """As ``minutely``, every hour."""
    periodic: Mapping[Code, str] = field(default_factory=dict)
    """As ``minutely``: each with the setting that has the seconds between two runs; 0 for none."""
    search: Code = ""
    """A function that returns how settle workers have moves of bots computed (`workers.commits.search_answers.Thinking`)."""
    commands: Mapping[str, Code] = field(default_factory=dict)
    """Subcommands of `oraclewheel` that need the feature: name and module, which is in `service.cli`."""
    tokens: Mapping[str, Code] = field(default_factory=dict)
    """By prefix of a token that the feature issues: a function of the store and the token that returns its credential, or None."""
    preferences_changed: Code = ""
    """Called with the store and a player whose time zone or quiet hours have changed."""
    signed_in: Code = ""
    """Called with the store, a player and the way by which someone has just signed in to the account, such as ``passkey``."""
    erase_account: Code = ""
    """Called with the store and a player whose account is being erased, after their subscriptions are removed. Safe to repeat."""
    reset_sign_in: Code = ""
    """Called with the store and a player: removes the ways to sign in that the feature offers. Safe to repeat."""
    find_apart: Code = ""
    """Which players must not reach each other: a `service.core.accounts.apart.FindApart`."""
    ratings: Code = ""
    """How strong players are: a `service.core.accounts.ratings.FindRatings`."""
    game_fields: Code = ""
    """Fields that it adds to a game for its reader: a `service.core.lobbies.game_fields.GameFields`."""
    find_known: Code = ""
    """A function of the store and a player that returns the players whom they probably look for, such as favorites."""
    find_hiding: Code = ""
    """A function of the store and players that returns those of them whose games others cannot list by player."""
    metrics: Code = ""
    """A function of the store that returns the feature's metrics of the whole service."""
    tracer: Code = ""
    """A function of the settings that returns a recorder of spans (`service.core.tracing`), or None."""
    doctor: Code = ""
    """A function of the store that returns the problems that `oraclewheel doctor` reports, as sentences."""


def load(code: Code) -> Any:
    """The module, or the thing in it."""
    return pkgutil.resolve_name(code)
