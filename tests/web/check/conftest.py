"""Node, the browser's code in a folder that Node loads as modules, and a fixture that checks files with it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.web.browsing import STATIC

HERE = Path(__file__).parent


@pytest.fixture(scope="package")
def app(tmp_path_factory):
    """`app/` as Node reads it: all files are modules."""
    folder = tmp_path_factory.mktemp("app")
    shutil.copytree(STATIC / "app" / "check", folder / "check")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


@pytest.fixture(scope="package")
def script(node, app):
    """Run a script of this folder on the browser's code and return the JSON documents it prints, one per line."""

    def run(name, *arguments, given=""):
        command = [node, str(HERE / name), str(app), *map(str, arguments)]
        done = subprocess.run(command, input=given.encode(), capture_output=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


@pytest.fixture
def checked(script, tmp_path):
    """Check files with the browser's code: one report per file."""

    def check(files, keys=(), heads=(), tables=None):
        with (tmp_path / "files.ndjson").open("w", encoding="utf-8") as out:
            for number, data in enumerate(files):
                (tmp_path / f"{number}.ndjson").write_bytes(data)
                told = {"file": f"{number}.ndjson", "keys": list(keys), "heads": list(heads), "tables": tables or {}}
                out.write(json.dumps(told) + "\n")
        return script("run.mjs", tmp_path)

    return check
