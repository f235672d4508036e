"""A long audit reports its progress."""

import io

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.audit.auditor import audit
from service.cli.commands import audit as cli
from tests.audit.games import GAMES as PENNIES
from tests.audit.games import finished, table


def test_progress_is_printed_every_few_seconds():
    out, times = io.StringIO(), iter([0.0, 1.0, 3.0, 3.5, 6.5])
    progress = cli.AuditProgress(out, lambda: next(times), every=3)
    for done in (100, 200, 300, 400):
        progress(done, 450)

    assert "Replayed 200 of 450 commits.\nReplayed 400 of 450 commits.\n" == out.getvalue()


def test_audit_calls_its_progress_function():
    game = table(points=100)
    game.run()
    told = []
    audit(game.export(), games=PENNIES, progress=lambda done, whole: told.append((done, whole)))

    assert (100, game.position.seq) == told[0]
    assert (game.position.seq, game.position.seq) == told[-1]


def test_progress_is_written_to_stderr_even_without_a_terminal(tmp_path, monkeypatch):
    monkeypatch.setitem(GAMES, "pennies", PENNIES["pennies"])
    monkeypatch.setattr(cli, "AuditProgress", cli_progress)
    file = tmp_path / "game.ndjson"
    file.write_bytes(finished())
    told = CliRunner().invoke(cli.command, [str(file)])

    assert 0 == told.exit_code
    assert "Replayed " in told.stderr
    assert "Replayed" not in told.stdout


@pytest.mark.parametrize("option", ["--key", "--log"])
def test_empty_anchor_is_refused(tmp_path, option):
    file = tmp_path / "game.ndjson"
    file.write_bytes(finished())
    told = CliRunner().invoke(cli.command, [str(file), option, ""])

    assert 2 == told.exit_code
    assert f"Invalid value for {option}: the value is empty" in told.stderr


Real = cli.AuditProgress


def cli_progress(out, words):
    """Print a line each time."""
    return Real(out, every=0, words=words)
