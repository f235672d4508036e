"""The store in a process with greenlets, as the API uses it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
from gevent import monkey
monkey.patch_all()
import sys, time
import gevent
from service.store.redis.store import open_store
from tests.store.pump import command, pump, started, submit

store = open_store(sys.argv[1])
game = started(store, options={"points": 100000})
waiters = [store.news.subscribe(game) for _ in range(300)]
time.sleep(0.3)
for waiter in waiters:
    waiter.wait(0)
waiting = [gevent.spawn(waiter.wait, 20) for waiter in waiters]
gevent.sleep(0)

def one(number):
    return submit(store, game, command(f"s{number}", 1 + number % 2, pennies=1)).status

callers = [gevent.spawn(one, number) for number in range(90)]
gevent.joinall(callers, timeout=30)
assert {caller.value for caller in callers} == {"accepted"}, [caller.value for caller in callers]

# A call that is given up half way leaves nothing behind that another call would read.
lost = [gevent.spawn(store.wire.one, "DEBUG", "SLEEP", "0.05") for _ in range(5)]
gevent.sleep(0.01)
gevent.killall(lost)
assert all(store.log.head(game)[0] == 1 for _ in range(20))

pump(store, game, until=20)
gevent.joinall(waiting, timeout=30)
assert all(greenlet.value is True for greenlet in waiting)
store.close()
print("fine")
"""


@pytest.mark.soak
def test_greenlets_share_a_store(redis_url):
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, redis_url], capture_output=True, text=True, timeout=100, check=False
    )

    assert told.stdout == "fine\n", told.stderr
