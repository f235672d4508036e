"""`oraclewheel load` plays, measures, checks every command, cleans up, and finds lost or duplicated commands."""

from __future__ import annotations

import errno
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from service.cli import main
from service.ops.instance.embedded import EmbeddedServer
from service.store.redis.store import open_store
from service.store.upkeep.repair import games_of
from tests.cli.lying import lying
from tests.core.http.conftest import World
from tests.core.http.test_served import ROOT, serving, working
from tests.driver import Player, Remote
from tests.soaking import sample

SMALL = ("--games", 3, "--minutes", 30, "--commands", 15, "--clients", 2, "--streams", 1, "--accounts", 3)


@pytest.fixture(scope="module")
def store():
    """A store for this module, on its own server, because tests check what is left in it."""
    folder = Path(tempfile.mkdtemp(prefix="ow-"))
    with EmbeddedServer(folder, fsync="no") as server, closing(open_store(server.url)) as store:
        store.url = server.url
        yield store
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def url(store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with working(store), serving(store.url, folder, RATE_REGISTRATIONS="0") as remote:
        yield remote._base


def load(url, *arguments):
    """Exit status, the JSON report, and stderr."""
    told = CliRunner().invoke(main, ["load", "--url", url, "--json", *map(str, arguments)])
    if told.exception is not None and not isinstance(told.exception, SystemExit):
        raise told.exception
    return told.exit_code, json.loads(told.stdout) if told.stdout else None, told.stderr


def left_running(store):
    return [id_ for id_ in games_of(store) if store.lobbies.get(id_).status != "over"]


def names(store):
    """The names of the players of all games; an erased account has no name."""
    seated = {chair.holder for id_ in games_of(store) for chair in store.lobbies.get(id_).chairs if chair.holder}
    return {player.name for player in store.accounts.players([*seated]).values() if player.name}


@pytest.mark.soak
def test_load_test_measures_and_checks_games_and_leaves_none_running(store, url, tmp_path):
    status, told, _ = load(url, *SMALL, "--plots", tmp_path / "plots")

    assert 0 == status
    assert told["right"]
    assert told["commands"] >= 15
    assert told["commands"] == told["times"]["settled"]["count"] <= told["checked"]["acknowledged"]
    assert (0, 0, 0, 0) == tuple(told["checked"][name] for name in ("lost", "twice", "strange", "unchecked"))
    assert told["games"] == told["checked"]["games"] >= 3
    for what in ("settled", "view 200", "view 304", "options", "command"):
        found = told["times"][what]
        assert 0 < found["p50"] <= found["p90"] <= found["p99"] <= found["max"], what
    assert told["core_seconds"]["api"] >= 0, "it listens on this machine"
    assert [] == left_running(store)
    assert not names(store)
    drawn = sorted((tmp_path / "plots").iterdir())
    assert ["load-distribution.svg", "load-latency.svg", "load-throughput.svg"] == [path.name for path in drawn]
    assert all("</svg>" in path.read_text() for path in drawn)


@pytest.mark.soak
def test_load_report_is_printed_even_if_the_disk_is_full(url, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tools.load.plots.plot", full)
    status, told, said = load(url, *SMALL, "--plots", tmp_path / "plots")
    assert (1, True) == (status, told["right"])
    assert "plots cannot be written: No space left on device." in said


@pytest.mark.soak
def test_no_wait_mode_polls_results_and_prints_a_text_report(url):
    told = CliRunner().invoke(main, ["load", "--url", url, *map(str, SMALL), "--no-wait", "--rate", "40"])

    assert 0 == told.exit_code, told.output
    assert "submit to accepted" in told.stdout
    assert "0 lost, 0 duplicated, 0 not sent by this test" in told.stdout
    assert "40 commands/s" in told.stdout


@pytest.mark.soak
def test_kept_games_continue_and_their_accounts_stay_usable(store, url, tmp_path):
    sites = [Player.register(Remote(url), name) for name in ("Ash", "Birk")]
    tokens = tmp_path / "tokens"
    tokens.write_text("\n".join(player.token for player in sites) + "\n")

    status, told, _ = load(url, *SMALL, "--kind", "battalia", "--tokens", tokens, "--keep")
    kept = left_running(store)
    assert (0, True) == (status, told["right"])
    assert 3 == len(kept)
    assert all(200 == player.get("/v1/me").status for player in sites)

    for id_ in kept:
        sites[0].send(id_, {"type": "call_vote", "kind": "abort"}, want=200)
        sites[1].send(id_, {"type": "cast_vote", "agree": True}, want=200)


@pytest.mark.soak
def test_lost_response_is_reported_and_loses_no_command(url):
    with lying(url, how="cuts") as proxy:
        status, told, _ = load(proxy, *SMALL[:-4], "--streams", 0, "--accounts", 2)

    assert told["errors"]["playing"]["no-answer"] >= 1
    assert (0, True, 0) == (status, told["right"], told["checked"]["unanswered"])


@pytest.mark.soak
def test_malformed_response_is_counted_and_games_continue(url):
    with lying(url, how="garbles") as proxy:
        status, told, _ = load(proxy, *SMALL[:-4], "--streams", 0, "--accounts", 2)

    assert told["errors"]["playing"]["wrong-shape"] >= 1
    assert told["checked"]["acknowledged"] >= 1
    assert (0, True) == (status, told["right"]), told["checked"]


@pytest.mark.parametrize(("how", "found"), sample([("drops", "lost"), ("doubles", "strange")], 2))
def test_service_that_loses_or_duplicates_commands_is_detected(url, how, found):
    with lying(url, how=how) as proxy:
        status, told, _ = load(proxy, *SMALL[:-4], "--streams", 0, "--accounts", 2)

    assert 1 == status
    assert told["checked"][found] >= 1
    assert not told["right"]


@pytest.mark.soak
def test_ctrl_c_prints_the_report_so_far_and_cleans_up(store, url):
    arguments = ["load", "--url", url, "--json", "--games", "2", "--minutes", "60", "--streams", "1", "--accounts", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from service.cli import main; main()", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while "Playing" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=240)

    told = json.loads(out)
    assert 0 == process.returncode
    assert told["broken_off"]
    assert told["right"]
    assert [] == left_running(store)


@contextmanager
def in_process(**settings):
    """A service in this process that only registers accounts; its URL and its world."""
    world = World(**settings)
    server = make_server("127.0.0.1", 0, world.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", world
    finally:
        server.shutdown()
        thread.join()


def names_of_players(world):
    """The names of the accounts in the store that are not erased."""
    keys = [key for key in world.store.wire.scan("player:{*}") if key.endswith(b"}")]
    return [name for name in (world.store.wire.one("HGET", key, "name") for key in keys) if name]


@pytest.mark.parametrize("number", sample([signal.SIGTERM, signal.SIGINT], 2))
def test_load_test_stopped_during_registration_deletes_its_accounts(number):
    with in_process(rate_registrations=0) as (url, world):
        process = subprocess.Popen(
            [sys.executable, "-c", "from service.cli import main; main()", "load", "--url", url, "--accounts", "1000"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        while len(names_of_players(world)) < 3:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        out, _ = process.communicate(timeout=120)
        left = names_of_players(world)

    assert not left
    assert 1 == process.returncode
    assert "Error: Stopped during registration. All new accounts were deleted." == out.splitlines()[-1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rate_registrations": 2}, "The service registered 2 accounts and now limits this address"),
        ({"registration": "closed"}, "Give tokens of existing accounts with --tokens"),
        ({"registration": "invite", "registration_code": "sesame"}, "Give it with --code"),
    ],
)
def test_limited_registration_is_explained_and_leaves_no_accounts(settings, words):
    with in_process(**settings) as (url, world):
        told = CliRunner().invoke(main, ["load", "--url", url, *map(str, SMALL)])
        made = names_of_players(world)

    assert 1 == told.exit_code
    assert words in told.output
    assert 1 == len(told.output.strip().splitlines())
    assert not made


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--url", "http://127.0.0.1:9"), "No service answers at http"),
        (("--kind", "chess"), "the service has no 'chess'. Choose from"),
    ],
)
def test_invalid_load_arguments_are_reported_in_a_sentence(url, arguments, words):
    told = CliRunner().invoke(main, ["load", "--url", url, *map(str, (*SMALL, *arguments))])

    assert told.exit_code in (1, 2)
    assert words in told.output
    assert "Traceback" not in told.output
