"""Commands that read exports refuse devices, which may have no end, and files that are too large."""

import os
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.audit.files import read_file, read_stream
from service.cli.commands import analyse, audit, imports
from tests.audit.games import GAMES as PENNIES
from tests.audit.games import finished

DEVICE = "/dev/null"
"""Unlike ``/dev/zero`` it has an end, so a command that reads it fails the test instead of running forever."""


@pytest.mark.parametrize("command", [audit.command, analyse.command, imports.command])
def test_device_is_refused_as_an_export(command):
    told = CliRunner().invoke(command, [DEVICE])

    assert 2 == told.exit_code
    assert "it is neither a regular file nor a pipe" in told.stderr


@pytest.mark.parametrize("option", ["--key", "--log"])
def test_device_is_refused_as_an_anchor(tmp_path, option):
    file = tmp_path / "game.ndjson"
    file.write_bytes(finished())
    told = CliRunner().invoke(audit.command, [str(file), option, DEVICE])

    assert 2 == told.exit_code
    assert "it is neither a regular file nor a pipe" in told.stderr


@pytest.mark.parametrize("option", ["--key", "--log"])
def test_anchor_that_is_too_large_is_refused(tmp_path, option):
    file, anchor = tmp_path / "game.ndjson", tmp_path / "anchor"
    file.write_bytes(finished())
    anchor.write_bytes(b"f" * (audit.ANCHOR + 1))
    told = CliRunner().invoke(audit.command, [str(file), option, str(anchor)])

    assert 2 == told.exit_code
    assert "it is larger than 1 MiB" in told.stderr


def test_file_above_the_size_limit_is_refused(tmp_path):
    file = tmp_path / "game.ndjson"
    with file.open("wb") as sparse:
        sparse.truncate((1 << 30) + 1)
    told = CliRunner().invoke(audit.command, [str(file)])

    assert 2 == told.exit_code
    assert "it is larger than 1024 MiB" in told.stderr


def test_stream_is_read_up_to_the_limit(tmp_path):
    with Path("/dev/zero").open("rb") as zeros, pytest.raises(OSError, match="larger than 1 MiB"):
        read_stream(zeros, 1 << 20)
    file = tmp_path / "exact"
    file.write_bytes(b"x" * (1 << 20))

    assert 1 << 20 == len(read_file(file, 1 << 20))


def test_pipe_is_accepted(tmp_path, monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES["pennies"])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(finished(),))
    writer.start()
    told = CliRunner().invoke(audit.command, [str(pipe)])
    writer.join()

    assert 0 == told.exit_code
    assert "passes" in told.stdout or "consistent" in told.stdout
