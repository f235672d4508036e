"""Connections to a real server, shared by threads and by greenlets."""

from __future__ import annotations

import socket
import subprocess
import sys
import textwrap
import threading

import pytest

from service.store.ports.errors import StoreDown
from service.store.redis import client
from service.store.redis.client import RedisClient, Unreached
from tests.soaking import soak

BEGIN = """
import sys
if sys.argv[2] == "greenlets":
    from gevent import monkey
    monkey.patch_all()
import threading, time
from pathlib import Path
from service.ops.instance.embedded import EmbeddedServer
from service.store.ports.errors import StoreDown
from service.store.redis.client import RedisClient

wire = RedisClient(sys.argv[1])

def together(work, count):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
"""


@pytest.fixture(params=["greenlets", *soak("threads")])
def run(request, redis_url, tmp_path):
    """Runs a program in a separate process, with threads or with greenlets."""

    def run(program):
        code = BEGIN + textwrap.dedent(program) + "\nprint('fine')\n"
        arguments = [sys.executable, "-c", code, redis_url, request.param, str(tmp_path)]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=False)
        assert done.stdout.endswith("fine\n"), done.stdout + done.stderr
        assert "Traceback" not in done.stderr, done.stderr

    return run


def test_concurrent_callers_get_their_own_replies(run):
    run(
        """
        wrong = []
        def ask(number):
            for turn in range(10):
                wanted = [f"{number}-{turn}-{each}".encode() for each in range(number % 5 + 1)]
                replies = wire.many([("ECHO", each) for each in wanted] + [("NONSENSE",)])
                if wanted != replies[:-1] or "unknown command" not in str(replies[-1]):
                    wrong.append(replies)
        together(ask, 150)
        assert not wrong, wrong[:3]
        assert len(wire.one("CLIENT", "LIST").splitlines()) < 80
        """
    )


@pytest.mark.soak
def test_large_values_are_sent_and_received(run):
    run(
        """
        right = []
        def ask(number):
            value = bytes([number]) * (3_000_000 + number)
            wire.one("SET", f"large:{number}", value)
            right.append(value == wire.one("GET", f"large:{number}"))
        together(ask, 8)
        assert [True] * 8 == right
        """
    )


@pytest.mark.soak
def test_a_blocked_call_delays_no_other(run):
    run(
        """
        slow = threading.Thread(target=wire.one, args=("BLPOP", "nothing", "2"))
        slow.start()
        time.sleep(0.2)
        began = time.monotonic()
        assert b"PONG" == wire.one("PING")
        assert time.monotonic() - began < 1 and slow.is_alive()
        slow.join()
        """
    )


@pytest.mark.soak
def test_calls_succeed_after_the_server_restarted(run):
    run(
        """
        folder = Path(sys.argv[3])
        server = EmbeddedServer(folder, fsync="no")
        wire = RedisClient(server.start())
        together(lambda _: wire.one("BLPOP", "nothing", "0.2"), 8)
        server.stop()
        try:
            wire.one("PING")
            raise SystemExit("it answered")
        except StoreDown:
            pass
        again = EmbeddedServer(folder, fsync="no")
        again.start()
        for _ in range(20):
            assert b"PONG" == wire.one("PING")
        again.stop()
        """
    )


@pytest.mark.soak
def test_killed_greenlet_leaves_no_reply_for_others(redis_url):
    program = """
        import gevent
        asking = []
        for round in range(40):
            asking += [gevent.spawn(wire.one, "ECHO", f"{round}-{each}") for each in range(10)]
            gone = [gevent.spawn(wire.one, "INCR", "counted") for _ in range(5)]
            gevent.sleep(0)
            gevent.killall(gone[:3], block=False)
        gevent.joinall(asking, raise_error=True)
        assert [f"{n // 10}-{n % 10}".encode() for n in range(400)] == [each.value for each in asking]
        assert 80 <= int(wire.one("GET", "counted")) <= 200
    """
    code = BEGIN + textwrap.dedent(program) + "\nprint('fine')\n"
    arguments = [sys.executable, "-c", code, redis_url, "greenlets"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout.endswith("fine\n"), done.stdout + done.stderr


@pytest.fixture
def deaf():
    """A server that closes the connection at the first command other than CLIENT: its URL and the commands it received."""
    received = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            while True:
                try:
                    line, _ = listening.accept()
                except OSError:
                    return
                with line:
                    while (command := line.recv(65536)).count(b"CLIENT"):
                        line.sendall(b"+OK\r\n" * command.count(b"CLIENT"))
                    received.append(command)

        threading.Thread(target=serve, daemon=True).start()
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}", received
        listening.shutdown(socket.SHUT_RDWR)


def test_a_command_is_not_repeated_when_its_connection_breaks(deaf):
    url, received = deaf
    with pytest.raises(StoreDown) as failure:
        RedisClient(url).one("INCR", "x")
    assert not isinstance(failure.value, Unreached), "the command may have been executed"
    assert 1 == len(received)
    assert b"INCR" in received[0]


def test_connection_to_a_closed_port_raises_unreached():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(Unreached):
        RedisClient(f"redis://127.0.0.1:{port}").one("PING")


def test_call_to_a_silent_server_fails_after_the_timeout():
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(StoreDown, match="Timeout"):
        RedisClient(f"redis://127.0.0.1:{silent.getsockname()[1]}?socket_timeout=0.2").one("PING")


@pytest.mark.soak
def test_waiting_for_a_connection_ends_after_the_timeout(server, monkeypatch):
    monkeypatch.setattr(client, "_POOL_TIMEOUT", 0.1)
    wire = RedisClient(server.url, connections=1)
    slow = threading.Thread(target=wire.one, args=("BLPOP", "nothing", "2"))
    slow.start()
    with pytest.raises(Unreached, match="No connection available"):
        for _ in range(100):
            wire.one("PING")
    slow.join()
    assert b"PONG" == wire.one("PING")
    wire.close()
