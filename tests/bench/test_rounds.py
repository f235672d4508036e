"""Rounds run the benchmarks of this checkout on the product of another."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import rounds
from bench.measure import Row
from service.cli.commands.bench import command
from tools.load.cores import core_seconds, with_role


def a_tree(folder: Path, said: str) -> Path:
    """A product of one module, and benchmarks that must not run."""
    (folder / "domain").mkdir(parents=True)
    (folder / "domain" / "__init__.py").write_text(f"SAID = {said!r}\n")
    (folder / "bench").mkdir()
    (folder / "bench" / "__init__.py").write_text("raise SystemExit('the benchmarks of the other tree')\n")
    return folder


def test_benchmarks_are_of_this_checkout_and_the_product_of_the_tree(tmp_path):
    beside = tmp_path / "beside"
    beside.mkdir()
    rounds.beside(beside, a_tree(tmp_path / "tree", "the other release"))

    code = "import bench.rounds, domain; print(bench.rounds.ROOT, domain.SAID)"
    environ = {"PYTHONPATH": str(beside)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=beside, env=environ, capture_output=True, text=True, check=False
    )

    assert f"{rounds.ROOT} the other release" == done.stdout.strip(), done.stderr


def test_releases_alternate_in_going_first(tmp_path, monkeypatch):
    old, new, row, order = tmp_path / "old", tmp_path / "new", Row("row", 1, "x", at_least=True), []
    monkeypatch.setattr(rounds, "_round", lambda part, tree, kept: order.append(tree.name) or [row.got(len(order))])

    found = rounds.measured("rules", [old, new], 3, lambda tree, sample: None)

    assert ["old", "new", "new", "old", "old", "new"] == order
    assert [1, 4, 5] == [sample.value for sample in found[old]]


def test_failed_round_raises_an_error(tmp_path):
    with pytest.raises(rounds.Failed, match="no-such-part"):
        rounds.measured("no-such-part", [rounds.ROOT], 1, lambda tree, sample: None)


def test_unknown_part_is_reported():
    said = CliRunner().invoke(command, ["rules", "ruls"])

    assert (2, True) == (said.exit_code, "'ruls' is not a part. Choose from rules, audits," in said.output)


def test_cost_of_a_process_includes_its_children():
    busy = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
    code = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {busy!r}])\n{busy}\nprint(flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        grandchild = [each for each in with_role(process.pid, "rest") if each != process.pid]
        cost = core_seconds([process.pid]).total()
        process.stdin.close()

    assert len(grandchild) == 1
    assert cost >= 0.3
