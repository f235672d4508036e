"""Spans of traces. They are recorded only if a feature brings a recorder (`Feature.tracer`) and the operator wants them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from service.core.feature import Feature, load
from service.ops.settings import Settings


@dataclass(frozen=True, slots=True)
class Span:
    """One step of a request, recorded when it is over."""

    name: str
    request: str
    """The id of the request. All spans of one request, in any process, are one trace."""
    kind: Literal["server", "consumer", "client"]
    """``server``: the request itself, parent of the other spans. ``consumer``: work on its command. ``client``: a delivery."""
    seconds: float
    attributes: Mapping[str, object] = field(default_factory=dict)
    """Without secrets: no command, no text, no address."""
    failed: bool = False


class SpanRecorder(Protocol):
    def record(self, span: Span) -> None:
        """Take a span that has just ended. Must neither wait nor raise."""

    def flush(self) -> None:
        """Export what was taken; called before a process ends."""


_recorders: list[SpanRecorder] = []


def start(features: Iterable[Feature], settings: Settings) -> None:
    """Begin to record in this process and its children, if the settings say so. Raises `BadSetting`."""
    made: Iterable[Callable[[Settings], SpanRecorder | None]] = [load(each.tracer) for each in features if each.tracer]
    _recorders[:] = [recorder for make in made if (recorder := make(settings)) is not None]


def is_on() -> bool:
    return bool(_recorders)


def record(span: Span) -> None:
    """Record a span, unless its request is unknown."""
    if span.request:
        for each in _recorders:
            each.record(span)


def flush() -> None:
    for each in _recorders:
        each.flush()
