"""What a route says of itself, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from service.api.schemas.replies import Reply
from service.api.schemas.requests import Request

F = TypeVar("F", bound=Callable[..., Any])
Body = type[Reply] | str | None
"""A reply's form, a media type that is not JSON, or nothing at all."""


@dataclass(frozen=True, slots=True)
class RouteDocs:
    """A route in words."""

    summary: str
    text: str
    takes: type[Request] | str | None
    """The form of its body; ``command`` for any command."""
    gives: Mapping[int, Body]
    problems: tuple[str, ...]
    """Codes of the catalogue that are this route's own; those of every route are added."""
    parameters: tuple[str, ...]
    """Names of components of the document: query parameters and headers that it reads."""
    auth: str
    """``required``, ``optional`` or ``none``."""
    also: tuple[str, ...] = field(default=())
    """Other media types that the first answer can be had in."""


ROUTES: dict[str, RouteDocs] = {}
"""By the name of the view function within its module, as Flask's endpoint."""


def told(
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
    """Say what a view does."""

    def note(view: F) -> F:
        module = view.__module__.rpartition(".")[2]
        ROUTES[f"{module}.{view.__name__}"] = RouteDocs(summary, text, takes, gives, problems, parameters, auth, also)
        return view

    return note
