"""The comparison with boardgame.io: pinned versions, and a machine without Node."""

import json
import shutil

import pytest

from bench.load.marching import EACH, lists
from bench.parts import peers
from bench.peers import boardgame_io


def test_npm_packages_are_pinned_with_integrity_hashes():
    named = json.loads((boardgame_io.HERE / "package.json").read_text())
    locked = json.loads((boardgame_io.HERE / "package-lock.json").read_text())["packages"]

    assert named["dependencies"] == locked[""]["dependencies"]
    assert all(
        named["dependencies"][name] == locked[f"node_modules/{name}"]["version"] for name in named["dependencies"]
    )
    assert ["4.1.0"] == [told["version"] for path, told in locked.items() if path.endswith("node_modules/koa-compose")]
    assert all("integrity" in told for path, told in locked.items() if path)


def test_rows_are_absent_with_a_reason_without_node(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name, **_: None if name == "node" else f"/bin/{name}")

    samples = list(peers.measure())

    assert [peers.ONE, peers.FILES, peers.POSTGRES, peers.LISTS] == [sample.row for sample in samples]
    assert {(None, "node and npm are not here")} == {(sample.value, sample.detail) for sample in samples}


def test_failed_installation_leaves_no_files(monkeypatch, tmp_path):
    bad = tmp_path / "bin"
    bad.mkdir()
    for name in ("node", "npm"):
        (bad / name).write_text("#!/bin/sh\necho 'npm error: no registry' >&2\nexit 1\n")
        (bad / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(bad), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    with pytest.raises(boardgame_io.NotHere, match="no registry"):
        boardgame_io.set_up()
    assert [] == list((tmp_path / "cache" / "oraclewheel").iterdir())


def test_game_lists_have_eight_legal_moves_each():
    from bench.load.whole import table
    from domain.registry import GAMES

    play = table(GAMES["fronela"], 4, 1)
    play.begin()
    while play.position.asked[0].question.kind != "move":
        play.say(play.position.asked[0].question.seat, {"type": "done"})

    said = [play.say(1, command) for commands in lists() for command in commands]

    assert [EACH] * 6 == [len(commands) for commands in lists()]
    assert [None] * 48 == [commit.refusal for commit in said]
