"""Operator errors end in one sentence: an unreachable queue, a refusing server, a full disk, a wrong file."""

from __future__ import annotations

import errno

import pytest
from click.testing import CliRunner
from redis.exceptions import ConnectionError as Away
from redis.exceptions import NoPermissionError

from domain.registry import GAMES
from service.cli import main
from service.cli.stores import opened
from service.cli.stores.sentences import sentences
from service.ops.instance import embedded
from service.ops.instance.embedded import EmbeddedServer
from service.ops.keys.signing import signer
from service.ops.settings import Settings
from service.store.ports.errors import ArchiveDown
from tests.hostile.test_doctor import lose_commit
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance


def called(*arguments):
    """Run a command without a traceback; return its exit status and output."""
    result = CliRunner().invoke(main, [*map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return result.exit_code, result.output


@pytest.fixture
def away(redis_url, monkeypatch, tmp_path):
    """The settings point to a store, and to a queue that does not exist."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_QUEUE_URL", f"unix://{tmp_path}/nobody.sock")
    monkeypatch.setenv("ORACLEWHEEL_PUSH", "off")


@pytest.fixture
def played(redis_store, away):
    signer(Settings.load().key_path, redis_store.log)
    tables, advance = Tables(redis_store), Advance.in_process(redis_store)
    game = tables.start(points=1000)
    for number in range(4):
        tables.hide(game, 1 + number % 2, 0)
        settle(redis_store, advance)
    return game


def test_doctor_reports_an_unreachable_queue_and_still_checks_the_games(played, redis_store):
    status, told = called("doctor")
    assert (1, True) == (status, "the queue does not answer" in told), told

    lose_commit(redis_store, played)
    status, told = called("doctor", "--repair")
    assert (1, True) == (status, f"{played} is damaged" in told), told


@pytest.mark.parametrize(
    ("full", "where"),
    [(0, "The last lines of {data}/server.log: "), (1 << 62, "The disk of {data} is full. Free some space")],
)
def test_doctor_reports_a_folder_in_use_whose_server_does_not_answer(tmp_path, monkeypatch, full, where):
    """As with a full disk: the server dies again and again, and its supervisor holds the folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(embedded, "DISK_FULL", full)
    monkeypatch.setattr(opened, "answers", lambda _: False)
    with EmbeddedServer(tmp_path / "data", fsync="no"):
        status, told = called("doctor")
    assert (1, True) == (status, where.format(data=tmp_path / "data") in told), told
    assert "is in use by process" in told


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Away("Error 111 connecting to queue:6379"), "The queue does not answer: Error 111"),
        (
            NoPermissionError("no permissions to run the 'scan' command"),
            "A Redis server rejected a command: no permissions",
        ),
        (
            OSError(errno.ENOSPC, "No space left on device", "games.ndjson.zst"),
            "No space left on device: 'games.ndjson.zst'",
        ),
        (
            ArchiveDown("the archive does not answer as it should: it is full"),
            "The archive does not answer as it should",
        ),
    ],
)
def test_errors_of_queue_redis_disk_and_archive_become_one_sentence(error, told):
    with pytest.raises(Exception) as raised, sentences():
        raise error
    assert "ClickException" == raised.type.__name__
    assert told in str(raised.value.message)


def test_broken_pipe_is_not_turned_into_an_error_message():
    with pytest.raises(BrokenPipeError), sentences():
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")


@pytest.mark.parametrize(
    "command", [("export", "GAME", "-o", "/dev/null/there"), ("open-data", "2026-11", "-o", "/dev/null/x")]
)
def test_unwritable_output_path_is_reported_in_one_sentence(played, command):
    status, told = called(*(played if word == "GAME" else word for word in command))
    assert (1, True) == (status, "Error: [Errno" in told), told


@pytest.mark.parametrize("command", [("export", "GAME"), ("open-data", "2026-11")])
def test_signing_key_unknown_to_the_store_is_refused(played, command, monkeypatch, tmp_path):
    monkeypatch.setenv("ORACLEWHEEL_SIGNING_KEY", str(tmp_path / "another.key"))
    status, told = called(*(played if word == "GAME" else word for word in command))
    assert (1, True) == (status, "another.key is missing, but the store knows a signing key" in told), told


@pytest.mark.parametrize("command", [("export", "GAME"), ("open-data", "2026-11")])
def test_invalid_signing_key_is_reported_in_one_sentence(played, command, monkeypatch, tmp_path):
    (tmp_path / "key").write_text("a key\n")
    monkeypatch.setenv("ORACLEWHEEL_SIGNING_KEY", str(tmp_path / "key"))
    status, told = called(*(played if word == "GAME" else word for word in command))
    assert (1, True) == (status, "does not contain a signing key" in told), told
