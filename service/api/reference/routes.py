"""What each route says of itself for the OpenAPI document: a decorator fills the table by endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from service.api.schemas.replies import Reply
from service.api.schemas.requests import Request

F = TypeVar("F", bound=Callable[..., Any])
Body = type[Reply] | str | None
"""A reply's schema, a media type that is not JSON, or None for no body."""


@dataclass(frozen=True, slots=True)
class RouteDocs:
    """What the document says of one route."""

    summary: str
    text: str
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


ROUTES: dict[str, RouteDocs] = {}
"""By Flask's endpoint: the module of the view function, a dot, and its name."""


def documented(
    summary: str,
    *,
    text: str = "",
    takes: type[Request] | str | None = None,
    gives: Mapping[int, Body],
    problems: tuple[str, ...] = (),
    parameters: tuple[str, ...] = (),
    auth: str = "optional",
    also: tuple[str, ...] = (),
) -> Callable[[F], F]:
    """Record what a view function says of its route."""

    def note(view: F) -> F:
        module = view.__module__.rpartition(".")[2]
        ROUTES[f"{module}.{view.__name__}"] = RouteDocs(summary, text, takes, gives, problems, parameters, auth, also)
        return view

    return note
