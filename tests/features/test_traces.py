"""One trace leads from a request to its commit and to the deliveries of it."""

from __future__ import annotations

import sys

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from service.core import tracing
from service.core.tracing import Span
from service.features import FEATURES
from service.features.traces.recorder import TraceRecorder, ids_of
from service.ops.settings import BadSetting, Settings
from tests.notifications.hooked import Hooked
from tests.notifications.receiver import Receiver
from tests.workers.crew import eventually

HIDE = {"type": "hide", "pennies": 1}
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.fixture(autouse=True)
def recorders(monkeypatch):
    """Restore what was recorded before."""
    made = []
    monkeypatch.setattr(tracing, "_recorders", made)
    return made


@pytest.fixture
def exported(recorders):
    exporter = InMemorySpanExporter()
    recorders.append(TraceRecorder("", exporter))
    return exporter


@pytest.fixture
def hooked():
    made = Hooked()
    yield made
    made.close()


def spans(exported, request):
    """The spans of a request's trace by name."""
    found = [each for each in exported.get_finished_spans() if each.context.trace_id == ids_of(request)[0]]
    return {each.name: each for each in found}


def play(hooked, headers):
    game, ash, birk = hooked.table()
    hooked.hook(birk)
    hooked.post_out()
    route = f"/v1/games/{game}/commands"
    seq = ash.post(route, HIDE, headers={"Prefer": "wait=5", **headers}, want=200).json["seq"]
    eventually(lambda: hooked.post_out() or not hooked.store.outbox.census().pending)
    return game, seq


def test_trace_leads_from_the_request_to_the_commit_and_its_delivery(hooked, exported):
    game, seq = play(hooked, {"X-Request-Id": "req-1"})

    found = spans(exported, "req-1")
    request = found.pop("POST /v1/games/<game>/commands")
    assert (SpanKind.SERVER, None, ids_of("req-1")[1]) == (request.kind, request.parent, request.context.span_id)
    assert 200 == request.attributes["http.response.status_code"]
    assert {"settle", "append", "deliver webhook"} == found.keys()
    for each in found.values():
        assert request.context.span_id == each.parent.span_id
        assert (game, seq) == (each.attributes["game"], each.attributes["seq"])
        assert 0 <= each.start_time <= each.end_time
    assert "accepted" == found["settle"].attributes["result"]
    assert "delivered" == found["deliver webhook"].attributes["state"]
    assert found["settle"].start_time <= found["deliver webhook"].end_time


def test_spans_contain_no_command_and_no_address(hooked, exported):
    play(hooked, {"X-Request-Id": "req-1"})

    text = "".join(each.to_json() for each in exported.get_finished_spans())
    assert "pennies" not in text.replace('"kind": "pennies"', "")
    assert hooked.receiver.url() not in text


def test_failed_delivery_is_an_error_in_the_trace(hooked, exported):
    hooked.receiver.act["/hook"] = lambda *_: 500
    play(hooked, {"X-Request-Id": "req-1"})

    tried = [each for each in exported.get_finished_spans() if each.name == "deliver webhook"]
    assert [StatusCode.ERROR] * 3 == [each.status.status_code for each in tried[-3:]]


def test_request_joins_the_trace_of_its_client(hooked, exported):
    play(hooked, {"traceparent": f"00-{TRACE}-{CALLER}-01"})

    found = spans(exported, f"{TRACE}-{CALLER}")
    assert int(TRACE, 16) == found["settle"].context.trace_id
    assert int(CALLER, 16) == found["POST /v1/games/<game>/commands"].parent.span_id
    assert found["POST /v1/games/<game>/commands"].context.span_id == found["settle"].parent.span_id


def test_requests_of_one_trace_have_different_spans(hooked, exported):
    for caller in (CALLER, CALLER[::-1]):
        hooked.public.get("/v1/kinds", headers={"traceparent": f"00-{TRACE}-{caller}-01"}, want=200)

    first, second = [each for each in exported.get_finished_spans() if each.name == "GET /v1/kinds"]
    assert first.context.trace_id == second.context.trace_id
    assert first.context.span_id != second.context.span_id


@pytest.mark.parametrize(
    "given",
    [
        "",
        "nonsense",
        f"ff-{TRACE}-{CALLER}-01",
        f"00-{'0' * 32}-{CALLER}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{CALLER}-01",
        f"00-{TRACE}-{CALLER}",
        f"00-{TRACE}-{CALLER}-01\u00e9",
    ],
)
def test_invalid_traceparent_is_ignored(hooked, exported, given):
    response = hooked.public.get("/v1/kinds", headers={"traceparent": given} if given else {}, want=200)

    id_ = response.headers["X-Request-Id"]
    assert TRACE not in id_
    assert [None] == [each.parent for each in spans(exported, id_).values()]


def test_request_id_wins_over_the_trace_of_the_client(hooked, exported):
    headers = {"traceparent": f"00-{TRACE}-{CALLER}-01", "X-Request-Id": "req-1"}
    response = hooked.public.get("/v1/kinds", headers=headers, want=200)

    assert "req-1" == response.headers["X-Request-Id"]
    assert [None] == [each.parent for each in spans(exported, "req-1").values()]


def test_collector_receives_spans_over_otlp(recorders):
    collector = Receiver()
    try:
        tracing.start(FEATURES, Settings(traces=collector.url("")))
        tracing.record(Span("settle", "req-1", "consumer", 0.5, {"game": "g", "seq": 3}))
        tracing.flush()
        (got,) = collector.got["/v1/traces"]
    finally:
        collector.close()

    sent = ExportTraceServiceRequest.FromString(got.body)
    (span,) = sent.resource_spans[0].scope_spans[0].spans
    about = {each.key: each.value.string_value for each in sent.resource_spans[0].resource.attributes}
    assert ids_of("req-1")[0].to_bytes(16, "big") == span.trace_id
    assert 500_000_000 == span.end_time_unix_nano - span.start_time_unix_nano
    assert "oraclewheel" == about["service.name"]


def test_collector_that_is_down_disturbs_no_one(recorders):
    tracing.start(FEATURES, Settings(traces="http://127.0.0.1:9"))
    for _ in range(3):
        tracing.record(Span("settle", "req-1", "consumer", 0.5))
    tracing.flush()


def test_traces_without_opentelemetry_are_a_bad_setting(monkeypatch, recorders):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    monkeypatch.setattr("service.features.traces.start.find_spec", lambda _: None)

    with pytest.raises(BadSetting, match="pip install"):
        tracing.start(FEATURES, Settings(traces="http://127.0.0.1:4318"))
    tracing.start(FEATURES, Settings())
    assert not tracing.is_on()


def test_nothing_is_recorded_without_the_setting(hooked, recorders):
    tracing.start(FEATURES, Settings())
    play(hooked, {"X-Request-Id": "req-1"})

    assert [] == recorders
