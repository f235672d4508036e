"""The signing key is created once and readable only by its owner; logs contain no secret."""

from __future__ import annotations

import io
import json
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from service.features.push.encryption import encode_public_key
from service.ops import logging
from service.ops.keys.push_key import push_key
from service.ops.keys.signing import signer


def test_signing_key_is_created_on_first_start_and_private(redis_store, tmp_path):
    path = tmp_path / "data" / "signing.key"
    made = signer(path, redis_store.log)
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)
    assert {made.key_id: made.public.hex()} == dict(redis_store.log.keys())
    assert made.public == signer(path, redis_store.log).public
    assert ["signing.key"] == [file.name for file in path.parent.iterdir()]


def test_processes_that_start_together_agree_on_the_key(redis_store, tmp_path):
    path = tmp_path / "signing.key"
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: signer(path, redis_store.log).key_id, range(8)))
    assert 1 == len(keys)


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "ab" * 31])
def test_file_without_a_signing_key_is_refused(redis_store, tmp_path, text):
    path = tmp_path / "signing.key"
    path.write_text(text)
    with pytest.raises(ValueError, match="does not contain a signing key"):
        signer(path, redis_store.log)


def test_push_key_is_created_once_by_concurrent_processes_and_private(tmp_path):
    path = tmp_path / "data" / "push.key"
    with ThreadPoolExecutor(8) as threads:
        keys = set(threads.map(lambda _: encode_public_key(push_key(path)), range(8)))
    assert (1, 0o600) == (len(keys), stat.S_IMODE(path.stat().st_mode))
    path.chmod(0o644)
    assert keys == {encode_public_key(push_key(path))}
    assert 0o600 == stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "ab" * 31, "00" * 32, "ff" * 32])
def test_file_without_a_push_key_is_refused(tmp_path, text):
    path = tmp_path / "push.key"
    path.write_text(text)
    with pytest.raises(ValueError, match="does not contain a push key"):
        push_key(path)


@pytest.fixture
def logged(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    logging.configure("info")
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_log_line_is_a_json_object_with_secrets_redacted(logged):
    logging.logger("x").info("hello", game="g1", seq=3, token="owt_abc", seed="00ff")
    logging.logger("x").debug("too little")
    (line,) = logged()
    assert ("hello", "g1", 3, "info", "x") == tuple(
        line[name] for name in ("event", "game", "seq", "level", "component")
    )
    assert ("(secret)", "(secret)") == (line["token"], line["seed"])


def test_traceback_contains_no_local_variables(logged):
    seed = "feedface"
    try:
        raise RuntimeError("broken")
    except RuntimeError:
        logging.logger("x").exception("bad")
    assert "broken" in json.dumps(logged())
    assert seed not in json.dumps(logged())
