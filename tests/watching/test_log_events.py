"""Names of log events are plain identifiers, so that people can search and filter for them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LEVELS = ("debug", "info", "warning", "error", "exception", "critical")
OLD_KEYS = {"part", "why", "request", "milliseconds"}


def calls(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS:
            name = node.func.value
            if isinstance(name, ast.Name) and name.id in ("log", "_log"):
                yield node


def test_log_events_are_snake_case():
    sources = {path: path.read_text() for top in ("service", "workers") for path in (ROOT / top).rglob("*.py")}
    found = [(path.name, call) for path, source in sources.items() for call in calls(source)]
    events = {call.args[0].value for _, call in found}

    assert len(events) > 40
    assert [] == [event for event in events if not re.fullmatch("[a-z]+(_[a-z]+)*", event)]
    assert [] == [(name, key.arg) for name, call in found for key in call.keywords if key.arg in OLD_KEYS]
