"""Structured logs: one JSON object a line (coloured text on a terminal), never a secret."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

SECRETS = frozenset(
    {"token", "authorization", "seed", "entropy", "invitation", "ticket", "password", "private", "secret"}
)


_told = "info"


def detailed() -> bool:
    """Whether a line may be written for each request and each command: asking costs less than a line that nobody wants."""
    return _told == "debug"


def configure(level: str = "info") -> None:
    """Send our logs, and those of the libraries from warnings upwards, to standard error."""
    global _told  # noqa: PLW0603 - structlog's configuration is the process's own as well
    _told = level
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        without_secrets,
    ]
    if sys.stderr.isatty():
        shared.append(structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback))
    else:
        # without the local variables: a seed or a token may be among them
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        shared += [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=shared,
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def without_secrets(_logger: Any, _method: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Black out what must never be read in a log, whoever passes it."""
    for name in entry.keys() & SECRETS:
        entry[name] = "(secret)"
    return entry


def logger(name: str) -> Any:
    """The logger of one part of the service; bind ``game``, ``seq`` and ``request_id`` to it where they are known."""
    return structlog.get_logger(component=name)
