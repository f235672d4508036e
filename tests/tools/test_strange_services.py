"""Commands at an address where something else answers, and with invalid arguments."""

from __future__ import annotations

import threading

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.terminal.client import ApiError
from tests.cli.lying import strange
from tests.workers.crew import eventually
from tools.load.accounts import Account, NoAccounts, brought, registered
from tools.load.crowd import Crowd
from tools.load.line import Line
from tools.load.playing import LoadGame
from tools.load.tally import Tally
from tools.load.watching import Watcher

KINDS = [
    b"<!doctype html><title>Somebody's page</title>",
    b"",
    b"[]",
    b"null",
    b'{"kinds": 5}',
    b'{"kinds": [{"key": "nim", "seats": []}]}',
    b"\xff",
]


def test_html_error_page_is_counted_as_no_json():
    """A proxy returns such a page when it cannot reach the service."""
    with strange(b"<html>502", status=500) as url:
        line = Line(url, Tally())
        answer = line.ask("game", "GET", "/v1/games/g1")
        assert "500" == answer.code
        with pytest.raises(ApiError) as told:
            answer.json  # noqa: B018 - reading it is what fails
        crowd = Crowd(None, [], [])
        crowd._failed(line, told.value)
    assert {"no-json": 1} == line.tally.faults


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"token": 5}', b"<html>"])
def test_invalid_registration_response_is_reported(body):
    with strange(body, status=201) as url, pytest.raises(NoAccounts, match="A response with status 201 is not"):
        registered(Line(url, Tally()), 2, None, threading.Event())


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"id": "p1", "name": 5}'])
def test_invalid_account_response_is_reported(body, tmp_path):
    (tmp_path / "tokens").write_text("a-token")
    with strange(body) as url, pytest.raises(NoAccounts, match="A response with status 200 is not a valid"):
        brought(Line(url, Tally()), tmp_path / "tokens")


def test_malformed_stream_is_counted_and_opened_again():
    tally, game = Tally(), LoadGame("g1", "nim", [Account("Ann", "t", own=False)])
    with strange(b"id: nonsense\n\nid: \xff\n") as url:
        watcher = Watcher(url, lambda: game, tally)
        watcher.thread.start()
        eventually(lambda: tally.faults["wrong-shape"] > 1)
        watcher.stop()
    assert not watcher.arrived


def said(*arguments):
    """Run the command: exit status and output. Unexpected exceptions are raised."""
    told = CliRunner().invoke(main, [*map(str, arguments)], input="")
    if told.exception is not None and not isinstance(told.exception, SystemExit):
        raise told.exception
    return told.exit_code, told.output


@pytest.mark.parametrize("body", KINDS)
def test_load_test_refuses_an_address_of_another_service(body):
    with strange(body) as url:
        status, told = said("load", "--url", url)
    assert (1, True) == (status, told.startswith("Error: No Oracle Wheel service was found at this address: "))


@pytest.mark.parametrize(
    "url", ["games.example.org", "http://", "ftp://127.0.0.1", "http://127.0.0.1:99999", "http://[::1"]
)
def test_invalid_url_is_reported(url, recwarn):
    status, told = said("load", "--url", url)
    assert (2, True) == (status, "Use the form http://host or https://host" in told)
    assert not recwarn.list


@pytest.mark.parametrize("option", ["--minutes", "--rate"])
def test_nan_is_refused_for_numeric_options(option):
    status, told = said("load", option, "nan")
    assert (2, True) == (status, f"'{option}'" in told)


def test_unwritable_plot_folder_is_reported_before_the_test(tmp_path):
    (tmp_path / "file").write_text("in the way")
    status, told = said("load", "--url", "http://127.0.0.1:9", "--plots", tmp_path / "file" / "plots")
    assert (1, True) == (status, "cannot be written" in told)


@pytest.mark.parametrize("body", [b"<html>", b"\xff"])
def test_play_command_refuses_an_address_of_another_service(body, tmp_path):
    with strange(body) as url:
        status, told = said("play", "--url", url, "--name", "Ann", "--tokens", tmp_path / "tokens")
    assert (1, True) == (status, f"No Oracle Wheel service was found at {url}" in told)
