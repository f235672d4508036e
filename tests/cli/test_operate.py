"""Commands for operators: doctor, settings, token."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

from domain.registry import GAMES
from service.cli import main
from service.core.http.context.tokens import digest_of
from service.core.positions.cache import Positions
from service.core.positions.rows import load_current_rows
from service.ops.settings import BadSetting, Settings, every
from service.ops.settings.renamed import RENAMED
from service.store.ports.accounts import Credential, Player
from tests.pennies import PENNIES
from tests.workers.conftest import Tables
from tests.workers.test_advance import settle
from workers.advance import Advance


@pytest.fixture
def run(redis_url, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(GAMES, "pennies", PENNIES)
    monkeypatch.setenv("ORACLEWHEEL_REDIS_URL", redis_url)

    def ran(*arguments):
        return CliRunner().invoke(main, arguments, catch_exceptions=False)

    return ran


@pytest.fixture
def played(redis_store, run):
    """Three games, one of them over."""
    tables = Tables(redis_store)
    games = [tables.start(), tables.start(), tables.start("bot:greedy", "bot:random")]
    settle(redis_store, Advance.in_process(redis_store))
    return games


def test_doctor_finds_no_problems_in_a_healthy_store(run, played, workers_run):
    told = run("doctor")
    assert (0, "No problems found.") == (told.exit_code, told.output.splitlines()[-1])


def test_doctor_finds_and_repairs_views_that_do_not_match_the_log(run, played, redis_store):
    game = played[0]
    true = load_current_rows(redis_store, Positions(redis_store), game, (1, 2))
    redis_store.views.rewrite(game, replace(true, private={1: b'{"purse":99}', 2: b"null"}))

    told = run("doctor")
    assert 1 == told.exit_code
    assert f"{game}: its stored views do not match its log" in told.output
    assert 0 == run("doctor", "--repair").exit_code
    assert true == redis_store.views.rows(game, (1, 2))
    assert game not in run("doctor").output


def test_doctor_finds_and_rebuilds_missing_lists(run, played, redis_store, workers_run):
    for name in redis_store.wire.one("KEYS", "{p*}games:*"):
        redis_store.wire.one("DEL", name)
    assert "lists" in run("doctor", "--quick").output
    run("doctor", "--repair", "--quick")
    assert "No problems found." in run("doctor").output
    assert set(played) == {lobby.id for lobby in redis_store.lobbies.page()[0]}


def test_settings_show_the_source_of_each_value_and_no_secrets(run, monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("ORACLEWHEEL_SETTLE_WORKERS=5\nORACLEWHEEL_REGISTRATION_CODE=sesame\n")
    monkeypatch.setenv("ORACLEWHEEL_PORT", "9000")
    told = run("settings")
    assert "ORACLEWHEEL_PORT = 9000  [environment; default: 8000]" in told.output
    assert "ORACLEWHEEL_SETTLE_WORKERS = 5  [.env; default: 2]" in told.output
    assert "ORACLEWHEEL_HOST = 127.0.0.1  [default]" in told.output
    assert "sesame" not in told.output
    assert "ORACLEWHEEL_REGISTRATION_CODE = (set)" in told.output
    for known in every({}, None):
        assert known.meaning in told.output


def test_invalid_setting_is_reported(run, monkeypatch):
    monkeypatch.setenv("ORACLEWHEEL_APPENDFSYNC", "perhaps")
    told = run("settings")
    assert 1 == told.exit_code
    assert "ORACLEWHEEL_APPENDFSYNC must be one of always, everysec, no, not 'perhaps'." in told.output


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "http"),
        ("SETTLE_WORKERS", "-1"),
        ("WEBHOOK_SECONDS", "0"),
        ("WEBHOOK_SECONDS", "61"),
    ],
)
def test_numbers_out_of_range_are_refused(name, value):
    with pytest.raises(BadSetting, match=f"ORACLEWHEEL_{name}"):
        Settings.load({f"ORACLEWHEEL_{name}": value}, None)


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_old_name_of_a_setting_is_an_error_that_names_the_new_one(old, new, tmp_path):
    assert f"ORACLEWHEEL_{new}" in {each.name for each in every({}, None)}
    file = tmp_path / ".env"
    file.write_text(f"ORACLEWHEEL_{old}=5\n")

    for environ, env_file in (({f"ORACLEWHEEL_{old}": "5"}, None), ({}, file)):
        with pytest.raises(BadSetting, match=f"ORACLEWHEEL_{old} is now called ORACLEWHEEL_{new}"):
            Settings.load(environ, env_file)
    assert Settings() == Settings.load({f"ORACLEWHEEL_{old}": ""}, None), "an empty value is not set"


def test_metrics_port_must_differ_from_the_port():
    with pytest.raises(BadSetting, match="ORACLEWHEEL_METRICS_PORT must differ from ORACLEWHEEL_PORT"):
        Settings.load({"ORACLEWHEEL_METRICS_PORT": "8000"}, None)
    assert 8001 == Settings.load({"ORACLEWHEEL_METRICS_PORT": "8001"}, None).metrics_port


def test_error_of_a_number_above_the_maximum_names_the_maximum():
    with pytest.raises(BadSetting, match="ORACLEWHEEL_WEBHOOK_SECONDS must be at most 60, not '3600'"):
        Settings.load({"ORACLEWHEEL_WEBHOOK_SECONDS": "3600"}, None)
    assert 60 == Settings.load({"ORACLEWHEEL_WEBHOOK_SECONDS": "60"}, None).webhook_seconds


@pytest.mark.parametrize(
    ("contact", "good"),
    [
        ("mailto:ada@example.org", True),
        ("https://games.example.org/contact", True),
        ("ada@example.org", False),
        ("mailto:ada", False),
        ("http://games.example.org", False),
        ("https://", False),
        ("mailto:ada@example.org\n", False),
    ],
)
def test_push_contact_must_be_an_email_or_https_address(contact, good):
    given = {"ORACLEWHEEL_PUSH_CONTACT": contact}
    if good:
        assert contact == Settings.load(given, None).push_contact
        return
    with pytest.raises(BadSetting, match=r"ORACLEWHEEL_PUSH_CONTACT must be mailto:you@example\.org"):
        Settings.load(given, None)


def test_settings_are_passed_unchanged_to_a_child_process(tmp_path):
    given = {"ORACLEWHEEL_DATA": str(tmp_path), "ORACLEWHEEL_CORS_ORIGINS": "https://a.example, *", "DEMO": "yes"}
    settings = Settings.load(given, None)
    assert settings == Settings.load(settings.environ(), None)
    assert (("https://a.example", "*"), True) == (settings.cors_origins, settings.demo)
    assert tmp_path / "signing.key" == settings.key_path


def test_repr_of_settings_contains_no_secrets():
    settings = Settings.load({"ORACLEWHEEL_REDIS_URL": "redis://:hidden@host"}, None)
    assert "hidden" not in repr(settings)


def test_first_admin_token_is_made_on_the_command_line(run, redis_store):
    token = run("token", "--admin", "Root").output.strip()
    credential = redis_store.accounts.by_token(digest_of(token))
    assert ("read", "play", "account", "admin") == credential.scopes
    assert "Root" == redis_store.accounts.player(credential.player).name
    assert ["account.create-admin"] == [each.action for each in redis_store.operators.newest(9, credential.player)]


def test_player_who_lost_a_token_can_get_a_new_one(run, redis_store):
    player = Player("p1", "Ada", 1)
    redis_store.accounts.create(player, Credential("c1", "p1", ("read",), 1), digest_of("old"))
    token = run("token", "--player", "p1", "--revoke-others").output.strip()
    assert "p1" == redis_store.accounts.by_token(digest_of(token)).player
    assert redis_store.accounts.by_token(digest_of("old")) is None
    assert ["account.create-token"] == [each.action for each in redis_store.operators.newest(9, "p1")]
    assert 1 == run("token", "--player", "nobody").exit_code
    assert 2 == run("token").exit_code
