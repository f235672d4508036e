"""Generated clients around a game: chat, votes, vacations, plans, undo, webhooks, feeds and email."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tests.clients.conftest import ENVIRON, HERE, OF_PYTHON, TYPESCRIPT
from tests.driver import Player, Remote
from tests.workers.test_serve import Instance

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    told = {"SMTP_URL": "smtp://127.0.0.1:1", "MAIL_FROM": "post@example.org", "PUBLIC_URL": "https://example.org"}
    settings = {f"ORACLEWHEEL_{name}": value for name, value in told.items()}
    instance = Instance(tmp_path_factory.mktemp("post"), ORACLEWHEEL_RATE_REQUESTS="0", **settings).start()
    yield instance.url
    instance.stop()


def program(language, tmp_path):
    """The command that runs a language's program; TypeScript is compiled strictly against the generated types."""
    if language == "python":
        return [OF_PYTHON, str(HERE / "around.py")]
    if shutil.which("npm") is None:
        pytest.skip("node and npm are not here, and the client in TypeScript is made with them")
    into = TYPESCRIPT / "around.ts"
    into.write_text((HERE / "around.ts").read_text())
    try:
        tsc = [str(TYPESCRIPT / "node_modules" / ".bin" / "tsc"), "--outDir", "dist"]
        done = subprocess.run(tsc, cwd=TYPESCRIPT, check=False, capture_output=True, text=True, timeout=300)
    finally:
        into.unlink()
    assert 0 == done.returncode, done.stdout
    return ["node", str(TYPESCRIPT / "dist" / "around.js")]


@pytest.mark.parametrize("language", ["python", "typescript"])
def test_generated_client_supports_everything_around_a_game(made, service, tmp_path, language):
    site = Remote(service)
    ash, birk = Player.register(site, "Ash"), Player.register(site, "Birk")
    game = ash.make_game("nim", pace={"mode": "per_question", "hours": 24})
    birk.join(game["id"], game["invitation"])
    ash.start(game["id"])
    seat = ash.summary(game["id"])["pending_questions"][0]["seat"]
    mover, other = (ash, birk) if seat == 1 else (birk, ash)

    run = [*program(language, tmp_path), service, mover.token, other.token, game["id"], str(seat)]
    done = subprocess.run(run, check=False, capture_output=True, text=True, timeout=300, env=ENVIRON)
    assert 0 == done.returncode, done.stderr

    told = json.loads(done.stdout)
    assert {
        "talk": ["Over here."],
        "mutes": [seat],
        "undo": ["undone", "time_counted"],
        "vote": ["vote_called"],
        "cast": ["vote_cast", "vote_carried", "clocks_stopped"],
        "plan": "waiting",
        "vacations": 1,
        "secrets": True,
        "webhooks": ["https://example.org/hook"],
        "turns": 200,
        "calendar": 200,
        "email": False,
        "undone": [{"first": 3, "last": 3, "by": 4}],
        "marked": [4],
    } == {name: told[name] for name in told if name not in ("options", "orders")}
    assert {"call_vote", "resign", "request_undo"} >= set(told["options"])
    assert "resign" in told["options"]
    site.close()
