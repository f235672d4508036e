"""Features of the shipped clients: command lists, ETags of compressed views, lost responses."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.clients.conftest import OF_PYTHON, PYTHON, begin
from tests.clients.lossy import lossy

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]


def test_command_list_is_sent_with_the_etag_of_a_compressed_view(client, url, ada):
    game = begin(ada, "battalia", 2, options={"max_weeks": 1})

    tried = client.tried("turn", url, ada.token, game)

    assert tried["seen"].endswith(('-gzip"', '-zstd"'))
    assert {"seen": tried["seen"], "said": ["settled", "settled"], "stale": "412 stale"} == tried


def test_post_has_one_effect_if_its_response_is_lost(client, url, ada):
    game = begin(ada, "battalia", 2, options={"max_weeks": 1})

    with lossy(url, cuts=3) as wire:
        tried = client.tried("turn", wire.url, ada.token, game)

    assert (3, ["settled", "settled"], "412 stale") == (wire.cut, tried["said"], tried["stale"])
    own = [
        line["type"]
        for entry in ada.events(game)
        if "command" in entry and entry["seat"] == 1
        for line in entry["lines"]
    ]
    assert 1 == own.count("turn_ended")


def test_handwritten_python_client_passes_strict_type_checks(made):
    files = [str(path) for path in PYTHON.glob("*.py")]
    strict = ("--strict", "--follow-imports", "silent", "--python-executable", OF_PYTHON)

    assert 2 == len(files)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *strict, *files],
        check=False,
        cwd=PYTHON,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert 0 == done.returncode, done.stdout
