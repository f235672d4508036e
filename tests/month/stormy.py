"""The month on a real server whose processes, including the server itself, are killed again and again."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import redis

from service.audit.auditor import audit
from service.audit.export import export_lines
from service.ops.instance.folder import socket_path
from service.store.ports.errors import StoreDown
from service.store.redis.keys import Keys
from service.store.redis.store import open_store
from tests import killing
from tests.driver import Remote
from tests.month.people import PATIENCE, People
from tests.month.simulated import AHEAD, GRAIN, HELD, JUMP
from tests.workers.crew import ROOT
from tests.workers.test_serve import Instance

SOON = 10_000
"""Milliseconds within which leased and retried deliveries are due."""

HEAVY = {"api": 12, "valkey": 10, "serve": 2}
LIGHT = {"settle": 20, "stopped": 8, "cron": 18, "side": 30}
"""The chance of each role, in percent; after a heavy one nothing else is killed until the service responds again.

`stopped` is a settle worker that is suspended until others have taken its games, and then continues.
"""

STILL = (3.5, 6.0)
"""Seconds for which a settle worker is suspended: longer than its leases."""


class Stormy:
    """A complete service as `oraclewheel serve` runs it, and the killer of its processes."""

    def __init__(self, folder, receiver, mail, games, start, *, seed, calm=(0.5, 2.5)):
        self.games, self.keys, self.instant = games, Keys(), start
        self.receiver, self.mail = receiver, mail
        self.instance = Instance(
            folder / "service",
            SIMULATED="1",
            PYTHONPATH=os.pathsep.join([str(Path(__file__).parent / "site"), str(ROOT)]),
            ORACLEWHEEL_APPENDFSYNC="always",
            ORACLEWHEEL_RATE_REQUESTS="0",
            ORACLEWHEEL_UNREQUESTED_BURST="0",
            ORACLEWHEEL_RATE_TALK="0",
            ORACLEWHEEL_RATE_FEEDS="0",
            ORACLEWHEEL_RATE_WEBHOOKS="0",
            ORACLEWHEEL_REFUSAL_BURST="10000",
            ORACLEWHEEL_WEBHOOK_NETWORKS="127.0.0.0/8",
            ORACLEWHEEL_WEBHOOK_PORTS=str(receiver.port),
            ORACLEWHEEL_SMTP_URL=mail.url,
            ORACLEWHEEL_MAIL_FROM="post@games.example.org",
            ORACLEWHEEL_PUBLIC_URL="https://games.example.org",
            ORACLEWHEEL_LOG_LEVEL="warning",
            ORACLEWHEEL_LOG_SECONDS="5",
        )
        self.instance.patience = PATIENCE
        self.instance.start()
        path = socket_path((folder / "service" / "data").resolve())
        self.url = f"unix://{path}"
        self.wire = redis.Redis(unix_socket_path=str(path))
        self.to(start)
        environ = {**self.instance.environ, "ORACLEWHEEL_REDIS_URL": self.url}
        command = [sys.executable, "-m", "tests.month.founding", receiver.url(""), *games]
        subprocess.run(command, cwd=ROOT, env=environ, check=True, timeout=PATIENCE)
        self.store = open_store(self.url)
        self.people = People(Remote(self.instance.url))
        self.storm = Storm(self, seed, calm)

    @property
    def now(self):
        return self.instant

    def upcoming(self):
        """The next instant at which something is due by itself."""
        names = [name for each in self.keys.partitions for name in (each.due, each.outbox)]
        found = self.asked(lambda pipe: [pipe.zrange(name, 0, 0, withscores=True) for name in names])
        return min((int(reply[0][1]) for reply in found if reply), default=None)

    def to(self, instant):
        assert instant % GRAIN == 0
        self.instant = instant
        self.asked(lambda pipe: pipe.set(HELD, 1).eval(JUMP, 0, instant))

    def rest(self):
        """Wait until nothing is left to do, even if processes have to restart first.

        Games come first, then deliveries, as in the month without failures: an email depends on the position of the
        games when it is written, and of two things due at one instant either may come first.
        """
        self._until_done(self._games)
        self.asked(lambda pipe: pipe.delete(HELD))
        self._until_done(self._left)
        self.asked(lambda pipe: pipe.set(HELD, 1))
        now = self._clock()
        assert now - now % GRAIN == self.instant, "it took longer than the time that is left out"

    def _until_done(self, look):
        """Wait until nothing is left; raises if nothing has changed for a while, however long the whole takes on a busy
        machine."""
        before, until = None, 0.0
        while left := look():
            stands = left, sum(map(len, self.receiver.got.values())), len(self.mail.letters)
            if stands != before:
                before, until = stands, time.monotonic() + PATIENCE
            elif time.monotonic() > until:
                raise AssertionError(
                    f"it has come to a stand at {self._clock()} of {self.instant}: {left}, {self._why()}"
                )
            time.sleep(0.01)

    def _why(self):
        """Details for an error message: pending deliveries, running workers, and what was killed when."""

        def ask(pipe):
            for each in self.keys.partitions:
                pipe.zrange(each.outbox, 0, -1, withscores=True)
            pipe.get("oraclewheel:drain")
            pipe.lrange("rq:queue:side", 0, -1)

        killed = [(role, round(time.monotonic() - when, 1)) for role, when in self.storm.history[-30:]]
        workers = {pid: killing.words_of(pid) for pid in self.instance.children()}
        return f"{self.asked(ask)}, {killed}, {workers}"

    def _clock(self):
        (seconds, micros), ahead = self.asked(lambda pipe: (pipe.time(), pipe.get(AHEAD)))
        return seconds * 1000 + micros // 1000 + int(ahead or 0)

    def _games(self):
        """The remaining work of the games."""
        return {name: count for name, count in self._left().items() if not name.endswith("outbox")}

    def _left(self):
        """The remaining work, by key."""
        now = self._clock()
        commands = [self.keys.game(game).commands for game in self.games]
        shared = self.keys.partitions

        def ask(pipe):
            for name in commands:
                pipe.xlen(name)
            for each in shared:
                pipe.zcard(each.ready)
                pipe.zcard(each.leases)
                pipe.zcount(each.due, "-inf", now)
                pipe.zcount(each.outbox, "-inf", now + SOON)

        names = [*commands, *(name for each in shared for name in (each.ready, each.leases, each.due, each.outbox))]
        return {name: count for name, count in zip(names, self.asked(ask), strict=True) if count}

    def asked(self, ask):
        """The replies to one pipeline, from a server that may have to restart first."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with self.wire.pipeline(transaction=False) as pipe:
                    ask(pipe)
                    return pipe.execute()
            except (redis.RedisError, OSError):
                assert time.monotonic() < until
                time.sleep(0.02)

    def reading(self, of):
        """Read from the store, as soon as it responds."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return of(self.store)
            except StoreDown:
                assert time.monotonic() < until
                time.sleep(0.02)

    def export(self, game):
        return self.reading(lambda store: b"".join(export_lines(store, store.lobbies.get(game))))

    def audited(self, game):
        return audit(self.export(game), keys=list(self.reading(lambda store: store.log.keys()).values()))

    def doctor(self):
        """The output of `oraclewheel doctor` while all processes run."""
        self.rest()
        # The clock of the month jumps by days, but the log of heads uses a real one, so wait for it.
        self._until_done(
            lambda: (
                {"heads": count} if (count := self.reading(lambda it: len(it.changes.unseen("transparency")))) else {}
            )
        )
        command = [sys.executable, "-c", "from service.cli import main; main()", "doctor"]
        environ = {**self.instance.environ, "ORACLEWHEEL_REDIS_URL": self.url}
        told = subprocess.run(
            command, check=False, cwd=self.instance.folder, env=environ, capture_output=True, text=True, timeout=300
        )
        return told.stderr + told.stdout

    def close(self):
        self.storm.over()
        if self.instance.process is not None and self.instance.process.poll() is None:
            self.store.close()
            self.instance.stop()


class Storm:
    """Kills a random process again and again until it is stopped."""

    def __init__(self, house, seed, calm):
        self.house, self.chance, self.calm = house, random.Random(seed), calm
        self.kills, self.history, self._over = Counter(), [], threading.Event()
        self._nipped = False
        """Whether the last side worker was killed during its start. They have no replacement, so the next one is left
        to start."""
        self.most = math.inf
        """The number of kills after which it stops by itself."""
        self.thread = threading.Thread(target=self._rage, daemon=True)
        self.failed = None

    def begin(self):
        self.thread.start()

    def over(self):
        self._over.set()
        if self.thread.is_alive():
            self.thread.join(120)

    def _rage(self):
        weights = {**HEAVY, **LIGHT}
        try:
            while self.kills.total() < self.most and not self._over.wait(self.chance.uniform(*self.calm)):
                (role,) = self.chance.choices(list(weights), list(weights.values()))
                if self.kill(role) and role in HEAVY:
                    self._await()
        except BaseException as error:
            self.failed = error
            raise

    def kill(self, role):
        """Kill one process of this role; returns whether there was one."""
        instance = self.house.instance
        if role == "serve":
            instance.process.kill()
            instance.process.wait()
            instance.start()
            self._note(role)
            return True
        found = killing.of_role(instance, "settle" if role == "stopped" else role)
        if role == "side" and self._nipped:
            found = [pid for pid in found if killing.has_begun(pid)]
        if not found:
            return False
        if role == "stopped":
            return self._stop(self.chance.choice(found))
        pid = self.chance.choice(found)
        nipped = not killing.has_begun(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self._note(role)
            if role == "side":
                self._nipped = nipped
            return True
        return False

    def _stop(self, pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
            self._over.wait(self.chance.uniform(*STILL))
            os.kill(pid, signal.SIGCONT)
            self._note("stopped")
            return True
        return False

    def _note(self, role):
        self.kills[role] += 1
        self.history.append((role, time.monotonic()))

    def _await(self):
        until = time.monotonic() + PATIENCE
        while not self.house.instance.ready():
            assert time.monotonic() < until
            if self._over.wait(0.05):
                return
