"""Traces of requests for OpenTelemetry."""

from __future__ import annotations

from service.core.feature import Feature

FEATURE = Feature(
    "traces",
    "Exports traces of requests to an OpenTelemetry collector.",
    page="how-to/trace-requests.md",
    tracer="service.features.traces.start:open_recorder",
)
