"""A parallel audit gives the same report as one process, byte for byte: for valid, forged and multiple files."""

import json
import os
import signal
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.audit import auditor, segments
from service.audit.auditor import audit
from service.audit.batch import audit_files
from service.audit.processes import Inconclusive, ProcessFailure, WorkAllocator, run_processes
from service.cli.commands.audit import command
from service.store.codec import canonical
from tests.audit.alike import audited_alike, told
from tests.audit.forger import Forger
from tests.audit.games import GAMES, finished, running
from tests.audit.test_forgeries import FORGERIES
from tests.recordings.make import KNOWN
from tests.soaking import sample

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("*.ndjson"))


@pytest.fixture(autouse=True)
def _short_stretches(monkeypatch):
    """Split even a short game into several segments for several processes."""
    monkeypatch.setattr(segments, "SEGMENT_SIZE", 5)
    monkeypatch.setattr(auditor, "MIN_PARALLEL_COMMITS", 2)


@pytest.mark.parametrize("path", sample(RECORDINGS, 18), ids=lambda path: path.stem)
def test_a_recording_has_the_same_report_with_parallel_jobs(path):
    assert audited_alike(path.read_bytes(), games=KNOWN).is_ok


@pytest.mark.parametrize("form", [1, 2])
def test_a_running_game_has_the_same_report_with_parallel_jobs(form):
    assert "open" == audited_alike(running(form), games=GAMES).statuses["AUD-09"]


@pytest.mark.parametrize("form", [pytest.param(1, marks=pytest.mark.soak), 2])
@pytest.mark.parametrize("what", sample(FORGERIES, 8))
def test_a_forgery_has_the_same_report_with_parallel_jobs(what, form):
    forger = Forger(finished(form=form))
    _, wanted, forge = FORGERIES[what]
    forge(forger.body(forger.find(wanted)))

    assert not audited_alike(forger.file(), games=GAMES).is_ok


@cache
def lines():
    """A long recording of Battalia, for forgeries at many places."""
    return (Path(__file__).parents[1] / "recordings" / "battalia-3-weeks.ndjson").read_bytes()


def values(body, path=()):
    """Path and value of every scalar in a body."""
    for name, value in body.items() if isinstance(body, dict) else enumerate(body):
        if isinstance(value, dict | list):
            yield from values(value, (*path, name))
        else:
            yield (*path, name), value


def another(value):
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}-x" if isinstance(value, str) else 7


def numbers(count, every):
    """So many trials; one in ``every`` always runs, the others only in soak tests."""
    return [pytest.param(each, marks=pytest.mark.soak if each % every else ()) for each in range(count)]


@pytest.mark.parametrize("number", numbers(120, every=30))
def test_a_changed_value_has_the_same_report_with_parallel_jobs(number):
    """Changes one or two bodies; the first divergent commit is reported, no matter which process finds it."""
    forger = Forger(lines())
    for part in range(1 + number % 2):
        body = forger.body(1 + (number * 7919 + part * 104729) % len(forger.commits))
        places = list(values(body))
        path, value = places[(number * 31 + part) % len(places)]
        inner = body
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = another(value)

    audited_alike(forger.file(), games=KNOWN, jobs=2 + number % 3)


@pytest.mark.parametrize("number", numbers(40, every=10))
def test_missing_duplicate_or_reordered_commits_have_the_same_parallel_report(number):
    forger = Forger(lines())
    place = 1 + (number * 7919) % (len(forger.commits) - 2)
    match number % 4:
        case 0:
            del forger.commits[place]
        case 1:
            forger.commits.insert(place, json.loads(json.dumps(forger.commits[place])))
        case 2:
            pair = forger.commits[place], forger.commits[place + 1]
            forger.commits[place + 1], forger.commits[place] = pair
        case 3:
            forger.commits[place + 1 :] = forger.commits[-1:]

    assert not audited_alike(forger.file(), games=KNOWN).is_ok


@pytest.mark.parametrize("number", numbers(30, every=10))
def test_a_flipped_bit_has_the_same_report_with_parallel_jobs(number):
    data = bytearray(lines())
    data[(number * 15485863) % len(data)] ^= 1 << number % 8

    audited_alike(bytes(data), games=KNOWN)


def test_audit_does_not_wait_for_work_after_the_first_divergence(monkeypatch):
    """A commit that is never done folding comes after the first divergent commit."""
    forger = Forger(lines())
    forger.body(20)["drawn"] += 1
    forger.body(60)["submission"]["id"] = "for ever"
    data, folded = forger.file(), segments.CommitVerifier.fold

    def slow(self, first, commits):
        commits = list(commits)
        while any(line.body["submission"]["id"] == "for ever" for line in commits):
            signal.pause()
        folded(self, first, commits)

    monkeypatch.setattr(segments.CommitVerifier, "fold", slow)

    assert [20] == [divergence.seq for divergence in audit(data, games=KNOWN, jobs=3).divergences]


def test_a_killed_process_makes_the_audit_inconclusive(monkeypatch):
    monkeypatch.setattr(segments, "_verify_segment", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))

    with pytest.raises(Inconclusive, match="ended with status -9"):
        audit(lines(), games=KNOWN, jobs=2)


def test_an_exception_in_a_process_makes_the_audit_inconclusive(monkeypatch):
    monkeypatch.setattr(segments, "_verify_segment", lambda *_, **__: 1 // 0)

    with pytest.raises(Inconclusive, match="ZeroDivisionError"):
        audit(lines(), games=KNOWN, jobs=2)


def test_processes_end_when_the_listener_closes():
    def work(_, tell):
        tell(os.getpid())
        signal.pause()

    with closing(run_processes(3, work)) as heard:
        processes = [next(heard) for _ in range(3)]

    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_worker_processes_ignore_ctrl_c():
    def work(_, tell):
        os.kill(os.getpid(), signal.SIGINT)
        tell("still here")

    assert ["still here"] == list(run_processes(1, work))


def test_every_piece_of_work_is_done_once():
    def work(turns: WorkAllocator, tell):
        for number in range(50):
            if turns.claim(number):
                tell(number)

    assert [*range(50)] == sorted(run_processes(4, work))


class Deadly:
    """A counter that kills the process that increments it, while that process holds the lock."""

    def __init__(self, held):
        self._held = held

    @property
    def value(self):
        return 0

    @value.setter
    def value(self, _):
        self._held.touch()
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_killed_while_it_holds_the_lock_does_not_block_others(tmp_path):
    doomed, held = tmp_path / "doomed", tmp_path / "held"

    def work(turns: WorkAllocator, tell):
        signal.alarm(20)
        try:
            doomed.touch(exist_ok=False)
        except FileExistsError:
            while not held.exists():
                pass
            tell(turns.claim(0))
        else:
            turns._counter = Deadly(held)
            turns.claim(0)

    heard = list(run_processes(2, work))

    assert True in heard
    assert ProcessFailure("a process ended with status -9") in heard


def test_an_exception_in_one_process_does_not_stop_the_others():
    def work(turns: WorkAllocator, tell):
        for number in range(10):
            if turns.claim(number):
                tell(number if number != 3 else 1 // 0)

    heard = list(run_processes(3, work))

    assert {*range(10)} - {3} == {each for each in heard if not isinstance(each, ProcessFailure)}
    assert 1 == sum(isinstance(each, ProcessFailure) for each in heard)


def test_progress_callback_counts_up_to_the_total():
    steps = []
    assert audit(lines(), games=KNOWN, jobs=2, progress=lambda done, whole: steps.append((done, whole))).is_ok

    done, wholes = zip(*steps, strict=True)
    assert sorted(done) == list(done)
    assert {done[-1]} == set(wholes)


def test_several_files_are_reported_in_order_as_if_audited_alone(tmp_path):
    forger = Forger(finished())
    forger.body(3)["drawn"] += 1
    data = [finished(), forger.file(), b"no file", running(), finished(form=1), lines()]
    path = tmp_path / "game.ndjson"
    path.write_bytes(data[1])
    counted = []

    reports = audit_files(
        [data[0], path, *data[2:]], games=KNOWN, jobs=3, progress=lambda *numbers: counted.append(numbers)
    )

    assert [told(audit(each, games=KNOWN)) for each in data] == [told(report) for report in reports]
    assert [(number, 6) for number in range(1, 7)] == counted


def test_the_command_takes_several_files_and_fails_if_one_does(tmp_path):
    names = []
    for name, data in (("right", lines()), ("wrong", canonical({}) + b"\n")):
        names.append(str(tmp_path / name))
        (tmp_path / name).write_bytes(data)
    alone = [CliRunner().invoke(command, [name, "--jobs", "1"]) for name in names]
    both = CliRunner().invoke(command, [*names, "--jobs", "2"])
    as_json = CliRunner().invoke(command, ["--json", *names])

    assert [0, 1, 1, 1] == [each.exit_code for each in (*alone, both, as_json)]
    assert both.stdout == f"{names[0]}\n{alone[0].stdout}\n{names[1]}\n{alone[1].stdout}"
    assert names == [each["file"] for each in json.loads(as_json.stdout)]
    assert [True, False] == [each["ok"] for each in json.loads(as_json.stdout)]


def test_the_command_reports_an_interrupted_audit(tmp_path, monkeypatch):
    monkeypatch.setattr(segments, "_verify_segment", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
    (tmp_path / "game").write_bytes(lines())

    ended = CliRunner().invoke(command, [str(tmp_path / "game"), "--jobs", "2"])

    assert 1 == ended.exit_code
    assert "The audit was interrupted and has no result. a process ended with status -9" in ended.stderr


def test_standard_input_can_be_given_only_once():
    twice = CliRunner().invoke(command, ["-", "-"], input=lines())
    once = CliRunner().invoke(command, ["-", "--jobs", "1"], input=lines())

    assert 2 == twice.exit_code
    assert "standard input (-) can be given only once" in twice.stderr
    assert once.stdout.startswith("AUD-01  ok")
