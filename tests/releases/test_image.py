"""The image and the services of `compose.yaml`, compared with the tree without a builder or a daemon."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import yaml

from service.cli import main
from service.cli.commands.serve import ROLES
from service.ops.settings import PREFIX, Settings, every
from service.store.redis import probe
from service.store.redis.client import RedisClient
from tests.hostile.test_start_gate import server
from tests.releases.building import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
COMPOSE = yaml.load((ROOT / "compose.yaml").read_text(), Loader=yaml.CSafeLoader)
OWN = {name: service for name, service in COMPOSE["services"].items() if service["image"].startswith("oraclewheel:")}
"""The services that run this project's image."""
NEVER = (
    ".git/config",
    ".env",
    ".venv/bin/python",
    "data/signing.key",
    "data/appendonlydir/games.aof.1.incr.aof",
    "dist/oraclewheel-9.9.9.tar.gz",
    "tests/conftest.py",
    "tests/web/node_modules/typescript/package.json",
    "bench/budget.py",
    "clients/python/client.py",
    "domain/__pycache__/ids.cpython-311.pyc",
    "service/store/redis/__pycache__/keys.cpython-311.pyc",
    "service/web/static/app/api/types.d.ts",
)
"""Files that exist or may exist in a project folder, and must not be in an image."""


def instructions(word):
    """Return the arguments of this instruction in the Dockerfile, in order."""
    return [line.split(maxsplit=1)[1].strip() for line in DOCKERFILE.splitlines() if re.match(rf"\s*{word}\s", line)]


def copied():
    """Return the files and folders that are copied from the project, each to its own path."""
    found = []
    for line in instructions("COPY"):
        *names, to = line.split()
        if not names[0].startswith("--from"):
            assert to == "./" or [to.removeprefix("./")] == names, "it would stand in another place than in the project"
            found += names
    return found


def written(pattern):
    """Convert a pattern of `.dockerignore` to a regular expression."""
    parts = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(parts.get(part) or re.escape(part) for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern))


def reaches_the_builder(path):
    """Return whether `.dockerignore` includes a file. As in Docker, the last pattern that matches it or its folder decides."""
    let = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.strip().removeprefix("!").strip("/")
        if pattern and not line.startswith("#") and re.fullmatch(rf"{written(pattern)}(?:/.*)?", path):
            let = line.startswith("!")
    return let


def files_of(name):
    """Return the files under a copied name."""
    found = [ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*")
    paths = [str(path.relative_to(ROOT)) for path in found if path.is_file()]
    return [path for path in paths if "__pycache__" not in path and path not in NEVER]


@pytest.mark.parametrize("name", copied())
def test_source_file_of_the_image_exists_and_reaches_the_builder(name):
    assert files_of(name), "there is nothing of this name"
    assert [] == [path for path in files_of(name) if not reaches_the_builder(path)]


@pytest.mark.parametrize("path", NEVER)
def test_excluded_file_does_not_reach_the_builder(path):
    assert not reaches_the_builder(path)


def test_no_other_file_of_the_project_reaches_the_builder():
    wanted = {name.partition("/")[0] for name in copied()}

    assert set() == {path.name for path in ROOT.iterdir() if reaches_the_builder(path.name)} - wanted


def test_both_stages_use_one_python_version_that_the_project_supports():
    stages = {line.partition(" AS ")[2] for line in instructions("FROM")}
    bases = {line.partition(" ")[0] for line in instructions("FROM")} - stages
    assert 1 == len(bases), "the environment is made in one and runs in the other"
    (needed,) = re.findall(r'^requires-python = ">=3\.(\d+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert int(needed) <= int(re.fullmatch(r"python:3\.(\d+)-slim", bases.pop())[1])


def test_image_runs_as_an_unprivileged_user_who_owns_the_data():
    (user,) = instructions("USER")
    assert "root" != user
    assert any(f"install -d -m 700 -o {user} -g {user} /data" in each for each in instructions("RUN")), (
        "and nobody else"
    )
    assert ["/data"] == instructions("VOLUME") == instructions("WORKDIR")[-1:]


def of_settings(environ):
    return {name: str(value) for name, value in environ.items() if name.startswith(PREFIX)}


def image_environ():
    """Return the settings of the last stage of the image."""
    return of_settings(dict(part.split("=", 1) for line in instructions("ENV") for part in shlex.split(line)))


def environ_of(service, **given):
    """Return the settings of a service of the compose file if the operator sets ``given``."""

    def filled(text):
        return re.sub(r"\$\{(\w+):-([^}]*)\}", lambda found: given.get(found[1]) or found[2], str(text))

    told = {name: filled(value) for name, value in service.get("environment", {}).items()}
    return {**image_environ(), **of_settings(told)}


def test_image_and_services_set_only_valid_settings():
    known = {each.name for each in every({}, None)}
    for service in OWN.values():
        environ = environ_of(service)
        assert set() == environ.keys() - known
        assert str(Settings.load(environ, None).data) == "/data"


def test_services_use_valid_commands_and_run_each_role_once():
    run = []
    for service in OWN.values():
        name, *arguments = service["command"]
        command = main.get_command(None, name)
        run.append(command.make_context(name, arguments).params["only"])

    assert ["oraclewheel"] == json.loads(instructions("ENTRYPOINT")[0])
    assert ["serve"] == json.loads(instructions("CMD")[-1])
    assert sorted({*ROLES} - {"compute"}) == sorted(run), "workers bring those that think"


def test_services_depend_on_the_stores_and_share_their_keys():
    for service in OWN.values():
        environ = environ_of(service)
        stores = {
            re.fullmatch(r"redis://(\w+):6379/0", environ[f"{PREFIX}{name}_URL"])[1] for name in ("REDIS", "QUEUE")
        }
        assert stores == service["depends_on"].keys() == COMPOSE["services"].keys() - OWN.keys()
        assert ["keys:/data"] == service["volumes"], "one key signs, and the image keeps it there"
        assert service["image"] == OWN["api"]["image"]
    assert {"keys", "games"} == COMPOSE["volumes"].keys()


def test_store_of_the_compose_file_causes_no_warning(tmp_path):
    program, *arguments = COMPOSE["services"]["redis"]["command"]

    assert "valkey-server" == program
    with server(tmp_path / "store", *arguments) as url, closing(RedisClient(url)) as wire:
        assert () == probe.warnings(wire)
        assert "always" == probe.fsync_of(wire)


def test_api_is_published_at_the_port_that_the_image_listens_on():
    (published,) = OWN["api"]["ports"]
    inside = image_environ()[f"{PREFIX}PORT"]

    assert published.endswith(f":{inside}")
    assert [inside] == instructions("EXPOSE")
    assert "0.0.0.0" == image_environ()[f"{PREFIX}HOST"]
    assert [] == [name for name in OWN if name != "api" and "ports" in OWN[name]]


class Health(BaseHTTPRequestHandler):
    """An API that is healthy or not."""

    status = 200

    def do_GET(self):
        self.send_response(self.status if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(("status", "well"), [(200, True), (503, False)])
def test_health_check_of_the_image_follows_the_health_of_its_api(monkeypatch, status, well):
    (line,) = instructions("HEALTHCHECK")
    program, *arguments = json.loads(line.partition("CMD")[2])
    monkeypatch.setattr(Health, "status", status)
    with HTTPServer(("127.0.0.1", 0), Health) as api:
        threading.Thread(target=api.serve_forever, daemon=True).start()
        environ = {**image_environ(), f"{PREFIX}PORT": str(api.server_port)}
        done = subprocess.run([sys.executable, *arguments], env=environ, capture_output=True, check=False, timeout=60)
        api.shutdown()

    assert "python" == program
    assert well == (done.returncode == 0), done.stderr


def test_only_services_with_an_api_have_a_health_check():
    assert {"api"} == {name for name, service in OWN.items() if not service.get("healthcheck", {}).get("disable")}
