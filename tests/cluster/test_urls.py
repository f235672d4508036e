"""Server URLs: parsing, errors, and connections."""

from __future__ import annotations

import pytest
from redis.connection import parse_url

from service.core.queue import Queue
from service.core.queue.sentinels import surveyed
from service.ops.settings import BadSetting, Settings, redis_url
from service.store.redis.client import RedisClient
from tests.cluster.servers import Encrypting, certificate, eventually, free_port, running

GAMES, QUEUE = "ORACLEWHEEL_REDIS_URL", "ORACLEWHEEL_QUEUE_URL"


def load(**told):
    return Settings.load({f"ORACLEWHEEL_{name}": value for name, value in told.items()}, None)


def test_cluster_url_lists_nodes_and_options():
    told = redis_url.read("rediss+cluster://ann:p%40ss@one:7000,[::1],three:7002?ssl_ca_certs=/ca.pem")

    assert ("cluster", (("one", 7000), ("::1", 6379), ("three", 7002))) == (told.form, told.hosts)
    assert "rediss://ann:p%40ss@one:7000?ssl_ca_certs=%2Fca.pem" == told.of_server("one", 7000)
    assert "rediss://ann:p%40ss@[::1]:6379?ssl_ca_certs=%2Fca.pem" == told.of_server("::1", 6379)


def test_sentinel_url_lists_sentinels_and_the_service_name():
    told = redis_url.read("redis+sentinel://:queue@one,two:3/the%20queue/2?sentinel_password=keen")

    assert ("sentinel", (("one", 26379), ("two", 3)), "the queue") == (told.form, told.hosts, told.service)
    assert (("password", "keen"),) == told.sentinels
    assert "redis://:queue@one:1?db=2" == told.of_server("one", 1)


@pytest.mark.parametrize(
    "url",
    ["redis://h", "redis://h:1/3", "redis://ann:word@h", "rediss://h", "unix:///run/v.sock?db=2", "redis://[::1]:3"],
)
def test_single_server_url_is_kept_unchanged(url):
    assert "server" == redis_url.read(url).form
    assert url == load(REDIS_URL=url).redis_url


WRONG = {
    "http://h": "must start with redis://",
    "sesame": "must start with redis://",
    "redis://:sesame@h:99999": "must be a host and a port",
    "redis://:ses/ame@h": "%2F",
    "redis://:sesame@h:six": "must be a host and a port",
    "redis://:sesame@h/games": "only a database number",
    "redis://:sesame@h?colour=red": "'colour' is not a valid option",
    "redis://:sesame@h?socket_timeout=long": "socket_timeout",
    "redis://:sesame@h?ssl_ca_certs=/x": "only valid with rediss://",
    "redis://:ses#ame@h": "%23",
    "unix://run/v.sock": "three slashes",
    "unix://": "three slashes",
    "redis+cluster://": "must be a host and a port",
    "redis+cluster://one,,two": "must be a host and a port",
    "redis+cluster://one/3": "only database 0",
    "redis+cluster://one?db=3": "only database 0",
    "redis+cluster://one?sentinel_password=sesame": "is not a valid option",
    "redis+sentinel://one": "the name of the server must follow",
    "redis+sentinel://one/games/x": "the name of the server must follow",
    "redis+quorum://one": "must start with redis://",
    "redis://[::1": "is not an address",
}


@pytest.mark.parametrize("url", WRONG)
def test_invalid_url_error_gives_the_reason_without_the_password(url):
    for setting in ("REDIS_URL", "QUEUE_URL"):
        with pytest.raises(BadSetting) as error:
            load(**{"REDIS_URL": "redis://games", setting: url})
        assert WRONG[url] in str(error.value)
        assert f"ORACLEWHEEL_{setting} is not a valid Redis URL" in str(error.value)
        assert "sesame" not in str(error.value).replace("sesame://", "")


def _understood(read, url):
    """Return whether the URL is valid."""
    try:
        read(url)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("option", sorted(redis_url._OPTIONS))
def test_option_is_validated_as_redis_py_validates_it(option):
    for value in ("", "5", "5.5", "yes", "%C3%A9", "+5", "1_0", " 5"):
        url = f"rediss://h?{option}={value}"
        assert _understood(parse_url, url) == _understood(redis_url.read, url), url


def test_sentinel_for_games_and_cluster_for_the_queue_are_rejected():
    with pytest.raises(BadSetting, match=f"{GAMES} cannot use Sentinel"):
        load(REDIS_URL="redis+sentinel://one/games")
    with pytest.raises(BadSetting, match=f"{QUEUE} cannot be a cluster"):
        load(REDIS_URL="redis://one", QUEUE_URL="redis+cluster://one")
    with pytest.raises(BadSetting, match=f"Set {QUEUE} to a separate server for the queue"):
        load(REDIS_URL="redis+cluster://one")
    assert load(REDIS_URL="redis+cluster://one", QUEUE_URL="redis+sentinel://two/queue").queue_url


def test_displayed_url_contains_no_credentials():
    assert "redis+cluster://one:1,two:2" == redis_url.shown("redis+cluster://ann:p@one:1,two:2?password=x")
    assert "unix:///run/v.sock" == redis_url.shown("unix:///run/v.sock?db=2")


def test_acl_user_is_authenticated_by_name_and_password(tmp_path):
    with running(tmp_path / "one", unixsocket=str(tmp_path / "s")) as server:
        with server.client() as client:
            client.acl_setuser("games", enabled=True, passwords=["+a b@c/d"], commands=["+@all"], keys=["*"])
            client.acl_setuser("default", enabled=False)
        for url in (f"redis://games:a%20b%40c%2Fd@127.0.0.1:{server.port}", f"unix://games:a%20b%40c%2Fd@{tmp_path}/s"):
            assert "server" == redis_url.read(url).form
            wire = RedisClient(url)
            assert b"games" == wire.one("ACL", "WHOAMI")
            wire.close()


def test_tls_server_is_trusted_only_with_its_certificate(tmp_path):
    files = certificate(tmp_path)
    with running(tmp_path / "one") as server:
        door = Encrypting(server.port, files)
        url = f"rediss://127.0.0.1:{door.port}?ssl_ca_certs={files[0]}"
        wire, queue = RedisClient(url), Queue(url)
        assert b"PONG" == wire.one("PING")
        queue.wake(3)
        assert {3} == queue.lanes.woken(1)
        wire.close()
        stranger = RedisClient(f"rediss://127.0.0.1:{door.port}")
        with pytest.raises(Exception, match="certificate"):
            stranger.one("PING")
        door.close()


@pytest.mark.soak
def test_queue_follows_a_sentinel_failover_to_another_server(tmp_path):
    port = free_port()
    with running(tmp_path / "one") as one, running(tmp_path / "two", replicaof=f"127.0.0.1 {one.port}") as two:
        eventually(lambda: two.client().info("replication")["master_link_status"] == "up")
        written = tmp_path / "sentinel.conf"
        written.write_text(f"port {port}\nbind 127.0.0.1\nsentinel monitor queue 127.0.0.1 {one.port} 1\n")
        with running(tmp_path / "watch", str(written), "--sentinel", port=port) as watch:
            url = f"redis+sentinel://127.0.0.1:{port}/queue/2"
            queue = Queue(url)
            assert queue.lanes.take(0, "me")
            assert {0} == queue.lanes.running()
            assert 2 == queue.connection.connection_pool.connection_kwargs["db"]
            eventually(lambda: watch.client().sentinel_slaves("queue"))
            silent = free_port()
            said, wrong = surveyed(f"redis+sentinel://127.0.0.1:{port},127.0.0.1:{silent}/queue/2")
            assert 1 == len(said)
            assert (
                f"127.0.0.1:{one.port}, according to Sentinel 127.0.0.1:{port}: replicas 1; of 1 Sentinels 1" in said[0]
            )
            assert [True] == [
                f"Sentinel 127.0.0.1:{silent} did not return the server of queue: " in each for each in wrong
            ]
            assert "did not return the server of other" in surveyed(f"redis+sentinel://127.0.0.1:{port}/other")[1][0]
            watch.client().execute_command("SENTINEL", "SET", "queue", "quorum", "2")
            assert "a failover is not possible (NOQUORUM" in surveyed(url)[1][0]
            watch.client().execute_command("SENTINEL", "SET", "queue", "quorum", "1")
            assert [] == surveyed(url)[1]
            eventually(lambda: watch.client().execute_command("SENTINEL", "FAILOVER", "queue"))
            eventually(lambda: two.client().info("replication")["role"] == "master")
            one.kill()
            eventually(lambda: queue.lanes.take(1, "me") and 1 in queue.lanes.running())
            assert two.client(db=2).exists("oraclewheel:lane:2:1")
