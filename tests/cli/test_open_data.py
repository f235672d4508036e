"""Open data: a month's public games from the store and the archive, which anyone can check."""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.audit.auditor import audit
from service.cli import main
from service.features.archive.mover import move
from service.features.open_data import publishing
from service.features.open_data.publishing import month_of
from service.ops.keys.signing import signer
from service.ops.settings import Settings
from service.store.codec import canonical
from service.store.redis.store import open_store
from service.store.seal import verify
from tests.hostile.test_backup_left import killed_in
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from tests.workers.test_archive import RECORDINGS, brought
from workers.advance import Advance

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture
def run(redis_url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_ARCHIVE", f"file://{tmp_path}/archive")
    return lambda *arguments: CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.fixture
def month(run, redis_url, tmp_path):
    """The store, this month, and three public games that ended in it; other games have not ended or are not public."""
    store = open_store(redis_url, archive=f"file://{tmp_path}/archive")
    tables = Tables(store)
    games = [tables.start("bot:greedy", "bot:random") for _ in range(3)]
    tables.start()
    tables.start("bot:greedy", "bot:random", sandbox={"position": None, "dice": None, "forked": None})
    brought(store, RECORDINGS[0])
    signer(Settings.load().key_path, store.log)
    settle(store, Advance.in_process(store))
    yield store, datetime.fromtimestamp(store.schedule.now() / 1000, UTC).strftime("%Y-%m"), games
    store.close()


def read(folder):
    contents = json.loads((folder / "contents.json").read_bytes())
    return contents, (folder / contents["file"]).read_bytes()


def test_public_games_of_a_month_are_written_with_proofs(run, month, tmp_path):
    store, name, games = month
    assert "moved" == move(store, games[0]).word
    store.archive.forget(games[0])
    told = run("open-data", name)
    assert 0 == told.exit_code and "3 games" in told.output, told.output
    contents, data = read(tmp_path / f"open-data-{name}")

    assert set(games) == {each["game"] for each in contents["games"]}
    assert contents["sha256"] == hashlib.sha256(data).hexdigest()
    signature = contents.pop("signature")
    public = store.log.keys()[contents["key"]]
    assert verify(bytes.fromhex(public), hashlib.sha256(canonical(contents)).hexdigest(), signature)
    for each in contents["games"]:
        export = zstd.decompress(data[each["offset"] : each["offset"] + each["size"]])
        assert (each["bytes"], each["sha256"]) == (len(export), hashlib.sha256(export).hexdigest())
        report = audit(export, heads=[store.log.head(each["game"])[1]])
        assert "authenticated" == report.verdict
        assert (each["head"], each["commits"]) == (report.facts["head"], report.facts["commits"])
        assert each["began"] <= each["ended"]
    whole = zstd.decompress(data)
    assert sum(each["bytes"] for each in contents["games"]) == len(whole), "and all frames are one file"


def test_open_data_is_the_same_before_and_after_archiving(run, month, tmp_path):
    store, name, games = month
    assert 0 == run("open-data", name, "-o", "one").exit_code
    for game in games:
        assert "moved" == move(store, game).word
        store.archive.forget(game)
    assert 0 == run("open-data", name, "-o", "two").exit_code
    assert read(tmp_path / "one") == read(tmp_path / "two")
    assert 0 == store.wire.one("EXISTS", *(store.keys.game(game).meta for game in games)), "it needs no copies"


def test_other_months_are_empty_and_invalid_months_are_refused(run, month):
    assert "0 games" in run("open-data", "2020-02").output
    for text in ("2020-13", "november", "2020", "2020-00"):
        assert "is not a month" in run("open-data", text).output
    assert "already exists" in run("open-data", "2020-02").output
    assert (1764547200000, 1767225600000) == month_of("2025-12")


def test_game_that_cannot_be_proved_is_left_out_and_reported(run, month, tmp_path):
    store, name, games = month
    names = store.keys.game(games[0])
    entry, _ = store.wire.one("XRANGE", names.commits, "-", "+", "COUNT", 1)[0]
    store.wire.one("XDEL", names.commits, entry)
    assert "moved" == move(store, games[1]).word
    store.archive.forget(games[1])
    for place in (tmp_path / "archive").rglob("*.zst"):
        place.unlink()
    told = run("open-data", name)
    assert 1 == told.exit_code
    assert f"{games[0]} was left out" in told.output and f"{games[1]} was left out" in told.output
    assert [games[2]] == [each["game"] for each in read(tmp_path / f"open-data-{name}")[0]["games"]]
    assert [] == [each for each in Path().iterdir() if each.name.startswith(".open")]


def test_second_writer_of_a_month_fails_and_leftovers_of_a_killed_one_are_removed(run, month, tmp_path, monkeypatch):
    _, name, _ = month
    left = killed_in(tmp_path, publishing.MAKING)
    real, to = publishing._written, tmp_path / f"open-data-{name}"

    def written(*told):
        to.mkdir()
        (to / "contents.json").write_text("another's")
        return real(*told)

    monkeypatch.setattr(publishing, "_written", written)
    told = run("open-data", name)
    assert (1, True) == (told.exit_code, "was created by another process in the meantime" in told.output), told.output
    assert "another's" == (to / "contents.json").read_text()
    assert not left.exists()
    assert not list(tmp_path.glob(".*"))
