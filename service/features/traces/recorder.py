"""Spans in the form of OpenTelemetry, exported by its SDK over OTLP/HTTP."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags, set_span_in_context

from service.core.tracing import Span

JOINED = re.compile(r"(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})")
"""The id of a request that belongs to a trace of its client: the ids of that trace and of the client's span."""

FLUSH_MILLISECONDS = 2000
"""How long a process that ends waits for the collector."""


class TraceRecorder:
    """Turns spans into those of OpenTelemetry. Each process has a provider of its own, also after a fork."""

    def __init__(self, url: str, exporter: SpanExporter | None = None) -> None:
        """``exporter`` takes each span at once, instead of the collector at ``url`` in batches."""
        self._url, self._exporter, self._ids = url, exporter, _ChosenIds()
        self._process = 0
        self._provider: TracerProvider | None = None

    def record(self, span: Span) -> None:
        trace, server = ids_of(span.request)
        ended = time.time_ns()
        began = ended - int(span.seconds * 1e9)
        if span.kind == "server":
            self._ids.choose(trace, server)
            context = _context(trace, _caller(span.request))
        else:
            context = _context(trace, server)
        attributes: Any = span.attributes
        made = (
            self._open()
            .get_tracer("oraclewheel")
            .start_span(span.name, context, SpanKind[span.kind.upper()], attributes, start_time=began)
        )
        self._ids.choose()
        if span.failed:
            made.set_status(StatusCode.ERROR)
        made.end(ended)

    def flush(self) -> None:
        if self._provider is not None and self._process == os.getpid():
            self._provider.force_flush(FLUSH_MILLISECONDS)

    def _open(self) -> TracerProvider:
        provider = self._provider
        if provider is None or self._process != os.getpid():
            self._process, self._provider = os.getpid(), (provider := self._make())
        return provider

    def _make(self) -> TracerProvider:
        about = {"service.name": "oraclewheel", "service.instance.id": f"{os.uname().nodename}:{os.getpid()}"}
        provider = TracerProvider(resource=Resource.create(about), id_generator=self._ids)
        if self._exporter is not None:
            provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        else:
            provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{self._url.rstrip('/')}/v1/traces")))
        return provider


class _ChosenIds(RandomIdGenerator):
    """Random ids, except for the next span of this thread if its ids are chosen."""

    def __init__(self) -> None:
        self._next = threading.local()

    def choose(self, trace: int = 0, span: int = 0) -> None:
        self._next.ids = trace, span

    def generate_trace_id(self) -> int:
        return self._next.ids[0] or super().generate_trace_id()

    def generate_span_id(self) -> int:
        chosen: int = getattr(self._next, "ids", (0, 0))[1]
        return chosen or super().generate_span_id()


def ids_of(request: str) -> tuple[int, int]:
    """The ids of a request's trace and of its own span.

    Every process computes them from the request id, so nothing more is stored with a command.
    """
    digest, joined = hashlib.sha256(request.encode()).digest(), JOINED.fullmatch(request)
    trace = int(joined[1], 16) if joined else int.from_bytes(digest[:16], "big")
    return trace, int.from_bytes(digest[16:24], "big")


def _caller(request: str) -> int:
    """The client's span; 0 without one."""
    joined = JOINED.fullmatch(request)
    return int(joined[2], 16) if joined else 0


def _context(trace: int, parent: int) -> Context:
    """The parent of a span. Without one (0) the span is the first of its trace."""
    about = SpanContext(trace, parent, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
    return set_span_in_context(NonRecordingSpan(about), Context())
