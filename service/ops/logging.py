"""Structured logs: one JSON object a line (colored text on a terminal), without secrets."""

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
    """Whether the log level is debug; cheaper than a log call for each request and command."""
    return _told == "debug"


def configure(level: str = "info") -> None:
    """Send our logs, and warnings of the libraries, to standard error."""
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
        # without local variables, which may include a seed or a token
        tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        shared += [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
    structlog.configure(
        processors=shared,
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def without_secrets(_logger: Any, _method: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Mask values that must never be in a log."""
    for name in entry.keys() & SECRETS:
        entry[name] = "(secret)"
    return entry


def logger(name: str) -> Any:
    """The logger of one part of the service; bind ``game``, ``seq`` and ``request_id`` to it if they are known."""
    return structlog.get_logger(component=name)
