"""The console examples of the documentation run against a service, in the order of each page."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from service.ops.instance.embedded import EmbeddedServer
from tests.prose.surfaces import ROOT
from tests.prose.test_examples import blocks
from tests.workers.test_serve import Instance

EXCEPTIONS = {
    r"(sudo|systemctl|journalctl|apt) ": "needs root or systemd",
    r"docker |make image": "needs a container runtime",
    r"make client|cd clients|npm |node ": "run by test_quick_start_in_typescript_plays_a_game",
    r"(\S+=\S+ )?make |\.venv/bin/(python -m pytest|playwright)": "builds, starts or tests the project itself",
    r"\.venv/bin/python first\.py": "run by test_quick_start_in_python_plays_a_game",
    r"oraclewheel simulate --(modules plague|kind pig)|python -m ": "run by tests/games/test_extending.py",
    r"(ORACLEWHEEL_DATA=\S+ )?oraclewheel serve": "does not end; the test starts a service of its own",
    r"oraclewheel witness|.*text/event-stream": "does not end",
    r"oraclewheel (load|simulate|ladder) ": "takes minutes; tests/tools runs it with fewer games",
    r".*play\.example\.org": "needs a public host",
    r"zstdcat|tail -c|.* --head HEAD": "needs an object of an archive or of open data",
    r".*push\.example\.net": "needs the push subscription of a browser",
    r"oraclewheel reports --": "needs the id of a report",
    r"oraclewheel accounts .* ID": "needs the id of an account",
    r"curl .*/(favorites/players|tournaments)/": "needs the id of a player or of a tournament",
    r"oraclewheel (ratings|standings) ": "needs exports of many games; tests/cli runs it",
    r"pip install ": "changes the environment of the tests",
}
"""Commands that are not run: the pattern at their start, and the reason."""


def commands(page: Path) -> list[str]:
    """The commands of its console blocks, with continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
    blocks = re.findall(r"^( *)```console\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE)
    lines = [line.strip() for _, block in blocks for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def reason(command: str) -> str | None:
    """Why a command is not run, if it is not."""
    return next((why for pattern, why in EXCEPTIONS.items() if re.match(pattern, command)), None)


ALL = {
    page.relative_to(ROOT).as_posix(): commands(page)
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
}
RUN = {name: run for name, lines in ALL.items() if (run := [line for line in lines if reason(line) is None])}
UNDELIVERED = ("docs/how-to/email.md", "docs/how-to/receive-webhooks.md")
"""Pages whose examples leave deliveries that fail. They run last, because `oraclewheel doctor` reports them."""


def test_exceptions_of_console_examples_are_needed():
    lines = [line for page in ALL.values() for line in page]
    assert [] == [pattern for pattern in EXCEPTIONS if not any(re.match(pattern, line) for line in lines)]


class Scene:
    """A service with a running game, a finished game and three players."""

    def __init__(self, folder: Path) -> None:
        settings = {
            "RATE_REQUESTS": "0",
            "LOG_SECONDS": "1",
            "SMTP_URL": "smtp://127.0.0.1:9",
            "PUBLIC_URL": "http://games.localhost",
            "MAIL_FROM": "a@example.org",
        }
        self.service = Instance(folder, **{f"ORACLEWHEEL_{name}": value for name, value in settings.items()}).start()
        self.admin = subprocess.run(
            [*Instance.program, "token", "--admin", "operator"],
            env=self.service.environ,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout.strip()
        self.tokens = {name: self.post("/v1/players", name=name) for name in ("Ada", "Bob", "Carol")}
        self.finished = self.game("Ada", "nim", bot="random")
        self.play(self.finished, "Ada")
        # The examples read the log of heads, whose first checkpoint follows the first game by a second or more.
        until = time.monotonic() + 120
        while requests.get(f"{self.service.url}/v1/log/checkpoint", timeout=60).status_code != 200:
            assert time.monotonic() < until, "there is no checkpoint"
            time.sleep(0.2)

    def post(self, path, *, by="", **body):
        headers = {"Prefer": "wait=30"} | ({"Authorization": f"Bearer {self.tokens[by]['token']}"} if by else {})
        reply = requests.post(self.service.url + path, json=body, headers=headers, timeout=60)
        reply.raise_for_status()
        return reply.json()

    def game(self, creator, kind, bot="", other=""):
        game = self.post("/v1/games", by=creator, kind=kind, seats=2)["id"]
        self.post(f"/v1/games/{game}/seats", by=other or creator, **({"bot": bot} if bot else {}))
        self.post(f"/v1/games/{game}/start", by=creator)
        return game

    def get(self, path, by):
        headers = {"Authorization": f"Bearer {self.tokens[by]['token']}"}
        return requests.get(self.service.url + path, headers=headers, timeout=60).json()

    def play(self, game, by):
        while self.get(f"/v1/games/{game}", by)["status"] != "over":
            told = self.get(f"/v1/games/{game}/options", by)
            if not told["answers"]:
                time.sleep(0.1)
                continue
            first = told["options"][0]
            chosen = {each["name"]: each["one_of"][0] if "one_of" in each else 1 for each in first["open"]}
            self.post(f"/v1/games/{game}/commands", by=by, type=first["type"], **first["fixed"], **chosen)


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    scene = Scene(tmp_path_factory.mktemp("consoles"))
    yield scene
    scene.service.stop()


def prepared(scene: Scene, page: str) -> tuple[str, str]:
    """The game and the player of a page's examples."""
    if page.endswith("absent-players.md"):
        game = scene.game("Ada", "nim", other="Bob")
        scene.post(f"/v1/games/{game}/commands", by="Bob", type="resign")
        return game, "Carol"
    if page.endswith("name-a-sitter.md"):
        game = scene.game("Bob", "nim", other="Ada")
        carol = {"Authorization": f"Bearer {scene.tokens['Carol']['token']}"}
        agreed = f"{scene.service.url}/v1/me/sitting/{scene.tokens['Ada']['id']}"
        requests.put(agreed, headers=carol, timeout=60).raise_for_status()
        return game, "Ada"
    if page.endswith(("planned-turns.md", "standing-orders.md")):
        game = scene.game("Ada", "battalia", other="Bob")
        waiting = scene.get(f"/v1/games/{game}/options", "Ada")["answers"] == 0
        return game, "Ada" if waiting else "Bob"
    return scene.game("Ada", "nim", bot="random"), "Ada"


@pytest.mark.soak
def test_python_example_of_a_stream_runs(scene, capsys):
    text = (ROOT / "docs/how-to/stream-events.md").read_text(encoding="utf-8")
    program = "\n".join(blocks(text, "python")).replace("http://127.0.0.1:8000", scene.service.url)

    exec(compile(program, "stream-events.md", "exec"), {"TOKEN": scene.tokens["Ada"]["token"], "GAME": scene.finished})

    assert '"seq":' in capsys.readouterr().out


@pytest.mark.soak
@pytest.mark.parametrize("page", sorted(RUN, key=UNDELIVERED.__contains__))
def test_console_examples_of_a_page_run(page, scene, tmp_path):
    game, player = prepared(scene, page)
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    for name, line in {
        "oraclewheel": f"exec {sys.executable} -c 'from service.cli import main; main()' \"$@\"",
        "curl": f'exec {shutil.which("curl")} --fail-with-body "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    export = requests.get(f"{scene.service.url}/v1/games/{scene.finished}/export", timeout=60)
    (tmp_path / "game.ndjson").write_bytes(export.content)
    (tmp_path / "keys.json").write_bytes(requests.get(f"{scene.service.url}/v1/keys", timeout=60).content)
    with EmbeddedServer(tmp_path / "own") as own:
        text = "\n".join(RUN[page])
        for old, new in {
            "http://127.0.0.1:8000": scene.service.url,
            "redis://:password@redis.example.org:6379/0": own.url,
            "g9nxqkdh7hpb5cpnp": scene.finished,
            "<game>": scene.finished,
            "2026-11": time.strftime("%Y-%m", time.gmtime()),
            "p7d2k9s4h1q8z3xn": scene.tokens["Carol"]["id"],
        }.items():
            text = text.replace(old, new)
        done = subprocess.run(
            ["bash", "-e", "-x", "-c", text],
            cwd=tmp_path,
            env={
                **scene.service.environ,
                "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
                "URL": scene.service.url,
                "TOKEN": scene.tokens[player]["token"],
                "GAME": game,
                "ADMIN_TOKEN": scene.admin,
                "HOME": str(tmp_path),
            },
            input="quit\n",
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    assert 0 == done.returncode, done.stderr[-2000:] + done.stdout[-1000:]
