"""Whether this process exports traces."""

from __future__ import annotations

from importlib.util import find_spec

from service.core.tracing import SpanRecorder
from service.ops.settings import BadSetting, Settings


def open_recorder(settings: Settings) -> SpanRecorder | None:
    """The recorder that the settings ask for. Raises `BadSetting` if OpenTelemetry is not installed."""
    if not settings.traces:
        return None
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise BadSetting("ORACLEWHEEL_TRACES needs OpenTelemetry: pip install 'oraclewheel[traces]'.")
    from service.features.traces.recorder import TraceRecorder

    return TraceRecorder(settings.traces)
