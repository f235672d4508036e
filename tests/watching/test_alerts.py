"""Alerts and dashboard use existing metrics; every alert can fire, does not fire without cause, and has a runbook section."""

from __future__ import annotations

import json
import re
import time

import promql_parser as promql
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from service.ops.metrics.catalogue import DECIDED, TOLD
from tests.soaking import sample
from tests.watching import promql as rules
from tests.watching.service import HAPPENINGS, Watched
from tests.workers.crew import ROOT

FOLDER, RUNBOOK = ROOT / "docs" / "watching", ROOT / "docs" / "runbook.md"
ALERTS = {
    each["alert"]: each
    for group in yaml.load((FOLDER / "alerts.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["groups"]
    for each in group["rules"]
}
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text(encoding="utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = {
    **{name: each["expr"] for name, each in ALERTS.items()},
    **{
        f"{panel['title']}, {target['refId']}": target["expr"].replace("$__rate_interval", "5m")
        for panel in PANELS
        for target in panel["targets"]
    },
}
OF_PROMETHEUS = {"up": "gauge"}
"""Series that Prometheus itself adds for each target."""


@pytest.fixture
def watched(redis_store, redis_url, monkeypatch):
    return Watched(redis_store, redis_url, monkeypatch)


@pytest.fixture
def figures(watched):
    """Every exported series by name: its type, and its labels with their values."""
    watched.play()
    TOLD.note(1, "webhook", "failed")
    DECIDED.note(1, "pennies", "refused")
    told = {}
    for family in text_string_to_metric_families(watched.text()):
        for value_at in family.samples:
            _, labels = told.setdefault(value_at.name, (family.type, {}))
            for label, value in value_at.labels.items():
                labels.setdefault(label, set()).add(value)
    return told


def test_expressions_use_only_existing_metrics_and_labels(figures):
    wrong = []
    for where, text in EXPRESSIONS.items():
        for name, asked in rules.selectors(text):
            if name in OF_PROMETHEUS:
                continue
            if name not in figures:
                wrong.append(f"{where}: there is no {name}")
                continue
            _, labels = figures[name]
            for label, op, value in asked:
                if label not in labels:
                    wrong.append(f"{where}: {name} has no label {label}")
                    continue
                words = value.split("|") if op in (promql.MatchOp.Re, promql.MatchOp.NotRe) else [value]
                wrong += [
                    f"{where}: {name} never has {label}={word}"
                    for word in words
                    if label != "status" and word not in labels[label]
                ]
        wrong += [f"{where}: {label} is no label there" for label in kept(text) - labels_of(text, figures)]
    assert [] == wrong


def kept(text):
    """The labels that any aggregation keeps."""
    return {label for found in re.findall(r"by \(([^)]*)\)", text) for label in re.split(r",\s*", found)}


def labels_of(text, figures):
    return {label for name, _ in rules.selectors(text) for label in figures.get(name, ("", {}))[1]}


def test_expressions_read_counters_as_rates_and_gauges_directly(figures):
    for where, text in EXPRESSIONS.items():
        rising, others = rules.counted(text)
        kinds = {name: OF_PROMETHEUS.get(name) or figures[name][0] for name in rising | others}
        assert {kinds[name] for name in rising} <= {"counter", "histogram"}, where
        assert {kinds[name] for name in others} <= {"gauge"}, where


def test_selectors_include_unknown_metrics_and_reject_a_rate_without_a_range(figures):
    assert "oraclewheel_no_such_thing" not in figures
    assert [("oraclewheel_no_such_thing", [])] == rules.selectors("max(oraclewheel_no_such_thing) > 0")
    with pytest.raises(ValueError, match="expected type matrix"):
        rules.selectors("rate(oraclewheel_http_requests_total)")


def test_no_alert_fires_on_a_healthy_service(watched):
    begun = time.monotonic()
    scrapes = watched.after(lambda _: watched.store.schedule.beat("pump") and watched.play())

    # On a busy machine commands really are slow, and a heartbeat really is old.
    rightly = {"SettleSlow", "NoSweeps"} if time.monotonic() - begun > 1 else set()
    assert not {name for name, each in ALERTS.items() if scrapes.fires(each["expr"])} - rightly


@pytest.mark.parametrize("name", sample(ALERTS, 3))
def test_alert_fires_when_its_condition_occurs(name, watched):
    scrapes = watched.after(getattr(HAPPENINGS, name))

    assert scrapes.fires(ALERTS[name]["expr"]), scrapes.taken[-1]


def test_runbook_has_a_complete_section_for_each_alert():
    of_alerts, _, others = RUNBOOK.read_text(encoding="utf-8").partition("\n# Problems without an alert\n")
    sections = dict(
        zip(
            re.findall(r"^## (\w+)$", of_alerts, re.MULTILINE),
            re.split(r"^## \w+$", of_alerts, flags=re.MULTILINE)[1:],
            strict=True,
        )
    )
    beside = re.split(r"^## (.+)$", others, flags=re.MULTILINE)[1:]

    assert list(ALERTS) == list(sections)
    assert beside
    for name, section in [*sections.items(), *zip(beside[::2], beside[1::2], strict=True)]:
        assert [1, 1, 1, 1] == [
            section.count(word) for word in ("**Meaning:**", "**Impact:**", "**Check:**", "**Action:**")
        ], name


@pytest.mark.parametrize("name", ALERTS)
def test_alert_has_a_severity_a_summary_and_a_runbook_link(name):
    alert = ALERTS[name]

    assert {"severity"} == alert["labels"].keys()
    assert alert["labels"]["severity"] in ("page", "ticket")
    assert alert["annotations"]["summary"].endswith(".")
    assert f"docs/runbook.md#{name.lower()}" == alert["annotations"]["runbook_url"]


def test_dashboard_panels_have_unique_ids_and_do_not_overlap():
    assert len(DASHBOARD["panels"]) == len({panel["id"] for panel in DASHBOARD["panels"]})
    taken = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
