"""A log is decided again by the rules that its commits name, as far as these lie here frozen."""

from __future__ import annotations

import pytest

from domain import RELEASE as PRESENT
from service.audit.auditor import audit
from service.audit.several import audited
from service.process.frozen import shelf
from service.process.frozen.bundle import BadRules, Bundle
from service.store.memory.store import MemoryStore
from tests.releases.before import RELEASE, TREE, older
from workers.aside import Aside


@pytest.fixture
def store():
    """What a file says does not depend on where it was played."""
    return MemoryStore()


@pytest.fixture
def data(nim, monkeypatch):
    """A whole game in which too much was asked for, under the rules by turns: the old ones gave what there was."""
    game = nim.begun()
    assert (RELEASE, False) == nim.turn(game, 1, 9, old=True)
    with monkeypatch.context() as patched:
        patched.setattr(Aside, "check", lambda *_: None)  # goes on whatever was decided otherwise
        assert (PRESENT, True) == nim.turn(game, 2, 9)
        assert (PRESENT, False) == nim.turn(game, 2, 1)
    assert (RELEASE, False) == nim.turn(game, 2, 9, old=True)
    assert "over" == nim.store.lobbies.get(game).status
    return nim.exported(game)


def test_commits_are_decided_again_by_the_rules_that_they_name(data, kept):
    report = audit(data)
    assert () == report.divergences
    assert "AUD-09" not in report.notes
    assert 1 == report.facts["refusals"]


def test_without_those_rules_the_report_says_which_it_needs(data):
    report = audit(data)
    (divergence,) = report.divergences
    assert ("AUD-09", 2) == (divergence.check, divergence.seq)
    assert f"it needs rules {RELEASE}, which are not here" in divergence.what
    assert f"by the rules of {PRESENT}, for those of {RELEASE} are not here" == report.notes["AUD-09"]


def test_what_the_frozen_rules_decide_otherwise_is_found(data, tmp_path):
    files = dict(older().files)
    source = files["domain/nim/game.py"]
    files["domain/nim/game.py"] = source.replace(b"objects=min(command.objects, size)", b"objects=1")
    Bundle(RELEASE, files, TREE).write(tmp_path)
    shelf.use(tmp_path)
    (divergence,) = audit(data).divergences
    assert ("AUD-09", 4) != (divergence.check, divergence.seq)
    assert "needs rules" not in divergence.what


def test_in_several_processes_the_same_is_found(data, kept, monkeypatch):
    monkeypatch.setattr("service.audit.auditor.LONG", 1)
    monkeypatch.setattr("service.audit.stretches.STRETCH", 1)
    (report,) = audited([data], jobs=3)
    assert audit(data) == report


def test_the_command_line_takes_the_folder_of_frozen_rules(data, kept, oraclewheel, tmp_path):
    (tmp_path / "game.ndjson").write_bytes(data)
    assert 1 == oraclewheel("audit", "game.ndjson")[0]
    assert 0 == oraclewheel("audit", "game.ndjson", "--rules", tmp_path / "kept")[0]
    (tmp_path / "data").mkdir()
    (tmp_path / "kept").rename(tmp_path / "data" / "rules")
    assert 0 == oraclewheel("audit", "game.ndjson")[0], "they lie where the service looks for them"
    (tmp_path / "data" / "rules" / "other.zip").write_bytes(b"nothing")
    status, told = oraclewheel("audit", "game.ndjson")
    assert (1, True) == (status, "other.zip cannot be read as a file of rules" in told)


def test_rules_that_cannot_be_loaded_accuse_no_game(data, tmp_path):
    files = {**older("0.0.9").files, "domain/nim/game.py": b"1 / 0\n"}
    Bundle(RELEASE, files, TREE).write(tmp_path)
    shelf.use(tmp_path)
    with pytest.raises(BadRules, match="division by zero"):
        audit(data)


def test_a_game_by_old_rules_is_imported_where_they_are(
    data, oraclewheel, tmp_path, redis_url, redis_store, monkeypatch
):
    del redis_store
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    (tmp_path / "game.ndjson").write_bytes(data)
    assert 1 == oraclewheel("import", "game.ndjson")[0]
    older().write(tmp_path / "data" / "rules")
    assert (0, True) == ((found := oraclewheel("import", "game.ndjson"))[0], "5 commits" in found[1])
