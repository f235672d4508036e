"""Documentation of each route for the OpenAPI document: a decorator fills the table by endpoint."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from service.core.accounts.scopes import SINGLE
from service.core.http.schemas.replies import Reply
from service.core.http.schemas.requests import Request

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Shared:
    """A JSON body whose schema is a component that is not one of our marshmallow schemas."""

    component: str
    example: Mapping[str, Any]


Body = type[Reply] | Shared | str | None
"""A reply's schema, a component, a media type that is not JSON, or None for no body."""


@dataclass(frozen=True, slots=True)
class RouteDocs:
    """The documentation of one route."""

    operation: str
    """The operation's id, a verb and its object: ``sendCommand``. Unlike the endpoint it never changes once released.
    """
    summary: str
    text: str
    answer: str
    """The content of a successful response, a sentence."""
    takes: type[Request] | str | None
    """The schema of its body; ``command`` for any command."""
    gives: Mapping[int, Body]
    problems: tuple[str, ...]
    """Problem codes of this route only; those that every route may return are added."""
    parameters: tuple[str, ...]
    """Names of components of the document: query parameters and headers that it reads."""
    auth: str
    """``required``, ``optional`` or ``none``."""
    scopes: tuple[str, ...]
    """The scopes that a token needs, of `service.core.accounts.scopes`. None if no token is read."""
    also: tuple[str, ...] = field(default=())
    """Other media types of the 200 response."""
    any_game: bool = False
    """Whether a token for one game may make the request although no game is in the path."""
    headers: tuple[str, ...] = field(default=())
    """Names of components of the document: headers of a successful response, besides those of every response."""


STRICT = ("/v1", "/feeds", "/letters")
"""The path prefixes with strict query parameters."""

PICTURES = ("image/svg+xml", "image/png")

ROUTES: dict[str, RouteDocs] = {}
"""By Flask's endpoint: the blueprint of the view function's module, a dot, and its name."""


def documented(
    summary: str,
    *,
    operation: str,
    answer: str,
    text: str = "",
    takes: type[Request] | str | None = None,
    gives: Mapping[int, Body],
    problems: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
    auth: str = "optional",
    scope: str | tuple[str, ...] = (),
    also: tuple[str, ...] = (),
    headers: tuple[str, ...] = (),
    any_game: bool = False,
) -> Callable[[F], F]:
    """Record the documentation of a view function's route.

    ``scope``: a token needs it, or all of several. Raises `ValueError` if it reads a token and declares no scope, or the other
    way around.
    """
    scopes = (scope,) if isinstance(scope, str) else scope
    if (auth == "none") != (not scopes) or not {*scopes} <= {*SINGLE}:
        raise ValueError(f"{operation} must declare scopes of {SINGLE}, or none if it reads no token.")

    def note(view: F) -> F:
        ROUTES[f"{sys.modules[view.__module__].blueprint.name}.{view.__name__}"] = RouteDocs(
            operation=operation,
            summary=summary,
            text=text,
            answer=answer,
            takes=takes,
            gives=gives,
            problems=problems,
            parameters=parameters,
            auth=auth,
            scopes=scopes,
            also=also,
            headers=headers,
            any_game=any_game,
        )
        return view

    return note
