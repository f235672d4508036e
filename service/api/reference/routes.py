"""What each route says of itself for the OpenAPI document: a decorator fills the table by endpoint."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from service.api.schemas.replies import Reply
from service.api.schemas.requests import Request

F = TypeVar("F", bound=Callable[..., Any])
Body = type[Reply] | tuple[type[Reply], ...] | str | None
"""A reply's schema or one of several, a media type that is not JSON, or None for no body."""


@dataclass(frozen=True, slots=True)
class RouteDocs:
    """What the document says of one route."""

    operation: str
    """What a client calls it, a verb and its object: ``sendCommand``; unlike the endpoint it never changes once released."""
    group: str
    """The resource that it belongs to: the module of its view function."""
    about_group: str
    """What the module says of itself."""
    summary: str
    text: str
    answer: str
    """What a good answer holds, a sentence."""
    takes: type[Request] | str | None
    """The form of its body; ``command`` for any command."""
    gives: Mapping[int, Body]
    problems: tuple[str, ...]
    """Codes of the catalogue that this route alone may answer with; those that every route may are added."""
    parameters: tuple[str, ...]
    """Names of components of the document: query parameters and headers that it reads."""
    auth: str
    """``required``, ``optional`` or ``none``."""
    also: tuple[str, ...] = field(default=())
    """Other media types in which the answer 200 can be had."""
    headers: tuple[str, ...] = field(default=())
    """Names of components of the document: headers of a good answer, besides those of every answer."""


STRICT = ("/v1", "/feeds", "/letters")
"""The beginnings of the paths at which an unknown query parameter is an error."""

PICTURES = ("image/svg+xml", "image/png")

ROUTES: dict[str, RouteDocs] = {}
"""By Flask's endpoint: the module of the view function, a dot, and its name."""


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
    also: tuple[str, ...] = (),
    headers: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Record what a view function says of its route."""

    def note(view: F) -> F:
        module = view.__module__.rpartition(".")[2]
        ROUTES[f"{module}.{view.__name__}"] = RouteDocs(
            operation=operation,
            group=module,
            about_group=sys.modules[view.__module__].__doc__ or "",
            summary=summary,
            text=text,
            answer=answer,
            takes=takes,
            gives=gives,
            problems=problems,
            parameters=parameters,
            auth=auth,
            also=also,
            headers=headers,
        )
        return view

    return note
