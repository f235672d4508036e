"""Greenlets that share one connection: each hears what it has asked for, whatever becomes of the others and of the connection."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

from service.instance.embedded import EmbeddedServer

BEGIN = """
from gevent import monkey
monkey.patch_all()
import os, sys, time
import gevent
import redis
from service.store.ports.errors import StoreDown
from service.store.redis.connect import Wire

other = redis.Redis.from_url(sys.argv[1], client_name="onlooker")
try:
    strangers = {each["id"] for each in other.client_list()}
except redis.ConnectionError:
    strangers = set()
wire = Wire(sys.argv[1])
shared = wire._shared
assert shared is not None

def told(work, *arguments):
    try:
        return work(*arguments)
    except StoreDown:
        return "down"

def clients():
    return [each for each in other.client_list() if each["name"] != "onlooker" and each["id"] not in strangers]
"""


def run(program, url):
    code = BEGIN + textwrap.dedent(program) + "\nprint('fine')\n"
    done = subprocess.run([sys.executable, "-c", code, url], capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout.endswith("fine\n"), done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr


def test_each_hears_its_own_and_all_leave_in_one_send(redis_url):
    run(
        """
        wire.one("PING")
        sends, line = [], shared._line
        class Counted:
            def send(self, data):
                sends.append(len(data))
                return line.send(data)
            recv_into = line.recv_into
        shared._line = Counted()
        def ask(number):
            replies = wire.many([("ECHO", f"{number}-{each}") for each in range(number % 5 + 1)] + [("NONSENSE",)])
            assert [f"{number}-{each}".encode() for each in range(number % 5 + 1)] == replies[:-1]
            assert "unknown command" in str(replies[-1])
        asking = [gevent.spawn(ask, number) for number in range(300)]
        gevent.joinall(asking, raise_error=True)
        assert 1 == len(sends), sends
        assert 1 == len(clients())
        """,
        redis_url,
    )


def test_who_goes_away_leaves_nothing_that_another_would_read(redis_url):
    run(
        """
        other.delete("counted")
        asking = []
        for round in range(40):
            asking += [gevent.spawn(wire.one, "ECHO", f"{round}-{each}") for each in range(10)]
            gone = [gevent.spawn(wire.one, "INCR", "counted") for _ in range(5)]
            gevent.sleep(0)
            gevent.killall(gone[:3], block=False)
            early = gevent.spawn(wire.one, "SET", "never", "sent")
            early.kill(block=False)
        gevent.joinall(asking, raise_error=True)
        assert [f"{n // 10}-{n % 10}".encode() for n in range(400)] == [each.value for each in asking]
        assert 80 <= int(wire.one("GET", "counted")) <= 200
        assert wire.one("GET", "never") is None
        assert 1 == len(clients())
        """,
        redis_url,
    )


def test_what_is_larger_than_any_buffer_goes_and_comes(redis_url):
    run(
        """
        def ask(number):
            value = bytes([number]) * (3_000_000 + number)
            wire.one("SET", f"large:{number}", value)
            assert value == wire.one("GET", f"large:{number}")
        gevent.joinall([gevent.spawn(ask, number) for number in range(8)], raise_error=True)
        """,
        redis_url,
    )


def test_long_reads_hold_up_nobody(redis_url):
    run(
        """
        wire.one("PING")
        slow = gevent.spawn(wire.apart, [("BLPOP", "nothing", "2")])
        gevent.sleep(0.1)
        began = time.monotonic()
        assert b"PONG" == wire.one("PING")
        assert time.monotonic() - began < 1 and not slow.ready()
        """,
        redis_url,
    )


def test_who_has_not_sent_yet_asks_over_another_connection(redis_url):
    run(
        """
        wire.one("PING")
        for _ in range(20):
            assert other.client_kill_filter(_id=clients()[0]["id"])
            assert b"PONG" == wire.one("PING")
        """,
        redis_url,
    )


def test_silence_is_told_in_time(redis_url):
    url = redis_url + ("&" if "?" in redis_url else "?") + "socket_timeout=1"
    run(
        """
        began = time.monotonic()
        asked = [gevent.spawn(told, wire.one, "BLPOP", "nothing", "30") for _ in range(3)]
        gevent.joinall(asked)
        assert ["down"] * 3 == [each.value for each in asked]
        assert 1 <= time.monotonic() - began < 5
        assert b"PONG" == wire.one("PING")
        gevent.sleep(2.5)
        assert not shared._ticks.active, "nobody waits, and so nobody looks"
        """,
        url,
    )


def test_who_could_not_send_to_a_silent_server_waits_no_longer_than_who_could(tmp_path):
    run(
        """
        import socket
        silent = socket.socket(socket.AF_UNIX)
        silent.bind(sys.argv[1].partition("//")[2].partition("?")[0])
        silent.listen()
        began = time.monotonic()
        asked = [gevent.spawn(told, wire.one, "SET", f"large:{each}", b"x" * 1_000_000) for each in range(5)]
        gevent.sleep(0.2)
        asked += [gevent.spawn(told, wire.one, "PING") for _ in range(5)]
        gevent.sleep(0)
        assert shared._left and 5 == len(shared._unsent), "what was asked first does not fit into the socket's buffer"
        gevent.joinall(asked)
        assert ["down"] * 10 == [each.value for each in asked]
        assert 1 <= time.monotonic() - began < 5
        """,
        f"unix://{tmp_path}/silent.sock?socket_timeout=2",
    )


def test_a_child_process_has_a_connection_of_its_own(redis_url):
    run(
        """
        wire.one("PING")
        waiting = gevent.spawn(wire.one, "BLPOP", "given", "20")
        gevent.sleep(0.1)
        child = os.fork()
        if not child:
            gevent.sleep(0.1)
            wire.one("SET", "by the child", "this")
            wire.apart([("RPUSH", "given", "something")])
            gevent.sleep(0.3)
            os._exit(0)
        assert 0 == os.waitpid(child, 0)[1]
        assert b"something" == waiting.get(timeout=10)[1]
        assert b"this" == wire.one("GET", "by the child")
        """,
        redis_url,
    )


def test_threads_keep_connections_of_their_own(redis_url):
    run(
        """
        from gevent.threadpool import ThreadPool
        wire.one("PING")
        def work():
            lane = Wire(sys.argv[1])
            return lane._shared, [lane.one("ECHO", str(each)) for each in range(50)], [wire._shared.is_here()]
        pool = ThreadPool(2)
        for each in [pool.spawn(work) for _ in range(4)]:
            assert (None, [str(number).encode() for number in range(50)], [False]) == each.get()
        """,
        redis_url,
    )


def test_a_closed_one_tells_who_waits(redis_url):
    run(
        """
        waiting = [gevent.spawn(told, wire.one, "BLPOP", "nothing", "20") for _ in range(3)]
        gevent.sleep(0.1)
        wire.close()
        gevent.joinall(waiting, timeout=5)
        assert ["down"] * 3 == [each.value for each in waiting]
        """,
        redis_url,
    )


ENDLESS = """
other.delete("counted")
asked, answered, down = 0, 0, 0
until = time.monotonic() + 6
def ask():
    global asked, answered, down
    while time.monotonic() < until:
        asked += 1
        if told(wire.one, "INCR", "counted") == "down":
            down += 1
            gevent.sleep(0.01)
        else:
            answered += 1
print("begun", flush=True)
gevent.joinall([gevent.spawn(ask) for _ in range(30)], raise_error=True)
counted = int(told(wire.one, "GET", "counted") or 0)
assert asked == answered + down and down and answered > 100
print(answered, down, counted)
assert answered <= counted <= asked, (answered, down, counted)
print("fine")
"""


def test_nothing_is_asked_twice_and_no_answer_is_lost_while_the_server_is_killed(tmp_path):
    with EmbeddedServer(tmp_path) as embedded:
        command = [sys.executable, "-c", BEGIN + ENDLESS, embedded.url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
            assert "begun\n" == program.stdout.readline()
            for _ in range(3):
                time.sleep(1)
                os.kill(embedded.pid, signal.SIGKILL)
            out, err = program.communicate(timeout=60)
    assert out.endswith("fine\n"), out + err
    assert "Traceback" not in err, err
