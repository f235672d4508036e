"""Games as files: export, audit, import, check-release."""

import json

import pytest

from service.application import create_app
from service.audit.auditor import audit
from service.audit.export import export_lines
from service.cli.commands.check_release import check
from service.cli.commands.imports import IMPORTED, NotImportable, imported
from service.core.positions.cache import Positions
from service.core.positions.rows import load_current_rows
from service.ops.settings import Settings
from service.store.ports.errors import LobbyRefusal
from service.store.seal import Signer
from tests.audit.games import SIGNER, finished, running, table
from tests.driver import InProcess, Player
from tests.pennies import PenniesRules
from tests.store.pump import claim_games
from tests.stores import new_store


def settle_all(store, advance):
    while advance.round(range(store.partitions)):
        pass


def play(store, advance, tables, points=2):
    """A finished game of a player and two bots, with refusals."""
    game = tables.start("ada", "bot:random", "bot:greedy", points=points)
    settle_all(store, advance)
    tables.hide(game, 1, 99)
    while store.lobbies.get(game).status != "over":
        seen = store.views.rows(game).seen[1]
        tables.hide(game, 1, 1)
        tables.hide(game, 1, 1, expected=seen)
        settle_all(store, advance)
    return game


def exported(store, game, signer=None):
    return b"".join(export_lines(store, store.lobbies.get(game), signer))


def test_game_settled_by_workers_passes_its_audit(store, advance, tables):
    game = play(store, advance, tables)
    report = audit(exported(store, game, SIGNER), keys=list(store.log.keys().values()))

    assert () == report.divergences
    assert report.is_authenticated, "the worker has signed the last head"
    assert report.facts["refusals"] > 1
    assert report.facts["stale"] > 0


def test_running_game_is_exported_as_headers_only(store, advance, tables):
    game = tables.start("ada", "bob")
    settle_all(store, advance)
    tables.hide(game, 1, 1)
    settle_all(store, advance)
    data = exported(store, game)
    report = audit(data, keys=list(store.log.keys().values()))

    assert report.is_ok
    assert report.is_authenticated
    assert 2 == report.facts["commits"]
    assert b"body" not in data
    assert store.lobbies.seed(game).hex().encode() not in data


def test_game_that_has_not_started_cannot_be_exported(store, advance, tables):
    game = tables.start("ada", "bob")

    with pytest.raises(LobbyRefusal):
        exported(store, game)


def test_imported_game_has_the_same_views_and_commits(store, advance, tables):
    game = play(store, advance, tables)
    data = exported(store, game)
    other = new_store()
    sizes = list(imported(other, data, audit(data)))
    here, there = (load_current_rows(each, Positions(each), game, (1, 2, 3)) for each in (store, other))

    assert sum(sizes) == here.seq
    assert "over" == other.lobbies.get(game).status
    assert IMPORTED == other.lobbies.get(game).creator
    assert (here.seq, here.head, here.public, here.private) == (there.seq, there.head, there.public, there.private)
    assert [c.body for c in store.log.commits(game)] == [c.body for c in other.log.commits(game)]
    assert [game] == [lobby.id for lobby in other.lobbies.page(status="over")[0]]
    assert [] == list(claim_games(other, range(other.partitions), 10, 1000)), "no worker has anything to do"


def test_export_of_an_imported_game_equals_the_original(store):
    data = finished()
    list(imported(store, data, audit(data)))
    again = exported(store, "g7", SIGNER)

    assert data.splitlines()[:-1] == again.splitlines()[:-1]
    assert {**json.loads(data.splitlines()[-1]), "signatures": []} == json.loads(again.splitlines()[-1])


def test_imported_game_is_served_and_accepts_no_commands(store):
    data = finished()
    list(imported(store, data, audit(data)))
    site = InProcess(create_app(store, Settings(), lambda _: None))
    ash = Player.register(site, "Ash")
    summary = ash.get("/v1/games/g7", want=200).json

    assert ("over", [], list(audit(data).facts["outcome"]["winners"])) == (
        summary["status"],
        summary["your_seats"],
        summary["outcome"]["winners"],
    )
    assert audit(data).facts["head"] == summary["head"]
    assert ash.get("/v1/games/g7/view", at=3, want=200).json["public"]
    assert "purse" in ash.get("/v1/games/g7/view", seat=1, want=200).json["private"]
    assert ash.get("/v1/games/g7/events", want=200).json["events"]
    assert finished().splitlines()[:-1] == ash.get("/v1/games/g7/export", want=200).body.splitlines()[:-1]
    assert ash.post("/v1/games/g7/commands", {"type": "hide", "pennies": 1}).status in (403, 409)
    assert ash.post("/v1/games/g7/seats", {}).status == 409


def test_import_refuses_existing_ids_and_running_games(store):
    data = finished()
    list(imported(store, data, audit(data)))

    with pytest.raises(NotImportable, match="already"):
        list(imported(store, data, audit(data)))
    with pytest.raises(NotImportable, match="has not ended"):
        list(imported(new_store(), running(), audit(running())))


def test_import_refuses_times_beyond_the_limits_of_the_store(store):
    game = table()
    game.now = 1 << 50
    game.run()
    data = game.export()

    with pytest.raises(NotImportable, match="a time or a release name exceeds the limits"):
        list(imported(store, data, audit(data)))
    assert store.lobbies.get("g7") is None


def test_import_refuses_a_file_that_fails_the_audit(store):
    data = finished().replace(b'"face":', b'"fate":', 1)

    with pytest.raises(NotImportable, match="DIVERGES"):
        list(imported(store, data, audit(data)))
    assert store.lobbies.get("g7") is None


def test_interrupted_import_can_be_resumed(store, monkeypatch):
    monkeypatch.setattr("service.cli.commands.imports.BATCH", 5)
    data = finished()
    steps = imported(store, data, audit(data))
    next(steps)
    steps.close()

    assert "running" == store.lobbies.get("g7").status
    assert len(data.splitlines()) - 3 == sum(imported(store, data, audit(data)))
    assert "over" == store.lobbies.get("g7").status


def test_check_passes_for_equal_rules_and_names_the_first_difference(store, advance, tables, monkeypatch):
    game = play(store, advance, tables)
    seq = store.log.head(game)[0]

    assert (seq, None) == ((found := check(store, game, "pennies")).commits, found.divergence)

    from tests.pennies import PenniesHidden

    monkeypatch.setattr(PenniesRules, "decide", lambda *_: [PenniesHidden(1, 3)])
    found = check(store, game, "pennies")

    assert found.divergence.check in ("AUD-09", "AUD-11")
    assert found.divergence.seq == found.commits + 1 < seq
    assert found.divergence.rule is not None


def test_running_game_is_checked(store, advance, tables):
    game = tables.start("ada", "bot:random")
    settle_all(store, advance)

    assert check(store, game, "pennies").commits == store.log.head(game)[0] > 0


def test_every_game_of_a_store_is_listed(store, tables):
    games = {tables.start("ada", "bob") for _ in range(3)}

    assert games == set(store.lobbies.every())


# -- the command line --------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "game.ndjson"
    path.write_bytes(finished())
    return path


def test_audit_prints_every_check_and_its_verdict(oraclewheel, file):
    status, told = oraclewheel("audit", file)

    assert 0 == status
    assert "AUD-08  ok" in told
    assert "Self-consistent, not authenticated." in told


def test_strict_audit_needs_a_trusted_key(oraclewheel, file, tmp_path):
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [{"id": SIGNER.key_id, "public": SIGNER.public.hex()}]}))

    assert 1 == oraclewheel("audit", file, "--strict")[0]
    assert 0 == oraclewheel("audit", file, "--strict", "--key", SIGNER.public.hex())[0]
    assert 0 == oraclewheel("audit", file, "--strict", "--key", "keys.json")[0]
    assert 1 == oraclewheel("audit", file, "--key", Signer(b"w" * 32).public.hex())[0]
    assert 1 == oraclewheel("audit", file, "--head", "0" * 64)[0]
    assert 2 == oraclewheel("audit", file, "--head", "beef")[0]
    assert 2 == oraclewheel("audit", file, "--key", "no-such-file")[0]


def test_audit_names_the_divergence_and_fails(oraclewheel, file):
    file.write_bytes(finished().replace(b'"face":', b'"fate":', 1))
    status, told = oraclewheel("audit", file)

    assert 1 == status
    assert "DIVERGES: AUD-02" in told
    assert "AUD-07: seq" in told


def test_audit_prints_its_report_as_json(oraclewheel, file):
    status, told = oraclewheel("audit", file, "--json")
    report = json.loads(told[told.index("{") :])

    assert 0 == status
    assert report["ok"]
    assert "ok" == {check["id"]: check for check in report["checks"]}["AUD-09"]["status"]


def test_audit_imports_no_server_modules():
    import subprocess
    import sys

    code = """
import sys
from service.cli.commands.audit import command
from service.audit import auditor
assert not {'redis', 'rq', 'flask', 'gevent', 'service.core.http', 'workers'} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_export_import_and_check_release_on_a_server(oraclewheel, redis_url, redis_store, monkeypatch, file, tmp_path):
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path))

    assert (0, True) == ((told := oraclewheel("import", file))[0], "g7: " in told[1])
    assert 1 == oraclewheel("import", file)[0]
    assert 0 == oraclewheel("export", "g7", "-o", "again.ndjson")[0]
    assert finished().splitlines()[:-1] == (tmp_path / "again.ndjson").read_bytes().splitlines()[:-1]
    assert 0 == oraclewheel("audit", "again.ndjson")[0]
    assert 1 == oraclewheel("export", "nobody")[0]
    status, told = oraclewheel("check-release")
    assert 0 == status
    assert "1 games" in told
    assert "none diverges" in told


def test_commands_without_a_server_start_the_embedded_one(oraclewheel, file, monkeypatch, tmp_path):
    monkeypatch.delenv("ORACLEWHEEL_REDIS_URL", raising=False)
    monkeypatch.setenv("ORACLEWHEEL_DATA", str(tmp_path / "data"))

    assert 0 == oraclewheel("import", file)[0]
    status, told = oraclewheel("check-release")
    assert 0 == status
    assert "1 games" in told
