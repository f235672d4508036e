"""Games of Pennies settled by the real worker in a real store, and the command line."""

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.core.queue import Queue
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from workers.advance import Advance


@pytest.fixture(autouse=True)
def pennies(monkeypatch):
    """Register the tiny game Pennies."""
    monkeypatch.setitem(GAMES, "pennies", PENNIES)


@pytest.fixture
def advance(store):
    return Advance.in_process(store)


@pytest.fixture
def tables(store):
    return Tables(store)


@pytest.fixture
def workers_run(monkeypatch):
    """The queue reports that the service runs and that every lane has its settle worker."""
    monkeypatch.setattr(Queue, "serving", lambda _: True)
    monkeypatch.setattr(Queue, "settling", lambda queue: queue.lanes.count)


@pytest.fixture
def oraclewheel(monkeypatch, tmp_path):
    """Call the command line in an empty folder; return the exit status and the output."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, **given):
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], **given)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return call
