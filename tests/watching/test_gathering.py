"""Metrics of several processes are merged; counts of dead processes stay, and their files are removed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from service.ops.metrics import gathering
from service.ops.metrics.gathering import FOLDER, gathered
from tests.watching.figures import read, value
from tests.workers.crew import ROOT

SCRIPT = """
import sys
from service.ops.metrics.catalogue import SETTLE_TIME, SCRIPTS, SETTLED
from service.ops.metrics.buffered import count_all
SETTLED.note(float(sys.argv[1]), "player")
SCRIPTS.note(0.002, "append")
SETTLE_TIME.note(float(sys.argv[1]), "settling")
count_all()
print("done", flush=True)
sys.stdin.readline()
"""


class Process:
    """A process that records one command of this duration and lives until `end`."""

    def __init__(self, folder, seconds):
        environ = {**os.environ, FOLDER: str(folder), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", SCRIPT, str(seconds)]
        self.process = subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert b"done\n" == self.process.stdout.readline()

    def end(self):
        self.process.kill()
        self.process.wait(60)
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def two(tmp_path):
    """Two processes that write to the same folder."""
    some = [Process(tmp_path, 0.5), Process(tmp_path, 3)]
    yield some
    for each in some:
        if each.process.returncode is None:
            each.end()


def told(folder):
    return read(gathered(str(folder)).decode())


def files_of(folder, process):
    return [*folder.glob(f"*_{process.process.pid}.db")]


def test_counts_of_dead_processes_stay_but_their_files_are_removed(two, tmp_path):
    first = told(tmp_path)
    assert 2 == value(first, "oraclewheel_command_duration_seconds_count", sender="player")
    assert 1 == value(first, "oraclewheel_command_duration_seconds_bucket", sender="player", le="0.5")
    assert 3.5 == value(first, "oraclewheel_settle_worker_seconds_total", activity="settling")

    for each in two:
        assert files_of(tmp_path, each)
        each.end()
        assert first == told(tmp_path)
        assert not files_of(tmp_path, each)
    assert first == told(tmp_path), "and stays for good"


def test_counts_of_a_dead_process_stay_while_its_pid_is_in_use(two, tmp_path, monkeypatch):
    first = told(tmp_path)
    two[0].end()
    monkeypatch.setattr(gathering, "is_alive", lambda _: True)
    assert first == told(tmp_path), "as long as the number is somebody's the file is theirs"
    monkeypatch.undo()
    assert first == told(tmp_path)


def test_empty_file_of_a_killed_process_is_ignored_and_removed(two, tmp_path):
    first = told(tmp_path)
    two[0].end()
    number = two[0].process.pid
    (tmp_path / f"histogram_{number}.db").unlink()
    (tmp_path / f"histogram_{number}.db").touch()

    assert value(first, "oraclewheel_settle_worker_seconds_total") == value(
        told(tmp_path), "oraclewheel_settle_worker_seconds_total"
    )
    assert not files_of(tmp_path, two[0])


def test_files_of_live_processes_are_not_replaced(two, tmp_path):
    before = {file: file.stat().st_ino for each in two for file in files_of(tmp_path, each)}
    told(tmp_path)
    assert before == {file: file.stat().st_ino for each in two for file in files_of(tmp_path, each)}


def test_folder_does_not_grow_as_processes_die(two, tmp_path):
    two[0].end()
    told(tmp_path)
    many = len([*tmp_path.iterdir()])
    for _ in range(3):
        Process(tmp_path, 1).end()
        told(tmp_path)
    assert many == len([*tmp_path.iterdir()])
    assert 5 == value(told(tmp_path), "oraclewheel_command_duration_seconds_count", sender="player")
