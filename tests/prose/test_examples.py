"""The examples of the documentation work: the quick starts run, and commands, routes and settings in the text exist."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
from urllib.parse import urlsplit

import click
import pytest
import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPResponse

from service.ops.settings import NOT_SETTINGS, every
from service.ops.settings.reading import PREFIX
from service.ops.settings.renamed import RENAMED
from tests.core.http.conftest import World
from tests.prose.surfaces import ROOT

FORMER = {"ORACLEWHEEL_PARTITIONS", *(PREFIX + old for old in RENAMED)}
"""Settings of older releases, which the docs ask operators to remove or to rename."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str, *languages: str) -> list[str]:
    """The code blocks of these languages."""
    return re.findall(rf"^```(?:{'|'.join(languages)})\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def shell_lines() -> list[tuple[str, str]]:
    """Name of the page, and each command of its console blocks with continued lines joined."""
    found = []
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8"), "console", "shell", "bash", "sh"):
            joined = re.sub(r"\\\n\s*", " ", block)
            found += [(page.name, line.removeprefix("$ ")) for line in joined.splitlines() if line.startswith("$ ")]
    return found


class InProcess(BaseAdapter):
    """Sends requests to the service in this process."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._site = world.site

    def send(self, request, **_told):
        answer = self._site.call(request.method, request.path_url, request.headers, request.body)
        response = requests.Response()
        response.status_code, response.url, response.request = answer.status, request.url, request
        response.headers = CaseInsensitiveDict(answer.headers)
        response.raw = HTTPResponse(io.BytesIO(answer.body), answer.headers, answer.status, preload_content=False)
        return response

    def close(self) -> None:
        pass


def test_quick_start_in_python_plays_a_game(monkeypatch, capsys):
    adapter = InProcess(World())
    monkeypatch.setattr(requests.Session, "get_adapter", lambda *_told, **_named: adapter)
    program = "\n".join(blocks((ROOT / "docs/start/python.md").read_text(encoding="utf-8"), "python"))

    exec(compile(program, "docs/start/python.md", "exec"), {})

    printed = capsys.readouterr().out
    assert "Ada takes " in printed
    assert "Winning seats: [" in printed


HOW_TO = sorted(
    page for page in (ROOT / "docs/how-to").glob("*.md") if blocks(page.read_text(encoding="utf-8"), "python")
)
STREAMS = "stream-events.md"
"""Its example needs a stream, which the service in this process does not send: `test_consoles` runs it."""


@pytest.mark.parametrize("page", [page for page in HOW_TO if page.name != STREAMS], ids=lambda page: page.stem)
def test_python_example_of_a_how_to_runs(page, monkeypatch):
    world = World()
    ada = world.player("Ada")
    game = ada.make_game("nim", 2)["id"]
    ada.seat_bot(game, "expert")
    ada.start(game)
    adapter = InProcess(world)
    monkeypatch.setattr(requests.Session, "get_adapter", lambda *_told, **_named: adapter)
    program = "\n".join(blocks(page.read_text(encoding="utf-8"), "python"))
    done = {"TOKEN": ada.token, "GAME": game}

    exec(compile(program, page.name, "exec"), done)

    assert done["api"].headers["Authorization"] == f"Bearer {ada.token}"


def test_names_that_typescript_examples_import_are_exported():
    source = (ROOT / "clients/typescript/player.ts").read_text(encoding="utf-8")
    exported = set(re.findall(r"^export (?:async )?(?:class|function\*?|type|const) (\w+)", source, re.MULTILINE))
    programs = [block for page in PAGES for block in blocks(page.read_text(encoding="utf-8"), "typescript", "ts")]
    programs.append((ROOT / "clients/typescript/bot.ts").read_text(encoding="utf-8"))
    imports = [
        name.strip().removeprefix("type ")
        for program in programs
        for names in re.findall(r'import \{([^}]*)\} from "\./player\.js"', program)
        for name in names.split(",")
    ]

    assert "OpenParameter" in imports
    assert set(imports) - exported == set()


@pytest.mark.soak
def test_quick_start_in_typescript_plays_a_game(tmp_path):
    from tests.workers.test_serve import Instance

    if shutil.which("npm") is None:
        pytest.skip("needs node and npm")
    folder = ROOT / "clients/typescript"
    program = "\n".join(blocks((ROOT / "docs/start/typescript.md").read_text(encoding="utf-8"), "typescript"))
    instance = Instance(tmp_path, ORACLEWHEEL_RATE_REQUESTS="0").start()
    try:
        (folder / "first.ts").write_text(program, encoding="utf-8")
        subprocess.run(["make", "client-typescript"], cwd=ROOT, check=True, timeout=900)
        subprocess.run(["node", "dist/first.js", instance.url], cwd=folder, check=True, timeout=300)
    finally:
        instance.stop()
        for made in (folder / "first.ts", folder / "dist/first.js"):
            made.unlink(missing_ok=True)


def test_json_examples_are_valid():
    faults = []
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8"), "json"):
            for text in [block] if block.count("\n{") == 0 else block.strip().splitlines():
                try:
                    json.loads(text)
                except ValueError:
                    faults.append((page.name, text[:60]))
    assert [] == faults


def test_settings_in_the_text_exist():
    known = {each.name for each in every({}, None)} | set(NOT_SETTINGS) | FORMER
    named = {
        (page.name, name)
        for page in [*PAGES, ROOT / ".env.example"]
        for name in re.findall(r"\bORACLEWHEEL_[A-Z0-9_]*[A-Z0-9]\b(?!\*|_)", page.read_text(encoding="utf-8"))
    }
    assert [] == sorted((page, name) for page, name in named if name not in known)


def test_make_targets_in_the_text_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    lines = [line for _, line in shell_lines()]
    texts = [span for page in PAGES for span in re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))]
    named = {found[1] for line in [*lines, *texts] if (found := re.match(r"(?:[A-Z]+=\S+ )*make ([a-z-]+)", line))}

    assert named
    assert set() == named - targets


def test_routes_in_console_examples_exist():
    from service.application import create_app
    from service.ops.settings import Settings
    from tests.stores import new_store

    routes = create_app(new_store(), Settings(), lambda _game: None).url_map.bind("")
    missing = []
    for page, line in shell_lines():
        if not re.search(r"\bcurl\b", line):
            continue
        verb = re.search(r" -X ([A-Z]+)", line)
        method = verb[1] if verb else "POST" if " -d " in line else "GET"
        for url in re.findall(r"(?:\$URL|http://127\.0\.0\.1:8000)(/[^\s'\")]*)", line):
            path = re.sub(r"\$\w+|<\w+>", "x" * 16, urlsplit(url).path)
            if not routes.test(path, method):
                missing.append((page, method, path))
    assert [] == missing


def arguments(line: str) -> list[str]:
    """The words after the program `oraclewheel`; empty if the line starts another program."""
    words = shlex.split(line.partition("#")[0])
    while words and (words[0] == "sudo" or re.fullmatch(r"[A-Z_]+=.*", words[0])):
        del words[0]
        if words[:1] == ["-u"]:
            del words[:2]
    if words[:2] == ["sh", "-c"]:
        words = shlex.split(words[2].rpartition("&& ")[2])
    if words[:3] == ["docker", "compose", "exec"]:
        words = words[4:]
    return words[1:] if words and words[0].rsplit("/", 1)[-1] == "oraclewheel" else []


@pytest.mark.soak
def test_commands_and_options_in_console_examples_exist():
    from service.cli import main

    faults, checked = [], 0
    for page, line in shell_lines():
        words = arguments(line)
        if not words or "|" in words:
            continue
        checked += 1
        command = main.get_command(click.Context(main), words[0])
        options = {name for each in command.params for name in each.opts} if command else set()
        given = {word.partition("=")[0] for word in words[1:] if word.startswith("--")}
        if command is None or (not isinstance(command, click.Group) and given - options):
            faults.append((page, line))
    assert [] == faults
    assert checked > 40
    assert ["token", "--admin", "me"] == arguments("sudo -u x sh -c 'cd / && /opt/bin/oraclewheel token --admin me'")
